package work

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core/work"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

// NewClaim returns the command `tasker claim`.
func NewClaim(f *frame.Factory) *cobra.Command {
	return claiming(f, frame.Spec{
		Use: "claim ID…", Short: op.Claim.Summary, IDs: true, Many: true, Args: frame.Between(1, -1, "the ID of a task"),
		Example: []string{"tasker claim demo-4", "tasker claim demo-4 --lease 30m", "tasker claim demo-4 --lease 0   # until you release it"},
	})
}

// claimOptions are what the command line gives `tasker claim`.
type claimOptions struct {
	lease frame.LeaseFlag
	fence *frame.IntFlag[int64]
}

func claiming(f *frame.Factory, s frame.Spec) *cobra.Command {
	o := &claimOptions{}
	cmd := f.Command(s, o.run)
	cmd.Flags().Var(&o.lease, "lease", "how long you hold it, such as 30m, 2h, 1d (0: until you release it)")
	o.fence = frame.AddFence(cmd.Flags())
	return cmd
}

func (o *claimOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	return frame.Each(ctx, f, args, func(ctx context.Context, id string) (task.Claim, error) {
		with, err := f.Fence(ctx, o.fence, id)
		if err != nil {
			return task.Claim{}, err
		}
		return frame.Call(ctx, f, op.Claim, work.ClaimIn{Task: id, Fence: with, LeaseMs: o.lease.Ms})
	}, func(f *frame.Factory, c task.Claim) {
		render.Claim(f, c)
		f.Echo(ctx, c.Task, "", remedy.Command("release "+string(c.Task)))
	})
}
