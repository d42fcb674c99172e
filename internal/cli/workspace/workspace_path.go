package workspace

import (
	"context"
	"tasker/internal/cli/frame"
	"tasker/internal/core/places"
	"tasker/internal/workspace"

	"github.com/spf13/cobra"
)

func newPath(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "path [ID]", Short: "Print where the workspace of a task is", IDs: true, Args: frame.Between(0, 1),
		Example: []string{"tasker workspace path demo-4", `cd "$(tasker workspace path demo-4)"`},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return here(ctx, f, frame.OrCurrent(args), func(_ context.Context, _ *workspace.Manager, v places.View) error {
			return f.Answer(v.Path, func() { f.Out.Printf("%s\n", v.Path) })
		})
	})
}
