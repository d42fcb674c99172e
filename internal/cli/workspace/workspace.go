// Package workspace holds the commands that make, show and clear away the workspaces of tasks, and helpers for other
// commands that open and close them.
package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/child/purpose"
	"tasker/internal/cli/frame"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/work"
	"tasker/internal/workspace"
	"tasker/internal/workspace/machine"
)

// NewWorkspace returns the command `tasker workspace`.
func NewWorkspace(f *frame.Factory) *cobra.Command {
	return f.Group(frame.Spec{
		Use: "workspace", Short: "Make a workspace for a task, and clear it away again",
		Example:  []string{"tasker workspace open demo-4 --claim", "tasker workspace exec demo-4 -- go test ./...", "tasker workspace close demo-4"},
		Commands: []*cobra.Command{newOpen(f), newList(f), newShow(f), newEnv(f), newExec(f), newPath(f), newRefresh(f), newClose(f), newPrune(f)},
	})
}

// onPlace is what a command does with the workspace of a task.
type onPlace func(context.Context, *machine.Manager, workspace.View) error

// here runs fn with the workspace of the named task, for commands that only read, which everybody may do.
func here(ctx context.Context, f *frame.Factory, name string, fn onPlace) error {
	return at(ctx, f, name, f.TaskIDToRead, func(context.Context, *machine.Manager, task.ID) error { return nil }, fn)
}

// acting runs fn with the workspace of the named task, if the caller may act on it.
func acting(ctx context.Context, f *frame.Factory, name string, fence *int64, to workspace.Use, fn onPlace) error {
	return at(ctx, f, name, f.TaskID, func(ctx context.Context, m *machine.Manager, id task.ID) error {
		Given(f, m, fence)
		return m.MayUse(ctx, id, to)
	}, fn)
}

func at(
	ctx context.Context, f *frame.Factory, name string, find finder,
	may func(context.Context, *machine.Manager, task.ID) error, fn onPlace,
) error {
	ctx, m, id, err := found(ctx, f, name, find)
	if err != nil {
		return err
	}
	if err := may(ctx, m, id); err != nil {
		return err
	}
	v, err := m.Here(ctx, id)
	if err != nil {
		return err
	}
	return fn(ctx, m, v)
}

// openOptions holds the options of `tasker workspace open`.
type openOptions struct {
	claim, here, branch, baseOnly bool
	lease                         *int64
	fence                         *int64
}

func newOpen(f *frame.Factory) *cobra.Command {
	o := &openOptions{}
	return f.Command(frame.Spec{
		Use: "open ID", Short: "Make the workspace of a task: work tree, ports, environment, setup", IDs: true,
		Args: frame.Between(1, 1, "the ID of a task"),
		Example: []string{
			"tasker workspace open demo-4", "tasker workspace open demo-4 --claim --lease 30m", `cd "$(tasker workspace path demo-4)"`,
			"tasker workspace open demo-4 --here   # in a work tree that another tool made",
		},
		Long: "With workspace.strategy worktree, the task gets a git work tree under workspace.dir, on a branch of its own that forks\n" +
			"from branch.base; the branches of its dependencies that are done and not on the base yet are merged in, and where two of\n" +
			"them conflict it is declined. Then come its ports, the environment of the providers, and the setup steps. Where one of\n" +
			"these fails, all of it is undone. A workspace that is open already stays as it is.",
		Flags: []frame.Flag{
			frame.Bool(&o.claim, "claim", "claim the task first; it is given back if the workspace cannot be made"),
			frame.Lease(&o.lease, "lease", "with --claim: how long you hold it, such as 30m (0: until you release it)"),
			frame.Bool(&o.here, "here", "take the directory you stand in, and never remove it"),
			frame.Bool(&o.branch, "branch", "in-place: switch the repository to the task's branch"),
			frame.Bool(&o.baseOnly, "base-only", "leave out the branches of dependencies that are not on the base yet"),
			frame.Fence(&o.fence),
		},
	}, o.run)
}

func (o *openOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	ctx, m, s, err := For(ctx, f, args[0])
	if err != nil {
		return err
	}
	ctx, stop := f.Stop(ctx)
	defer stop()
	options := machine.OpenOptions{Branch: o.branch, BaseOnly: o.baseOnly}
	if o.here {
		options.Here = f.Process.Dir
	}
	v, err := o.open(ctx, f, m, s, options)
	return answerPlace(f, v, err)
}

// open claims the task if asked to, and opens its workspace; if that fails, it gives back a claim that it made.
func (o *openOptions) open(
	ctx context.Context, f *frame.Factory, m *machine.Manager, s machine.Subject, options machine.OpenOptions,
) (workspace.View, error) {
	Given(f, m, o.fence)
	if !o.claim {
		return m.Open(ctx, s, options)
	}
	before, err := m.Claimed(ctx, s.ID)
	if err != nil {
		return workspace.View{}, err
	}
	fence, err := m.Fence(ctx, s.ID)
	if err != nil {
		return workspace.View{}, err
	}
	claim, err := frame.Call(ctx, f, op.Claim, work.ClaimIn{Task: string(s.ID), Fence: fence, LeaseMs: o.lease})
	if err != nil {
		return workspace.View{}, err
	}
	m.Fence = Under(claim.Fence)
	v, err := m.Open(ctx, s, options)
	if err != nil && before == 0 {
		GiveBack(context.WithoutCancel(ctx), f, claim.Record(), err)
	}
	return v, err
}

