package workspace

import (
	"context"
	"tasker/internal/cli/frame"

	"github.com/spf13/cobra"
)

func newPrune(f *frame.Factory) *cobra.Command {
	var dryRun bool
	cmd := f.Command(frame.Spec{
		Use: "prune", Short: "Clear away what nobody needs: closed tasks' clean workspaces, and what a crash left", Args: frame.Between(0, 0),
		Example: []string{"tasker workspace prune", "tasker workspace prune --dry-run"},
	}, func(ctx context.Context, f *frame.Factory, _ []string) error {
		ctx, m, err := Manager(ctx, f)
		if err != nil {
			return err
		}
		ctx, stop := f.Process.Stop(ctx)
		defer stop()
		out, err := m.Prune(ctx, dryRun)
		if err != nil {
			return err
		}
		return f.Answer(out, func() {
			done := "Removed"
			if dryRun {
				done = "Would remove"
			}
			for _, id := range out.Removed {
				f.Say("%s the workspace of %s\n", done, id)
			}
			for _, k := range out.Kept {
				f.Say("%s stays in %s: %s\n", k.Task, k.Path, k.Why)
			}
			if len(out.Removed)+len(out.Kept) == 0 {
				f.Say("No task has a workspace here\n")
			}
		})
	})
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "tell what would be removed, and remove nothing")
	return cmd
}
