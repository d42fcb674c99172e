package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/view"
)

func (f *factory) newOverview() *cobra.Command {
	var all bool
	var limit intFlag[int]
	cmd := f.command(spec{
		use: "overview", short: "Show how a project stands: its situation, your inbox, proven work, and what happened; with --all, every project", args: between(0, 0),
		example: []string{"tasker overview", "tasker overview --all"},
	}, func(ctx context.Context, f *factory, _ []string) error {
		if all {
			return do(ctx, f, op.Overview, core.None{}, (*factory).showOverview)
		}
		slug, err := f.oneProject(ctx)
		if err != nil {
			return err
		}
		return do(ctx, f, op.ProjectOverview, view.ProjectIn{Slug: slug, Limit: limit.n}, (*factory).showProjectOverview)
	})
	cmd.Flags().BoolVar(&all, "all", false, "every project with its situation")
	cmd.Flags().Var(&limit, "limit", "how many items and closed tasks to show, up to 1000 (default 50)")
	return cmd
}

func (f *factory) showOverview(out view.OverviewOut) {
	if len(out.Projects) == 0 {
		f.say("There is no project yet\n")
		return
	}
	cols := []column{
		{head: "PROJECT"}, {head: "CLOSED"}, {head: "READY"}, {head: "HELD", drop: 1}, {head: "BLOCKED", drop: 3},
		{head: "FOR HUMANS"}, {head: "OVERDUE", drop: 2}, {head: "LAST 7 DAYS", drop: 5}, {head: "LAST EVENT", drop: 4},
	}
	var rows [][]span
	for _, p := range out.Projects {
		s := p.Situation
		last := ""
		if s.LastEvent != nil {
			last = ago(s.LastEvent.At, f.now())
		}
		overdue := txt("%d", s.Overdue)
		if s.Overdue > 0 {
			overdue.style = red
		}
		rows = append(rows, []span{
			{p.Project, bold}, txt("%d%%", s.Progress), txt("%d", s.Ready), txt("%d", s.Held), txt("%d", s.Blocked), txt("%d", s.WaitingForHuman),
			overdue, txt("%d", s.ClosedLast7Days), {last, faint},
		})
	}
	f.out.table(cols, rows)
}

func (f *factory) showProjectOverview(out view.ProjectOverviewOut) {
	f.out.Spans(span{out.Project, bold}, txt("  %s", out.Situation.Sentence))
	f.out.Printf("\n%s closed in the last 7 days\n", count(out.Situation.ClosedLast7Days, "task was", "tasks were"))
	f.heading("Inbox")
	f.showInbox(out.Inbox, false)
	f.heading("Since your mark")
	f.showBrief(out.Briefing)
	if len(out.Proof.Closed) == 0 {
		return
	}
	f.heading(txt("Closed in the last %d days", out.Proof.Days).text)
	for _, p := range out.Proof.Closed {
		f.out.Spans(txt("  "), statusSpan(p.Status))
		f.out.Printf("  %s  %s (%s, %s)\n", p.Task, p.Title, p.ClosedBy, ago(p.ClosedAt, f.now()))
	}
	f.say("With what proves it: tasker proof -p %s\n", out.Project)
}

func (f *factory) newBrief() *cobra.Command {
	var in view.BriefIn
	cmd := f.command(spec{
		use: "brief", short: op.Brief.Summary, args: between(0, 0),
		example: []string{"tasker brief", "tasker brief --since 1d"},
		long:    "Your mark is the one that tasker estate seen keeps.",
	}, func(ctx context.Context, f *factory, _ []string) (err error) {
		if in.Slug, err = f.oneProject(ctx); err != nil {
			return err
		}
		if d, err := config.ParseDuration(in.Since); err == nil {
			in.Since = task.TimeOf(f.now().Add(-d)).String()
		}
		return do(ctx, f, op.Brief, in, (*factory).showBrief)
	})
	cmd.Flags().StringVar(&in.Since, "since", "", "from then on: an RFC 3339 time, or a duration such as 2h back from now")
	return cmd
}

// showBrief prints what each actor did.
func (f *factory) showBrief(out view.BriefOut) {
	if len(out.Actors) == 0 {
		f.say("Nothing was closed, reopened, forced, sent back or asked\n")
		return
	}
	for _, a := range out.Actors {
		f.out.Spans(span{a.Actor, bold})
		f.out.Printf(" (%s)\n", a.Kind)
		f.deeds("closed", green, a.Closed)
		f.deeds("forced", red, a.Forced)
		f.deeds("reopened", yellow, a.Reopened)
		f.deeds("let lapse", yellow, a.Lapsed)
		f.deeds("sent back", yellow, a.SentBack)
		f.deeds("asked", cyan, a.Asked)
	}
	if out.More {
		f.say("and more before that: tasker events -p %s\n", out.Project)
	}
}

func (f *factory) deeds(word string, look style, all []view.Deed) {
	for _, d := range all {
		f.out.Spans(txt("  "), span{word, look})
		f.out.Printf("  %s  %s: %s (%s)\n", d.Task, d.Title, cut(inert(d.Text, false), 80), ago(d.At, f.now()))
	}
}
