package admin

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/task"
)

func newProjectShow(f *frame.Factory) *cobra.Command {
	cmd := f.Command(frame.Spec{
		Use: "show [SLUG]", Short: op.Project.Summary, Args: frame.Between(0, 1),
		Example: []string{"tasker project show demo"},
	}, runProjectShow)
	cmd.ValidArgsFunction = f.CompleteProjects
	return cmd
}

func runProjectShow(ctx context.Context, f *frame.Factory, args []string) error {
	slug, err := slugOr(ctx, f, args)
	if err != nil {
		return err
	}
	return frame.Do(ctx, f, op.Project, core.ProjectIn{Slug: slug}, showProject)
}

func showProject(f *frame.Factory, p *reading.ProjectOut) {
	f.Out.Spans(term.Bold.Of(p.Slug))
	if p.Name != "" {
		f.Out.Printf("  %s", p.Name)
	}
	if p.Archived {
		f.Out.Printf("  (archived)")
	}
	f.Out.Printf("\n")
	if p.Vision != "" {
		render.Text(f, "  ", string(p.Vision))
	}
	for _, s := range task.Statuses {
		f.Out.Printf("  ")
		f.Out.Spans(render.Status(s))
		f.Out.Printf(": %d\n", *p.Tasks.Of(s))
	}
	for _, g := range p.GatesInForce {
		f.Out.Printf("  %s\n", g)
		if stored, ok := p.Gates[g.Name]; ok && !slices.Equal(stored, g.Requires) {
			f.Out.Printf("    the database says %s, which is not in force\n", core.KindsOf(stored))
		}
	}
}
