package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/places"
	"tasker/internal/core/work"
	"tasker/internal/op"
	"tasker/internal/workspace"
)

// openOptions are what the command line gives `tasker workspace open`.
type openOptions struct {
	claim, here, branch bool
	lease               frame.LeaseFlag
	fence               *frame.IntFlag[int64]
}

func newOpen(f *frame.Factory) *cobra.Command {
	o := &openOptions{}
	cmd := f.Command(frame.Spec{
		Use: "open ID", Short: "Make the workspace of a task: work tree, ports, environment, setup", IDs: true,
		Args: frame.Between(1, 1, "the ID of a task"),
		Example: []string{
			"tasker workspace open demo-4", "tasker workspace open demo-4 --claim --lease 30m", `cd "$(tasker workspace path demo-4)"`,
			"tasker workspace open demo-4 --here   # in a work tree that another tool made",
		},
		Long: "With workspace.strategy worktree, the task gets a git work tree under workspace.dir, on a branch of its own that forks\n" +
			"from branch.base; the branches of its dependencies that are done and not on the base yet are merged in. Then come its\n" +
			"ports, the environment of the providers, and the setup steps. Where one of these fails, all of it is undone. A workspace\n" +
			"that is open already stays as it is.",
	}, o.run)
	fs := cmd.Flags()
	fs.BoolVar(&o.claim, "claim", false, "claim the task first; given back where the workspace cannot be made")
	fs.Var(&o.lease, "lease", "with --claim: how long you hold it, such as 30m (0: until you release it)")
	fs.BoolVar(&o.here, "here", false, "take the directory you stand in, and never remove it")
	fs.BoolVar(&o.branch, "branch", false, "in-place: switch the repository to the task's branch")
	o.fence = frame.AddFence(fs)
	return cmd
}

func (o *openOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	ctx, m, s, err := For(ctx, f, args[0])
	if err != nil {
		return err
	}
	ctx, stop := f.Process.Stop(ctx)
	defer stop()
	options := workspace.OpenOptions{Branch: o.branch}
	if o.here {
		options.Here = f.Process.Dir
	}
	v, err := o.open(ctx, f, m, s, options)
	if err != nil {
		return err
	}
	f.Warn(v.Warnings)
	return f.Answer(v, func() { showPlace(f, v) })
}

// open claims the task where it is to, and opens its workspace; a claim that it made is given back where that fails.
func (o *openOptions) open(
	ctx context.Context, f *frame.Factory, m *workspace.Manager, s workspace.Subject, options workspace.OpenOptions,
) (places.View, error) {
	Given(f, m, o.fence)
	if !o.claim {
		return m.Open(ctx, s, options)
	}
	before, err := m.Claimed(ctx, s.ID)
	if err != nil {
		return places.View{}, err
	}
	fence, err := m.Fence(ctx, s.ID)
	if err != nil {
		return places.View{}, err
	}
	claim, err := frame.Call(ctx, f, op.Claim, work.ClaimIn{Task: string(s.ID), Fence: fence, LeaseMs: o.lease.Ms})
	if err != nil {
		return places.View{}, err
	}
	m.Fence = Under(claim.Fence)
	v, err := m.Open(ctx, s, options)
	if err != nil && before == 0 {
		GiveBack(context.WithoutCancel(ctx), f, claim, err)
	}
	return v, err
}
