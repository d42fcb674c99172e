package working

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

func NewDecide(f *frame.Factory) *cobra.Command {
	var because string
	var fence *frame.IntFlag[int64]
	cmd := f.Command(frame.Spec{
		Use: "decide ID TITLE", Short: op.Decide.Summary, IDs: true, Args: frame.Exactly("the ID of a task", "a TITLE"),
		Example: []string{`tasker decide demo-4 "Keep the old format" --because "three clients still read it"`},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		id, err := f.TaskArg(ctx, args[0])
		if err != nil {
			return err
		}
		in := core.DecideIn{Task: id, Title: args[1]}
		if in.Rationale, err = f.TextArg(because); err != nil {
			return err
		}
		if in.Fence, err = f.Fence(ctx, fence, id); err != nil {
			return err
		}
		return frame.Do(ctx, f, op.Decide, in, func(f *frame.Factory, d task.Decision) { f.Say("Decided on %s: %s\n", d.Task, d.Title) })
	})
	cmd.Flags().StringVar(&because, "because", "", "the reason (- reads standard input)")
	fence = frame.FenceFlag(cmd.Flags())
	return cmd
}
