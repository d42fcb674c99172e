package work

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/work"
	"tasker/internal/op"
	"tasker/internal/task"
)

// decideOptions are what the command line gives `tasker decide`.
type decideOptions struct {
	because string
	fence   *frame.IntFlag[int64]
}

// NewDecide returns the command `tasker decide`.
func NewDecide(f *frame.Factory) *cobra.Command {
	o := &decideOptions{}
	cmd := f.Command(frame.Spec{
		Use: "decide ID TITLE", Short: op.Decide.Summary, IDs: true, Args: frame.Exactly("the ID of a task", "a TITLE"),
		Example: []string{`tasker decide demo-4 "Keep the old format" --because "three clients still read it"`},
	}, o.run)
	cmd.Flags().StringVar(&o.because, "because", "", "the reason (- reads standard input)")
	o.fence = frame.AddFence(cmd.Flags())
	return cmd
}

func (o *decideOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	id, err := f.TaskArg(ctx, args[0])
	if err != nil {
		return err
	}
	in := work.DecideIn{Task: id, Title: args[1]}
	if in.Rationale, err = f.TextArg(o.because); err != nil {
		return err
	}
	if in.Fence, err = f.Fence(ctx, o.fence, id); err != nil {
		return err
	}
	return frame.Do(ctx, f, op.Decide, in, func(f *frame.Factory, d task.Decision) {
		f.Say("Decided on %s: %s\n", d.Task, d.Title)
		f.Echo(ctx, task.ID(id), "", frame.NoUndo)
		project, _, _ := task.ParseID(string(d.Task))
		frame.EchoTaken(ctx, f, project, d.Task)
	})
}
