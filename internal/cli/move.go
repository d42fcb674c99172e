package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

// moving are the flags that a move takes, under whichever name.
type moving struct {
	force    bool
	expected intFlag[int64]
	check    []int
	evidence evidenceFlag
	note     textFlag
	next     bool
	fence    *intFlag[int64]
}

func (m *moving) flags(fs *pflag.FlagSet) {
	fs.BoolVar(&m.force, "force", false, "pass over unchecked criteria and missing evidence; the override is logged")
	fs.Var(&m.expected, "expected-version", "refuse where the task has another version")
	fs.IntSliceVar(&m.check, "check", nil, "tick these criteria first, such as 1,2")
	fs.Var(&m.evidence, "evidence", "record this evidence first (can be given again)")
	fs.Var(&m.note, "note", "add this note first (- reads standard input)")
	m.fence = fenceFlag(fs)
}

// move moves tasks to a status.
func (f *factory) move(ctx context.Context, m *moving, ids []string, to string) error {
	note, err := f.given(m.note)
	if err != nil {
		return err
	}
	in := core.MoveIn{
		To: to, Force: m.force, ExpectedVersion: m.expected.n, Check: m.check, Evidence: m.evidence, Note: note, Next: m.next,
	}
	if len(ids) > 1 && (m.expected.n != nil || m.fence.n != nil || m.next) {
		return fault.Bad("--expected-version, --fence and --next are for one task, and %d are named", len(ids))
	}
	return each(ctx, f, ids, func(ctx context.Context, id string) (core.MoveOut, error) {
		var err error
		if in.Fence, err = f.fence(ctx, m.fence, id); err != nil {
			return core.MoveOut{}, err
		}
		in.Task = id
		out, err := call(ctx, f, op.Move, in)
		if err != nil && to == string(task.Done) {
			err = f.staleHint(ctx, id, err)
		}
		return out, err
	}, (*factory).showMove)
}

// showMove says where a task is now, what became ready by it, and what was claimed next.
func (f *factory) showMove(out core.MoveOut) {
	if !f.flags.quiet {
		f.out.Printf("%s ", out.Task.ID)
		f.out.Spans(statusSpan(out.Task.Status))
		if out.From == out.Task.Status {
			f.out.Printf(", as it was\n")
		} else {
			f.out.Printf(", was %s\n", out.From)
		}
		if len(out.Unblocked) > 0 {
			f.out.Printf("Now ready: %s\n", list(out.Unblocked))
		}
	}
	f.warn(out.Warnings)
	if out.Next != nil {
		f.say("\n")
		f.showNext(*out.Next)
	}
}

func (f *factory) newMove() *cobra.Command {
	var m moving
	cmd := f.command(spec{
		use: "move ID STATUS", short: op.Move.Summary, ids: true, args: exactly("the ID of a task", "a STATUS"),
		example: []string{"tasker move demo-4 in_review", "tasker move demo-4 done --check 1,2 --evidence test=ci/123"},
		long:    "Statuses: " + list(task.Statuses) + ".",
	}, func(ctx context.Context, f *factory, args []string) error { return f.move(ctx, &m, args[:1], args[1]) })
	m.flags(cmd.Flags())
	tasks := cmd.ValidArgsFunction
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return words(task.Statuses), cobra.ShellCompDirectiveNoFileComp
		}
		return tasks(cmd, args, typed)
	}
	return cmd
}

// short makes a short form of move.
func (f *factory) short(name, short, to string, example ...string) (*cobra.Command, *moving) {
	m := &moving{}
	cmd := f.command(spec{
		use: name + " ID…", short: short, ids: true, many: true, args: between(1, -1, "the ID of a task"), example: example,
		long: "Short for: tasker move ID " + to,
	}, func(ctx context.Context, f *factory, args []string) error { return f.move(ctx, m, args, to) })
	m.flags(cmd.Flags())
	return cmd, m
}

func (f *factory) newReview() *cobra.Command {
	cmd, _ := f.short("review", "Hand a task over for review", string(task.InReview), `tasker review demo-4 --check 1 --note "ready to look at"`)
	return cmd
}

func (f *factory) newDone() *cobra.Command {
	cmd, m := f.short("done", "Close a task as done; the refusal lists all that is missing", string(task.Done),
		"tasker done demo-4", "tasker done demo-4 --check 1,2 --evidence test=ci/123", "tasker done demo-4 --next   # and claim the next one in the same step")
	cmd.Flags().BoolVar(&m.next, "next", false, "claim the next task in the same step")
	return cmd
}

func (f *factory) newCancel() *cobra.Command {
	cmd, _ := f.short("cancel", "Close a task without doing it", string(task.Cancelled), `tasker cancel demo-4 --note "superseded by demo-9"`)
	return cmd
}

func (f *factory) newReopen() *cobra.Command {
	cmd, _ := f.short("reopen", "Open a task again", string(task.Open), "tasker reopen demo-4")
	return cmd
}

func (f *factory) newReturn() *cobra.Command {
	var because string
	var m moving
	cmd := f.command(spec{
		use: "return ID --because TEXT", short: "Send a task in review back to open, and say why", ids: true, args: exactly("the ID of a task"),
		example: []string{`tasker return demo-4 --because "the error path has no test"`},
	}, func(ctx context.Context, f *factory, args []string) error {
		if because == "" {
			return fault.Bad("say why it goes back").WithHint(`add --because "…": the next worker reads it`)
		}
		id, err := f.task(ctx, args[0])
		if err != nil {
			return err
		}
		b, err := call(ctx, f, op.Show, core.ShowIn{Task: id})
		if err != nil {
			return err
		}
		if b.Task.Status != task.InReview {
			return fault.Decline("%s is %s, and only what is in review can be sent back", b.Task.ID, b.Task.Status).
				WithHint("to open it all the same: tasker reopen %s", b.Task.ID)
		}
		m.note.s = &because
		if m.expected.n == nil { // between the look and the move nothing may have changed
			m.expected.n = &b.Task.Version
		}
		return f.move(ctx, &m, []string{string(b.Task.ID)}, string(task.Open))
	})
	cmd.Flags().StringVar(&because, "because", "", "what has to change (- reads standard input)")
	cmd.Flags().Var(&m.expected, "expected-version", "refuse where the task has another version")
	m.fence = fenceFlag(cmd.Flags())
	return cmd
}
