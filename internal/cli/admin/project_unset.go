package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/admin"
)

func newProjectUnset(f *frame.Factory) *cobra.Command {
	cmd := f.Command(frame.Spec{
		Use: "unset SLUG KEY", Short: "Take a setting out of those that the database keeps for a project", Args: frame.Exactly("a SLUG", "a KEY"),
		Example: []string{"tasker project unset demo agentDefaults.lease"},
	}, runProjectUnset)
	cmd.ValidArgsFunction = completeSetting(f)
	return cmd
}

func runProjectUnset(ctx context.Context, f *frame.Factory, args []string) error {
	return setting(ctx, f, admin.ProjectSetIn{Slug: args[0], Key: args[1]})
}
