package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// newStatus returns tasker without a command under the name that people try first.
func newStatus(f *frame.Factory) *cobra.Command {
	cmd := f.Command(frame.Spec{
		Use: "status", Short: "How things stand here, and what to do next: tasker without a command", Args: frame.Between(0, 0),
		Example: []string{"tasker"},
	}, func(ctx context.Context, f *frame.Factory, _ []string) error { return home(ctx, f) })
	cmd.Hidden = true
	return cmd
}
