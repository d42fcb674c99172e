package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/view"
)

// projectView declares a command that shows one read of the project, and repaints it with --watch.
func projectView[Out any](f *factory, s spec, o op.Of[view.ProjectIn, Out], render func(*factory, Out), watched bool) *cobra.Command {
	var limit intFlag[int]
	var watch bool
	s.short, s.args = o.Summary, between(0, 0)
	cmd := f.command(s, func(ctx context.Context, f *factory, _ []string) error {
		slug, err := f.oneProject(ctx)
		if err != nil {
			return err
		}
		paint := func(ctx context.Context) error {
			return do(ctx, f, o, view.ProjectIn{Slug: slug, Limit: limit.n}, render)
		}
		if watch {
			return f.watch(ctx, core.EventsIn{Project: slug}, paint)
		}
		return paint(ctx)
	})
	cmd.Flags().Var(&limit, "limit", "how many to show of each, up to 1000 (default 50)")
	if watched {
		watchFlag(cmd.Flags(), &watch)
	}
	return cmd
}

func watchFlag(fs *pflag.FlagSet, watch *bool) {
	fs.BoolVar(watch, "watch", false, "paint it again whenever something happens, until you stop it")
}

func (f *factory) newBoard() *cobra.Command {
	return projectView(f, spec{use: "board", example: []string{"tasker board", "tasker board --watch", "tasker board --limit 5 --json"}}, op.Board, (*factory).showBoard, true)
}

func (f *factory) showBoard(b view.BoardOut) {
	for i, c := range b.Columns {
		if i > 0 {
			f.out.Printf("\n")
		}
		f.out.Spans(statusSpan(c.Status), txt("  %s", count(c.Total, "task", "tasks")))
		f.out.Printf("\n")
		f.showCards(c.Tasks)
		if more := c.Total - len(c.Tasks); more > 0 {
			f.out.Printf("and %d more: tasker list --status %s\n", more, c.Status)
		}
	}
}

func (f *factory) newMachine() *cobra.Command {
	return projectView(f, spec{use: "machine", example: []string{"tasker machine", "tasker machine --watch"}}, op.Machine, (*factory).showMachine, true)
}

func (f *factory) showMachine(m view.MachineOut) {
	if len(m.Actors) == 0 {
		f.say("Nobody holds a task in %s. Begin: tasker next --claim\n", m.Project)
		return
	}
	for _, a := range m.Actors {
		f.out.Spans(span{a.Actor, bold}, txt("  %s", a.Kind))
		switch {
		case len(a.Holding) > 0:
			f.out.Printf("\n")
		case a.IdleSince == 0:
			f.out.Printf(", has done nothing here yet\n")
		default:
			f.out.Printf(", idle since %s\n", ago(a.IdleSince, f.now()))
		}
		f.showLeases(a.Holding, false)
	}
}

func (f *factory) showLeases(leases []view.Lease, who bool) {
	if len(leases) == 0 {
		return
	}
	cols := []column{{head: "ID"}, {head: "TITLE", flex: true}, {head: "HELD BY"}, {head: "SINCE", drop: 4}, {head: "LEFT", drop: 1}, {head: "CRITERIA", drop: 2}, {head: "LAST", drop: 3}}
	if !who {
		cols[2].head = ""
	}
	var rows [][]span
	for _, l := range leases {
		left, last, holder := "no end", "", ""
		if l.ExpiresAt != 0 {
			left = until(l.ExpiresAt, f.now())
		}
		if l.LastEvent != nil {
			last = string(l.LastEvent.Kind) + " " + ago(l.LastEvent.At, f.now())
		}
		if who {
			holder = string(l.Actor)
		}
		rows = append(rows, []span{
			{string(l.Task), bold}, txt("%s", l.Title), txt("%s", holder), {ago(l.Since, f.now()), faint}, txt("%s", left),
			txt("%d of %d", l.Progress.Checked, l.Progress.Total), {last, faint},
		})
	}
	f.out.table(cols, rows)
}

func (f *factory) newWork() *cobra.Command {
	return projectView(f, spec{use: "work", example: []string{"tasker work", "tasker work --watch", "tasker work --limit 10 --json"}}, op.Work, (*factory).showWork, true)
}

