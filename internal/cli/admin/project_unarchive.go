package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/admin"
	"tasker/internal/op"
	"tasker/internal/task"
)

func newProjectUnarchive(f *frame.Factory) *cobra.Command {
	cmd := f.Command(frame.Spec{
		Use: "unarchive SLUG", Short: "Bring an archived project back", Args: frame.Exactly("a SLUG"), Example: []string{"tasker project unarchive demo"},
	}, runProjectUnarchive)
	cmd.ValidArgsFunction = f.CompleteProjects
	return cmd
}

func runProjectUnarchive(ctx context.Context, f *frame.Factory, args []string) error {
	return administer(ctx, f, op.ProjectArchive, admin.ProjectArchiveIn{Slug: args[0], Restore: true}, func(f *frame.Factory, p *task.Project) {
		f.Say("%s is back\n", p.Slug)
	})
}
