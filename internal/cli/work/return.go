package work

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

// returnOptions are what the command line gives `tasker return`.
type returnOptions struct {
	because string
	move    moveOptions
}

// NewReturn returns the command `tasker return`.
func NewReturn(f *frame.Factory) *cobra.Command {
	o := &returnOptions{}
	cmd := f.Command(frame.Spec{
		Use: "return ID --because TEXT", Short: "Send a task in review back to open, and say why", IDs: true, Args: frame.Exactly("the ID of a task"),
		Example: []string{`tasker return demo-4 --because "the error path has no test"`},
	}, o.run)
	cmd.Flags().StringVar(&o.because, "because", "", "what has to change (- reads standard input)")
	cmd.Flags().Var(&o.move.expected, "expected-version", "refuse where the task has another version")
	o.move.fence = frame.AddFence(cmd.Flags())
	return cmd
}

func (o *returnOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if o.because == "" {
		return fault.Bad("say why it goes back").WithHint(`add --because "…": the next worker reads it`)
	}
	id, err := f.TaskArg(ctx, args[0])
	if err != nil {
		return err
	}
	b, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: id})
	if err != nil {
		return err
	}
	if err := render.Returnable(b.Task); err != nil {
		return err
	}
	o.move.note.Text = &o.because
	if o.move.expected.N == nil { // between the look and the move nothing may have changed
		o.move.expected.N = &b.Task.Version
	}
	return o.move.move(ctx, f, []string{string(b.Task.ID)}, string(task.Open))
}
