package working

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

func NewClaim(f *frame.Factory) *cobra.Command {
	return claiming(f, frame.Spec{
		Use: "claim ID…", Short: op.Claim.Summary, IDs: true, Many: true, Args: frame.Between(1, -1, "the ID of a task"),
		Example: []string{"tasker claim demo-4", "tasker claim demo-4 --lease 30m", "tasker claim demo-4 --lease 0   # until you release it"},
	})
}

func NewStart(f *frame.Factory) *cobra.Command {
	return claiming(f, frame.Spec{
		Use: "start ID…", Short: "Start work on a task: claim it", IDs: true, Many: true, Args: frame.Between(1, -1, "the ID of a task"),
		Example: []string{"tasker start demo-4", "tasker start demo-4 --lease 30m"},
	})
}

func claiming(f *frame.Factory, s frame.Spec) *cobra.Command {
	var lease frame.LeaseFlag
	var fence *frame.IntFlag[int64]
	cmd := f.Command(s, func(ctx context.Context, f *frame.Factory, args []string) error {
		return frame.Each(ctx, f, args, func(ctx context.Context, id string) (task.Claim, error) {
			with, err := f.Fence(ctx, fence, id)
			if err != nil {
				return task.Claim{}, err
			}
			return frame.Call(ctx, f, op.Claim, core.ClaimIn{Task: id, Fence: with, LeaseMs: lease.Ms})
		}, render.Claim)
	})
	cmd.Flags().Var(&lease, "lease", "how long you hold it, such as 30m, 2h, 1d (0: until you release it)")
	fence = frame.FenceFlag(cmd.Flags())
	return cmd
}
