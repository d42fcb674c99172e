package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/admin"
	"tasker/internal/op"
	"tasker/internal/task"
)

// projectCreateOptions are what the command line gives `tasker project create`.
type projectCreateOptions struct {
	in admin.ProjectCreateIn
}

func newProjectCreate(f *frame.Factory) *cobra.Command {
	o := &projectCreateOptions{}
	cmd := f.Command(frame.Spec{
		Use: "create SLUG", Short: op.ProjectCreate.Summary, Args: frame.Exactly("a SLUG"),
		Example: []string{"tasker project create demo", `tasker project create demo --name "The demo" --vision "Show it in a minute"`},
	}, o.run)
	cmd.Flags().StringVar(&o.in.Name, "name", "", "what people call it")
	cmd.Flags().StringVar(&o.in.Vision, "vision", "", "what it is for")
	return cmd
}

func (o *projectCreateOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	o.in.Slug = args[0]
	return administer(ctx, f, op.ProjectCreate, o.in, func(f *frame.Factory, p *task.Project) { f.Say("Created the project %s\n", p.Slug) })
}
