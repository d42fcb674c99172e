package workspaces

import (
	"context"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/spaces"

	"github.com/spf13/cobra"
)

func newRefresh(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "refresh ID", Short: "Bring a workspace up to date with its base and with what its task builds on", IDs: true,
		Args: frame.Between(1, 1, "the ID of a task"), Example: []string{"tasker workspace refresh demo-4"},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		id, err := f.TaskID(ctx, args[0])
		if err != nil {
			return err
		}
		ctx, m, err := spaces.Manager(ctx, f)
		if err != nil {
			return err
		}
		s, err := spaces.Subject(ctx, f, id)
		if err != nil {
			return err
		}
		v, err := m.Refresh(ctx, s)
		if err != nil {
			return err
		}
		f.Warn(v.Warnings)
		return f.Answer(v, func() { showPlace(f, v) })
	})
}
