package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/admin"
	"tasker/internal/op"
	"tasker/internal/task"
)

// projectArchiveOptions are what the command line gives `tasker project archive`.
type projectArchiveOptions struct {
	restore bool
}

func newProjectArchive(f *frame.Factory) *cobra.Command {
	o := &projectArchiveOptions{}
	cmd := f.Command(frame.Spec{
		Use: "archive SLUG", Short: op.ProjectArchive.Summary, Args: frame.Exactly("a SLUG"), Example: []string{
			"tasker project archive demo",
			"tasker project archive demo --restore",
		},
	}, o.run)
	cmd.Flags().BoolVar(&o.restore, "restore", false, "bring it back")
	cmd.ValidArgsFunction = f.CompleteProjects
	return cmd
}

func (o *projectArchiveOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	return administer(ctx, f, op.ProjectArchive, admin.ProjectArchiveIn{Slug: args[0], Restore: o.restore}, func(f *frame.Factory, p *task.Project) {
		if p.Archived {
			f.Say("%s is archived: it can be read, and not written\n", p.Slug)
			return
		}
		f.Say("%s is back\n", p.Slug)
	})
}