func newClose(f *frame.Factory) *cobra.Command {
	var force bool
	var fence *int64
	return f.Command(frame.Spec{
		Use: "close [ID]", Short: "Run the teardown of a workspace, remove its directory and give its ports back", IDs: true,
		Args:    frame.Between(0, 1),
		Example: []string{"tasker workspace close demo-4", "tasker workspace close demo-4 --force   # changes are stored under a ref first"},
		Long: "A directory is removed only where it was made for the task, and only where nothing in it would be lost: changes, new\n" +
			"files, ignored files that the setup did not make, and commits that no remote has. With --force, changes and new files are\n" +
			"stored under refs/tasker/closed/ID/N first, and the answer names the ref. A branch is never deleted.",
		Flags: []frame.Flag{
			frame.Bool(&force, "force", "store what is not committed under a ref, and remove it all the same"),
			frame.Fence(&fence),
		},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		ctx, m, id, err := found(ctx, f, frame.OrCurrent(args), f.TaskID)
		if err != nil {
			return err
		}
		Given(f, m, fence)
		ctx, stop := f.Stop(ctx)
		defer stop()
		out, err := m.Close(ctx, id, force)
		return f.Answered(err, out, func() {
			f.Warn(out.Warnings)
			switch {
			case !out.Removed:
				f.Say("Closed the workspace of %s; %s stays as it is\n", out.Task, out.Path)
			case out.Branch == "":
				f.Say("Removed %s, which was half made, and its branch\n", out.Path)
			default:
				f.Say("Removed %s; its branch %s stays\n", out.Path, out.Branch)
			}
		})
	})
}

func newRefresh(f *frame.Factory) *cobra.Command {
	var fence *int64
	return f.Command(frame.Spec{
		Use: "refresh [ID]", Short: "Bring a workspace up to date with its base and with what its task builds on", IDs: true,
		Args: frame.Between(0, 1), Example: []string{"tasker workspace refresh demo-4"},
		Flags: []frame.Flag{
			frame.Fence(&fence),
		},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		ctx, m, s, err := For(ctx, f, frame.OrCurrent(args))
		if err != nil {
			return err
		}
		Given(f, m, fence)
		v, err := m.Refresh(ctx, s)
		return answerPlace(f, v, err)
	})
}

func newPrune(f *frame.Factory) *cobra.Command {
	var dryRun bool
	return f.Command(frame.Spec{
		Use: "prune", Short: "Clear away what nobody needs: closed tasks' clean workspaces, and what a crash left", Args: frame.Between(0, 0),
		Example: []string{"tasker workspace prune", "tasker workspace prune --dry-run"},
		Flags: []frame.Flag{
			frame.Bool(&dryRun, "dry-run", "say what would be removed, and remove nothing"),
		},
	}, func(ctx context.Context, f *frame.Factory, _ []string) error {
		ctx, m, err := Manager(ctx, f)
		if err != nil {
			return err
		}
		ctx, stop := f.Stop(ctx)
		defer stop()
		out, err := m.Prune(ctx, dryRun)
		return f.Answered(err, out, func() {
			done := words.Either(dryRun, "Would remove", "Removed")
			for _, id := range out.Removed {
				f.Say("%s the workspace of %s\n", done, id)
			}
			for _, k := range out.Kept {
				f.Say("%s stays in %s: %s\n", k.Task, k.Path, k.Why)
			}
			if len(out.Removed)+len(out.Kept) == 0 {
				f.Say("No task has a workspace here\n")
			}
		})
	})
}

func newPath(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "path [ID]", Short: "Print where the workspace of a task is", IDs: true, Args: frame.Between(0, 1),
		Example: []string{"tasker workspace path demo-4", `cd "$(tasker workspace path demo-4)"`},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return here(ctx, f, frame.OrCurrent(args), func(_ context.Context, _ *machine.Manager, v workspace.View) error {
			return f.Answer(v.Path, func() { f.Out.Printf("%s\n", v.Path) })
		})
	})
}

func newExec(f *frame.Factory) *cobra.Command {
	var fence *int64
	return f.Command(frame.Spec{
		Use: "exec ID -- COMMAND…", Short: "Run a command in the workspace of a task, with its environment", IDs: true,
		Args: frame.Between(2, -1, "the ID of a task", "a COMMAND after --"), Example: []string{"tasker workspace exec demo-4 -- go test ./..."},
		Long: "The command gets the terminal, the streams and the signals, and its exit code becomes that of exec. The holder of the\n" +
			"task and people may use it, and anybody if nobody holds the task.",
		Flags: []frame.Flag{
			frame.Fence(&fence),
		},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return acting(ctx, f, args[0], fence, workspace.ToExec, func(ctx context.Context, m *machine.Manager, v workspace.View) error {
			env, err := m.EnvironmentOf(ctx, v)
			if err != nil {
				return err
			}
			done, err := f.Wiring.Exec(ctx, f.Process.Foreground(purpose.Worker, args[1:], v.Path, append(env, f.ChildEnv()...)))
			if err == nil && done.ExitCode != 0 {
				return frame.ErrExit(done.ExitCode)
			}
			return err
		})
	})
}
