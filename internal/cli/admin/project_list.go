package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

func newProjectList(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "list", Short: op.Projects.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker project list"},
	}, runProjectList)
}

func runProjectList(ctx context.Context, f *frame.Factory, _ []string) error {
	return frame.Do(ctx, f, op.Projects, core.None{}, showProjects)
}

func showProjects(f *frame.Factory, all []*task.Project) {
	if len(all) == 0 {
		f.Say("There is no project yet; a plan makes one: %s\n", f.AsCommand(remedy.Apply()))
		return
	}
	cols := []term.Column{
		{Head: "PROJECT"}, {Head: "NAME", Flex: true}, {Head: "OPEN"}, {Head: "IN PROGRESS"}, {Head: "IN REVIEW", Drop: 1},
		{Head: "DONE"}, {Head: "CANCELLED", Drop: 2}, {Head: "CHANGED", Drop: 3},
	}
	var rows [][]term.Span
	for _, p := range all {
		name := string(p.Name)
		if p.Archived {
			name += " (archived)"
		}
		c := p.Tasks
		rows = append(rows, []term.Span{
			term.Bold.Of(p.Slug), {Text: name}, term.Textf("%d", c.Open), term.Textf("%d", c.InProgress),
			term.Textf("%d", c.InReview), term.Textf("%d", c.Done), term.Textf("%d", c.Cancelled),
			term.Faint.Of(render.Ago(f, p.UpdatedAt)),
		})
	}
	f.Out.Table(cols, rows)
}
