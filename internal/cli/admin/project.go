package admin

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/policy"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// NewProject returns the command `tasker project`.
func NewProject(f *frame.Factory) *cobra.Command {
	return f.Group(frame.Spec{
		Use: "project", Short: "List projects, and administer them",
		Example: []string{"tasker project list", "tasker project create demo --name Demo", "tasker project set demo agentDefaults.lease 30m"},
		Commands: []*cobra.Command{
			newProjectList(f), newProjectCreate(f), newProjectShow(f), newProjectSet(f), newProjectUnset(f), newProjectSettings(f),
			newProjectRename(f), newProjectMerge(f), newProjectArchive(f), newProjectUnarchive(f), newProjectDelete(f),
		},
	})
}

// administration names, in refusals, the commands that change a project and have no route.
const administration = "project administration"

// slugOr returns the project given as an argument, or else the one that the command line assumes.
func slugOr(a *frame.Args, args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return a.Project()
}

func newProjectList(f *frame.Factory) *cobra.Command {
	return frame.Operation(f, frame.Spec{
		Use: "list", Args: frame.Between(0, 0), Example: []string{"tasker project list"},
	}, op.Projects, frame.Nothing, showProjects)
}

func showProjects(f *frame.Factory, all []*task.Project) {
	if len(all) == 0 {
		f.Say("There is no project yet; a plan creates one: %s\n", f.AsCommand(hint.Apply()))
		return
	}
	cols := []term.Column{
		{Head: "PROJECT"}, {Head: "NAME", Flex: true}, {Head: "OPEN"}, {Head: "IN PROGRESS"}, {Head: "IN REVIEW", Drop: 1},
		{Head: "DONE"}, {Head: "CANCELLED", Drop: 2}, {Head: "CHANGED", Drop: 3},
	}
	f.Out.Table(cols, term.Rows(all, func(p *task.Project) []term.Span {
		c := p.Tasks
		return []term.Span{
			term.Bold.Of(p.Slug), {Text: string(p.Name) + words.When(p.Archived, " (archived)")}, term.Textf("%d", c.Open), term.Textf("%d", c.InProgress),
			term.Textf("%d", c.InReview), term.Textf("%d", c.Done), term.Textf("%d", c.Cancelled),
			term.Faint.Of(render.Ago(f, p.UpdatedAt)),
		}
	}))
}

func newProjectShow(f *frame.Factory) *cobra.Command {
	return frame.Operation(f, frame.Spec{
		Use: "show [SLUG]", Args: frame.Between(0, 1),
		Example:  []string{"tasker project show demo"},
		Complete: frame.InTurn(f.CompleteProjects),
	}, op.Project, func(a *frame.Args, args []string) core.ProjectIn { return core.ProjectIn{Slug: slugOr(a, args)} }, showProject)
}

func showProject(f *frame.Factory, p *reading.ProjectOut) {
	f.Out.Line(term.Bold.Of(p.Slug), term.Plain.Of(words.When(p.Name != "", "  "+string(p.Name))+words.When(p.Archived, "  (archived)")))
	if p.Vision != "" {
		render.Text(f, "  ", string(p.Vision))
	}
	for _, s := range task.Statuses {
		f.Out.Line(term.Textf("  "), render.Status(s), term.Textf(": %d", *p.Tasks.Of(s)))
	}
	for _, g := range p.GatesInForce {
		f.Out.Printf("  %s\n", g)
		if stored, ok := p.Gates[g.Name]; ok && !slices.Equal(stored, g.Here()) && !slices.Equal(stored, g.Requires) {
			f.Out.Printf("    the database says %s, which is not in force\n", policy.KindsOf(stored))
		}
	}
}

func newProjectCreate(f *frame.Factory) *cobra.Command {
	var in admin.ProjectCreateIn
	return frame.Operation(f, frame.Spec{
		Use: "create SLUG", Here: administration, Args: frame.Exactly("a SLUG"),
		Example: []string{"tasker project create demo", `tasker project create demo --name "The demo" --vision "Show it in a minute"`},
		Flags: []frame.Flag{
			frame.String(&in.Name, "name", "what people call it"),
			frame.String(&in.Vision, "vision", "what it is for"),
		},
	}, op.ProjectCreate, func(_ *frame.Args, args []string) admin.ProjectCreateIn {
		in.Slug = args[0]
		return in
	}, func(f *frame.Factory, p *task.Project) { f.Say("Created the project %s\n", p.Slug) })
}

func newProjectRename(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "rename SLUG NEW", Here: administration, Short: op.ProjectRename.Op.Summary, Args: frame.Exactly("a SLUG", "the NEW slug"),
		Example:  []string{"tasker project rename demo show"},
		Complete: frame.InTurn(f.CompleteProjects),
	}, runProjectRename)
}

func runProjectRename(ctx context.Context, f *frame.Factory, args []string) error {
	return frame.Do(ctx, f, op.ProjectRename, admin.ProjectRenameIn{Slug: args[0], To: args[1]}, func(f *frame.Factory, p *task.Project) {
		f.Say("%s is now %s, and its tasks are %s-1 and so on\n", args[0], p.Slug, p.Slug)
	})
}

// projectArchiveOptions holds the options of `tasker project archive`.
type projectArchiveOptions struct {
	restore bool
}

func newProjectArchive(f *frame.Factory) *cobra.Command {
	o := &projectArchiveOptions{}
	return f.Command(frame.Spec{
		Use: "archive SLUG", Here: administration, Short: op.ProjectArchive.Op.Summary, Args: frame.Exactly("a SLUG"), Example: []string{
			"tasker project archive demo",
			"tasker project archive demo --restore",
		},
		Flags: []frame.Flag{
			frame.Bool(&o.restore, "restore", "bring it back"),
		},
		Complete: frame.InTurn(f.CompleteProjects),
	}, o.run)
}

func (o *projectArchiveOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	return frame.Do(ctx, f, op.ProjectArchive, admin.ProjectArchiveIn{Slug: args[0], Restore: o.restore}, func(f *frame.Factory, p *task.Project) {
		if p.Archived {
			f.Say("%s is archived: it can be read, but not written\n", p.Slug)
			return
		}
		f.Say("%s is back\n", p.Slug)
	})
}

func newProjectUnarchive(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "unarchive SLUG", Here: administration, Short: "Bring an archived project back", Args: frame.Exactly("a SLUG"),
		Example:  []string{"tasker project unarchive demo"},
		Complete: frame.InTurn(f.CompleteProjects),
	}, (&projectArchiveOptions{restore: true}).run)
}
