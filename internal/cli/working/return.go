package working

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

func NewReturn(f *frame.Factory) *cobra.Command {
	var because string
	var m moving
	cmd := f.Command(frame.Spec{
		Use: "return ID --because TEXT", Short: "Send a task in review back to open, and say why", IDs: true, Args: frame.Exactly("the ID of a task"),
		Example: []string{`tasker return demo-4 --because "the error path has no test"`},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		if because == "" {
			return fault.Bad("say why it goes back").WithHint(`add --because "…": the next worker reads it`)
		}
		id, err := f.TaskArg(ctx, args[0])
		if err != nil {
			return err
		}
		b, err := frame.Call(ctx, f, op.Show, core.ShowIn{Task: id})
		if err != nil {
			return err
		}
		if b.Task.Status != task.InReview {
			return fault.Decline("%s is %s, and only what is in review can be sent back", b.Task.ID, b.Task.Status).
				WithHint("to open it all the same: tasker reopen %s", b.Task.ID)
		}
		m.note.Text = &because
		if m.expected.N == nil { // between the look and the move nothing may have changed
			m.expected.N = &b.Task.Version
		}
		return move(ctx, f, &m, []string{string(b.Task.ID)}, string(task.Open))
	})
	cmd.Flags().StringVar(&because, "because", "", "what has to change (- reads standard input)")
	cmd.Flags().Var(&m.expected, "expected-version", "refuse where the task has another version")
	m.fence = frame.FenceFlag(cmd.Flags())
	return cmd
}
