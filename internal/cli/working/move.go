package working

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/words"
)

// moving are the flags that a move takes, under whichever name.
type moving struct {
	force    bool
	expected frame.IntFlag[int64]
	check    []int
	evidence frame.EvidenceFlag
	note     frame.TextFlag
	next     bool
	fence    *frame.IntFlag[int64]
}

func (m *moving) flags(fs *pflag.FlagSet) {
	fs.BoolVar(&m.force, "force", false, "pass over unchecked criteria and missing evidence; the override is logged")
	fs.Var(&m.expected, "expected-version", "refuse where the task has another version")
	fs.IntSliceVar(&m.check, "check", nil, "tick these criteria first, such as 1,2")
	fs.Var(&m.evidence, "evidence", "record this evidence first (can be given again)")
	fs.Var(&m.note, "note", "add this note first (- reads standard input)")
	m.fence = frame.FenceFlag(fs)
}

// move moves tasks to a status.
func move(ctx context.Context, f *frame.Factory, m *moving, ids []string, to string) error {
	note, err := f.Given(m.note)
	if err != nil {
		return err
	}
	in := core.MoveIn{
		To: to, Force: m.force, ExpectedVersion: m.expected.N, Check: m.check, Evidence: m.evidence, Note: note, Next: m.next,
	}
	if len(ids) > 1 && (m.expected.N != nil || m.fence.N != nil || m.next) {
		return fault.Bad("--expected-version, --fence and --next are for one task, and %d are named", len(ids))
	}
	return frame.Each(ctx, f, ids, func(ctx context.Context, id string) (core.MoveOut, error) {
		var err error
		if in.Fence, err = f.Fence(ctx, m.fence, id); err != nil {
			return core.MoveOut{}, err
		}
		in.Task = id
		out, err := frame.Call(ctx, f, op.Move, in)
		if err != nil && to == string(task.Done) {
			err = staleHint(ctx, f, id, err)
		}
		return out, err
	}, render.Move)
}

// moveOptions are what the command line gives `tasker move`.
type moveOptions struct {
	m moving
}

// NewMove returns the command `tasker move`.
func NewMove(f *frame.Factory) *cobra.Command {
	o := &moveOptions{}
	cmd := f.Command(frame.Spec{
		Use: "move ID STATUS", Short: op.Move.Summary, IDs: true, Args: frame.Exactly("the ID of a task", "a STATUS"),
		Example: []string{"tasker move demo-4 in_review", "tasker move demo-4 done --check 1,2 --evidence test=ci/123"},
		Long:    "Statuses: " + words.List(task.Statuses) + ".",
	}, o.run)
	o.m.flags(cmd.Flags())
	tasks := cmd.ValidArgsFunction
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return frame.Candidates(task.Statuses), cobra.ShellCompDirectiveNoFileComp
		}
		return tasks(cmd, args, typed)
	}
	return cmd
}

func (o *moveOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	return move(ctx, f, &o.m, args[:1], args[1])
}

// staleHint adds to a refusal of done which evidence is stale by now.
func staleHint(ctx context.Context, f *frame.Factory, id string, refusal error) error {
	if f.Flags.JSON || !fault.Is(refusal, fault.Declined) {
		return refusal
	}
	b, err := frame.Call(ctx, f, op.Show, core.ShowIn{Task: id})
	if err != nil {
		return refusal
	}
	return fault.Of(refusal).AndHint(f.Staleness().Words(b)...)
}
