package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/admin"
	"tasker/internal/op"
	"tasker/internal/words"
)

// projectMergeOptions are what the command line gives `tasker project merge`.
type projectMergeOptions struct {
	under string
	dry   bool
}

func newProjectMerge(f *frame.Factory) *cobra.Command {
	o := &projectMergeOptions{}
	cmd := f.Command(frame.Spec{
		Use: "merge SLUG INTO", Short: op.ProjectMerge.Summary, Args: frame.Exactly("a SLUG", "the project that it goes INTO"),
		Example: []string{"tasker project merge old demo --dry-run", "tasker project merge old demo", "tasker project merge old demo --under demo-4"},
		Long: "Tasks get new numbers in their order, and everything beside them, claims and events included, comes along. A key that the\n" +
			"other project has becomes SLUG:KEY. The old ids go on resolving, and the slug stays taken. It is one transaction; gates that\n" +
			"the two define otherwise, workspaces, issues that both are bound to, and keys that cannot be renamed are listed, and then nothing\n" +
			"is written.",
	}, o.run)
	cmd.Flags().StringVar(&o.under, "under", "", "an open task of the other project, which becomes the parent of the tasks that have none")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "say what would change, and write nothing")
	cmd.ValidArgsFunction = f.CompleteProjects
	return cmd
}

func (o *projectMergeOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	in := admin.ProjectMergeIn{Slug: args[0], Into: args[1], Under: o.under, DryRun: o.dry}
	return administer(ctx, f, op.ProjectMerge, in, func(f *frame.Factory, out admin.ProjectMergeOut) {
		for _, r := range out.Renamed {
			f.Out.Printf("~ key %s → %s\n", r.Key, r.To)
		}
		many := words.Count(out.Tasks, "task", "tasks")
		if out.DryRun {
			f.Out.Printf("%s of %s would go into %s, as %s-%d and so on\n", many, out.From, out.Project, out.Project, out.Shift+1)
			return
		}
		f.Say("%s of %s went into %s: %s-1 is %s-%d now, and so on\n", many, out.From, out.Project, out.From, out.Project, out.Shift+1)
	})
}
