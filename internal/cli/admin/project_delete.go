package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
	"tasker/internal/words"
)

// projectDeleteOptions are what the command line gives `tasker project delete`.
type projectDeleteOptions struct {
	yes bool
}

func newProjectDelete(f *frame.Factory) *cobra.Command {
	o := &projectDeleteOptions{}
	cmd := f.Command(frame.Spec{
		Use: "delete SLUG", Short: op.ProjectDelete.Summary, Args: frame.Exactly("a SLUG"), Example: []string{"tasker project delete demo --yes"},
	}, o.run)
	cmd.Flags().BoolVar(&o.yes, "yes", false, "really delete it")
	cmd.ValidArgsFunction = f.CompleteProjects
	return cmd
}

func (o *projectDeleteOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if !o.yes {
		return fault.Bad("this deletes %s with all its tasks, notes and events, for good", args[0]).
			WithHint("say that you mean it: %s; to only put it away: %s",
				remedy.Command("project delete "+words.Shell(args[0])+" --yes"), remedy.Command("project archive "+words.Shell(args[0])))
	}
	return administer(ctx, f, op.ProjectDelete, core.ProjectIn{Slug: args[0]}, func(f *frame.Factory, p *task.Project) {
		f.Say("Deleted the project %s\n", p.Slug)
	})
}