func (f *factory) showWork(w view.WorkOut) {
	f.out.Spans(span{"Ready", bold}, txt(": %d", w.Totals.Ready))
	f.out.Printf("\n")
	f.showTasks(w.Frontier)
	for i, b := range w.Batches {
		f.out.Printf("\nAt once (%d): %s\n", i+1, list(b.Tasks))
		if len(b.Undeclared) > 0 {
			f.out.Printf("  say nothing of what they touch: %s\n", list(b.Undeclared))
		}
		for _, a := range b.Apart {
			f.out.Printf("  %s waits for %s: %s\n", a.B, a.A, a.Why)
		}
	}
	if len(w.Blocked) > 0 {
		f.out.Printf("\n")
		f.out.Spans(span{"Waiting", bold}, txt(": %d for open tasks", w.Totals.Blocked))
		f.out.Printf("\n")
		var rows [][]span
		for _, b := range w.Blocked {
			act := ""
			if b.ActOn != nil {
				act = string(b.ActOn.Task)
				if b.ActOn.Holder != "" {
					act += " (" + string(b.ActOn.Holder) + ")"
				}
			}
			rows = append(rows, []span{{string(b.Task), bold}, txt("%s", b.Title), txt("%s", list(b.WaitsFor)), txt("%s", act)})
		}
		f.out.table([]column{{head: "ID"}, {head: "TITLE", flex: true}, {head: "WAITS FOR", drop: 1}, {head: "ACT ON"}}, rows)
	}
	if len(w.Leases) > 0 {
		f.out.Printf("\n")
		f.out.Spans(span{"Held", bold}, txt(": %d", w.Totals.Held))
		f.out.Printf("\n")
		f.showLeases(w.Leases, true)
	}
}

func (f *factory) newBottlenecks() *cobra.Command {
	return projectView(f, spec{use: "bottlenecks", example: []string{"tasker bottlenecks", "tasker bottlenecks --limit 5 --json"}}, op.Bottlenecks, func(f *factory, b view.BottlenecksOut) {
		if len(b.Items) == 0 {
			f.say("Nothing in %s waits for anything\n", b.Project)
			return
		}
		var rows [][]span
		for _, it := range b.Items {
			rows = append(rows, []span{
				{string(it.Task), bold}, statusSpan(it.Status), txt("%d", it.Transitive), txt("%d", it.Direct), txt("%d", it.Depth),
				txt("%s", it.Title), txt("%s", it.Holder),
			})
		}
		f.out.table([]column{{head: "ID"}, {head: "STATUS", drop: 1}, {head: "HOLDS UP"}, {head: "DIRECTLY", drop: 3}, {head: "DEPTH", drop: 4}, {head: "TITLE", flex: true}, {head: "HELD BY", drop: 2}}, rows)
	}, false)
}

func (f *factory) newProof() *cobra.Command {
	var days, limit intFlag[int]
	cmd := f.command(spec{use: "proof", short: op.Proof.Summary, args: between(0, 0), example: []string{"tasker proof", "tasker proof --days 7 --json"}},
		func(ctx context.Context, f *factory, _ []string) error {
			slug, err := f.oneProject(ctx)
			if err != nil {
				return err
			}
			return do(ctx, f, op.Proof, view.ProofIn{Slug: slug, Days: days.n, Limit: limit.n}, (*factory).showProof)
		})
	cmd.Flags().Var(&days, "days", "how many days back (default 30)")
	cmd.Flags().Var(&limit, "limit", "how many to show, up to 1000 (default 50)")
	return cmd
}

