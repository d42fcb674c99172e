package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/admin"
	"tasker/internal/op"
	"tasker/internal/task"
)

func newProjectRename(f *frame.Factory) *cobra.Command {
	cmd := f.Command(frame.Spec{
		Use: "rename SLUG NEW", Short: op.ProjectRename.Summary, Args: frame.Exactly("a SLUG", "the NEW slug"), Example: []string{"tasker project rename demo show"},
	}, runProjectRename)
	cmd.ValidArgsFunction = f.CompleteProjects
	return cmd
}

func runProjectRename(ctx context.Context, f *frame.Factory, args []string) error {
	return administer(ctx, f, op.ProjectRename, admin.ProjectRenameIn{Slug: args[0], To: args[1]}, func(f *frame.Factory, p *task.Project) {
		f.Say("%s is now %s, and its tasks are %s-1 and so on\n", args[0], p.Slug, p.Slug)
	})
}
