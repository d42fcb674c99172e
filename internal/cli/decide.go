package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newDecide() *cobra.Command {
	var because string
	var fence *intFlag[int64]
	cmd := f.command(spec{
		use: "decide ID TITLE", short: op.Decide.Summary, ids: true, args: exactly("the ID of a task", "a TITLE"),
		example: []string{`tasker decide demo-4 "Keep the old format" --because "three clients still read it"`},
	}, func(ctx context.Context, f *factory, args []string) error {
		id, err := f.task(ctx, args[0])
		if err != nil {
			return err
		}
		in := core.DecideIn{Task: id, Title: args[1]}
		if in.Rationale, err = f.text(because); err != nil {
			return err
		}
		if in.Fence, err = f.fence(ctx, fence, id); err != nil {
			return err
		}
		return do(ctx, f, op.Decide, in, func(f *factory, d task.Decision) { f.say("Decided on %s: %s\n", d.Task, d.Title) })
	})
	cmd.Flags().StringVar(&because, "because", "", "the reason (- reads standard input)")
	fence = fenceFlag(cmd.Flags())
	return cmd
}
