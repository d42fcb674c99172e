package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

func newRefresh(f *frame.Factory) *cobra.Command {
	var fence *frame.IntFlag[int64]
	cmd := f.Command(frame.Spec{
		Use: "refresh [ID]", Short: "Bring a workspace up to date with its base and with what its task builds on", IDs: true,
		Args: frame.Between(0, 1), Example: []string{"tasker workspace refresh demo-4"},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		ctx, m, s, err := For(ctx, f, frame.OrCurrent(args))
		if err != nil {
			return err
		}
		Given(f, m, fence)
		v, err := m.Refresh(ctx, s)
		if err != nil {
			return err
		}
		f.Warn(v.Warnings)
		return f.Answer(v, func() { showPlace(f, v) })
	})
	fence = frame.AddFence(cmd.Flags())
	return cmd
}
