package inbox

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/hint"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/text/words"
)

// overviewOptions holds the options of `tasker overview`.
type overviewOptions struct {
	all bool
	in  inbox.ProjectOverviewIn
}

// NewOverview returns the command `tasker overview`.
func NewOverview(f *frame.Factory) *cobra.Command {
	o := &overviewOptions{}
	return f.Command(frame.Spec{
		Use: "overview", Short: "Show how a project stands: its situation, your inbox, proven work, and what happened; with --all, every project",
		Args:    frame.Between(0, 0),
		Example: []string{"tasker overview", "tasker overview --all"},
		Flags: []frame.Flag{
			frame.Bool(&o.all, "all", "every project with its situation"),
			frame.MaybeInt(&o.in.Limit, "limit", "how many items and closed tasks to show, up to 1000 (default 50)"),
			frame.At(&o.in.At),
		},
	}, o.run)
}

func (o *overviewOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	if o.all {
		return frame.Do(ctx, f, op.Overview, core.None{}, showOverview)
	}
	a := f.Args(ctx)
	o.in.Slug = a.Project()
	return frame.DoWith(a, op.ProjectOverview, o.in, showProjectOverview)
}

func showOverview(f *frame.Factory, out inbox.OverviewOut) {
	if len(out.Projects) == 0 {
		f.Say("There is no project yet\n")
		return
	}
	cols := []term.Column{
		{Head: "PROJECT"}, {Head: "CLOSED"}, {Head: "READY"}, {Head: "HELD", Drop: 1}, {Head: "BLOCKED", Drop: 3},
		{Head: "STUCK"}, {Head: "FOR HUMANS"}, {Head: "OVERDUE", Drop: 2}, {Head: "LAST 7 DAYS", Drop: 5}, {Head: "LAST EVENT", Drop: 4},
	}
	f.Out.Table(cols, term.Rows(out.Projects, func(p inbox.Standing) []term.Span {
		s := p.Situation
		last := ""
		if s.LastEvent != nil {
			last = render.Ago(f, s.LastEvent.At)
		}
		stuck, overdue := term.Textf(""), term.Textf("%d", s.Overdue)
		if s.Stuck != nil {
			stuck = term.Textf("%d", *s.Stuck)
		}
		if s.Stuck != nil && *s.Stuck > 0 {
			stuck.Style = term.Red
		}
		if s.Overdue > 0 {
			overdue.Style = term.Red
		}
		return []term.Span{
			term.Bold.Of(p.Project), term.Textf("%d%%", s.Progress), term.Textf("%d", s.Ready), term.Textf("%d", s.Held), term.Textf("%d", s.Blocked),
			stuck, term.Textf("%d", s.WaitingForHuman), overdue, term.Textf("%d", s.ClosedLast7Days), term.Faint.Of(last),
		}
	}))
}

func showProjectOverview(f *frame.Factory, out inbox.ProjectOverviewOut) {
	f.Out.Spans(term.Bold.Of(out.Project), term.Textf("  %s", out.Situation.Sentence))
	f.Out.Printf("\n%s closed in the last 7 days\n", words.Count(out.Situation.ClosedLast7Days, "task was", "tasks were"))
	if n := out.Situation.Stuck; n != nil && *n > 0 {
		f.Out.Printf("%s stuck: %s\n", words.Count(*n, "task is", "tasks are"), f.AsCommand(hint.Command("list --mark stuck -p "+out.Project)))
	}
	if n := out.Situation.Unlanded; n != nil {
		render.Unlanded(f, out.Project, *n)
	}
	if out.At != nil {
		render.Was(f, out.At)
		return
	}
	render.Heading(f, "Inbox")
	showInbox(f, out.Inbox, false, true)
	render.Heading(f, "Since your mark")
	showBrief(f, out.Briefing)
	if len(out.Proof.Closed) == 0 {
		return
	}
	render.Heading(f, "Closed in the last "+words.Count(out.Proof.Days, "day", "days"))
	for _, p := range out.Proof.Closed {
		f.Out.Line(term.Textf("  "), render.Status(p.Status), term.Textf("  %s  %s (%s, %s)", p.Task, p.Title, p.ClosedBy, render.Ago(f, p.ClosedAt)))
	}
	f.Say("With what proves it: %s\n", f.AsCommand(hint.Command("proof -p "+out.Project)))
}
