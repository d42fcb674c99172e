package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

func newProjectCreate(f *frame.Factory) *cobra.Command {
	var in core.ProjectCreateIn
	cmd := f.Command(frame.Spec{
		Use: "create SLUG", Short: op.ProjectCreate.Summary, Args: frame.Exactly("a SLUG"),
		Example: []string{"tasker project create demo", `tasker project create demo --name "The demo" --vision "Show it in a minute"`},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		in.Slug = args[0]
		return administer(ctx, f, op.ProjectCreate, in, func(f *frame.Factory, p *task.Project) { f.Say("Created the project %s\n", p.Slug) })
	})
	cmd.Flags().StringVar(&in.Name, "name", "", "what people call it")
	cmd.Flags().StringVar(&in.Vision, "vision", "", "what it is for")
	return cmd
}