func (f *factory) showProof(p view.ProofOut) {
	if len(p.Closed) == 0 {
		f.say("Nothing was closed in %s in the last %s\n", p.Project, count(p.Days, "day", "days"))
		return
	}
	for _, c := range p.Closed {
		f.out.Spans(span{string(c.Task), bold}, txt("  "), statusSpan(c.Status))
		f.out.Printf("  %s\n", c.Title)
		how := "closed " + ago(c.ClosedAt, f.now())
		if c.ClosedBy != "" {
			how += " by " + string(c.ClosedBy)
		}
		if c.Recorded {
			how += ", recorded, not checked"
		}
		f.out.Printf("  %s\n", how)
		for _, e := range c.Evidence {
			f.out.Printf("  evidence %s: %s\n", e.Kind, f.evidenceWords(e, c.Status))
		}
		for _, a := range c.Approvals {
			stale := ""
			if a.Stale {
				stale = ", no longer counts"
			}
			f.out.Printf("  %s by %s%s\n", a.Kind, a.Actor, stale)
		}
		for _, o := range c.Overrides {
			f.out.Printf("  forced by %s past %s\n", o.Actor, list(o.Passed))
		}
	}
	more := ""
	if p.Tally.More {
		more = ", and more: --limit"
	}
	f.say("%d in %s: %d done, %d cancelled, %d with evidence, %d approved, %d forced%s\n", p.Tally.Total, count(p.Days, "day", "days"),
		p.Tally.Done, p.Tally.Cancelled, p.Tally.Evidence, p.Tally.Approved, p.Tally.Overrides, more)
}

func (f *factory) newSubtree() *cobra.Command {
	return f.command(spec{use: "subtree ID", short: op.Subtree.Summary, args: exactly("ID"), ids: true, example: []string{"tasker subtree demo-1"}},
		func(ctx context.Context, f *factory, args []string) error {
			id, err := f.task(ctx, args[0])
			if err != nil {
				return err
			}
			return do(ctx, f, op.Subtree, view.TaskIn{Task: id}, (*factory).showSubtree)
		})
}

// showSubtree prints the tree line by line, without recursion: a stack of what is still to print.
func (f *factory) showSubtree(s view.SubtreeOut) {
	r := s.Rollup
	f.out.Printf("%s: %s below, %d%% closed, %d of %d criteria\n", s.Task, count(r.Total, "task", "tasks"), r.Progress, r.Criteria.Checked, r.Criteria.Total)
	type line struct {
		n      *view.Node
		indent string
		last   bool
	}
	var todo []line
	push := func(children []*view.Node, indent string) {
		for i := len(children) - 1; i >= 0; i-- {
			todo = append(todo, line{children[i], indent, i == len(children)-1})
		}
	}
	push(s.Children, "")
	for len(todo) > 0 {
		l := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		branch, below := "├ ", "│ "
		if l.last {
			branch, below = "└ ", "  "
		}
		f.out.Spans(span{l.indent + branch, faint}, span{string(l.n.ID), bold}, txt("  "), statusSpan(l.n.Status))
		f.out.Printf("  %s\n", l.n.Title)
		if l.n.Truncated {
			f.out.Printf("%s  … more: tasker subtree %s\n", l.indent+below, l.n.ID)
		}
		push(l.n.Children, l.indent+below)
	}
}

func (f *factory) newGraph() *cobra.Command {
	var up, down intFlag[int]
	cmd := f.command(spec{use: "graph ID", short: op.Graph.Summary, args: exactly("ID"), ids: true, example: []string{"tasker graph demo-4", "tasker graph demo-4 --upstream 8 --downstream 0 --json"}},
		func(ctx context.Context, f *factory, args []string) error {
			id, err := f.task(ctx, args[0])
			if err != nil {
				return err
			}
			return do(ctx, f, op.Graph, view.GraphIn{Task: id, Upstream: up.n, Downstream: down.n}, (*factory).showGraph)
		})
	cmd.Flags().Var(&up, "upstream", "how far to look at what it waits for, up to 8 (default 3)")
	cmd.Flags().Var(&down, "downstream", "how far to look at what waits for it, up to 8 (default 3)")
	return cmd
}

func (f *factory) showGraph(g view.GraphOut) {
	waits := map[task.ID][]task.ID{}
	for _, e := range g.Edges {
		waits[e.From] = append(waits[e.From], e.To)
	}
	var rows [][]span
	for _, n := range g.Nodes {
		more := ""
		if n.Truncated {
			more = "…"
		}
		rows = append(rows, []span{txt("%+d", n.Depth), {string(n.ID), bold}, statusSpan(n.Status), txt("%s", n.Title), txt("%s", list(waits[n.ID])), txt("%s", more)})
	}
	f.out.table([]column{{head: "STEP"}, {head: "ID"}, {head: "STATUS"}, {head: "TITLE", flex: true}, {head: "WAITS FOR", drop: 1}, {head: ""}}, rows)
}
