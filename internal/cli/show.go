package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newShow() *cobra.Command {
	var budget intFlag[int]
	cmd := f.command(spec{
		use: "show ID…", short: op.Show.Summary, ids: true, many: true, args: between(1, -1, "the ID of a task"),
		example: []string{"tasker show demo-4", "tasker show demo-4 --json", "tasker show demo-4 --json --budget 4000"},
		long:    "A budget is in o200k tokens of the JSON answer: exact for models with that vocabulary, an estimate for others. Where it\nis too small the least needed is left out first, and named in budget.omitted with the command that fetches it.\nWithout --budget, agentDefaults.budget counts, then context.bundleBudget.",
	}, func(ctx context.Context, f *factory, args []string) error {
		return each(ctx, f, args, func(ctx context.Context, id string) (*core.Bundle, error) {
			return call(ctx, f, op.Show, core.ShowIn{Task: id, Budget: budget.n})
		}, (*factory).showBundle)
	})
	cmd.Flags().Var(&budget, "budget", "how many tokens the JSON may take")
	return cmd
}

// showBundle prints everything that a worker needs to know of a task.
func (f *factory) showBundle(b *core.Bundle) {
	t, out := b.Task, f.out
	out.Spans(span{string(t.ID), bold}, txt("  "), statusSpan(t.Status), txt("  "), span{t.Title, bold})
	out.Printf("\n")
	f.facts(t)
	if t.Body != "" {
		out.Printf("\n")
		out.Block("  ", string(t.Body))
	}
	above := make([]core.Brief, len(b.Ancestors))
	for i, a := range b.Ancestors {
		above[i] = core.Brief{ID: a.ID, Title: a.Title, Status: a.Status}
	}
	f.briefs("Part of", above)
	f.briefs("Parts", b.Children)
	f.briefs("Waits for", b.Deps)
	f.briefs("Waited for by", b.Dependents)
	if len(b.Criteria) > 0 {
		f.heading("Criteria")
		f.criteria(b.Criteria)
	}
	f.gate(b.Gate)
	f.approvals(b.Approvals)
	if len(b.Evidence) > 0 {
		f.heading("Evidence")
		for _, e := range b.Evidence {
			out.Printf("  %s: %s%s (%s, %s)\n", e.Kind, f.evidenceWords(e, t.Status), remark(e.Note), e.Actor, ago(e.At, f.now()))
		}
	}
	if len(b.Links) > 0 {
		f.heading("Links")
		for _, l := range b.Links {
			out.Printf("  %s: %s%s\n", l.Kind, l.Ref, remark(l.Note))
		}
	}
	if len(b.Notes) > 0 {
		f.heading("Notes")
		for _, n := range b.Notes {
			out.Printf("  %s, %s:\n", n.Actor, ago(n.At, f.now()))
			out.Block("    ", n.Text)
		}
	}
	if len(b.Questions) > 0 {
		f.heading("Questions")
		for _, q := range b.Questions {
			out.Printf("  %d, %s asks:\n", q.ID, q.Actor)
			out.Block("    ", q.Text)
			if q.Answer != "" {
				out.Printf("  %s answers:\n", q.AnsweredBy)
				out.Block("    ", string(q.Answer))
			}
		}
	}
	if len(b.Decisions) > 0 {
		f.heading("Decisions")
		for _, d := range b.Decisions {
			out.Printf("  %s%s (%s, %s)\n", d.Title, remark(d.Rationale), d.Actor, ago(d.At, f.now()))
		}
	}
	if len(b.Bindings) > 0 {
		f.heading("Bound to")
		for _, x := range b.Bindings {
			out.Printf("  %s %s%s%s\n", x.Kind, x.Ref, remark(x.State), remark(x.URL))
		}
	}
	f.guidance(b.Guidance)
	f.omitted(b.Budget)
	f.warn(b.Warnings)
}

// guidance prints the tracked files, and what became of them.
func (f *factory) guidance(all []bundle.Guidance) {
	if len(all) == 0 {
		return
	}
	f.heading("Guidance")
	for _, g := range all {
		f.out.Printf("  %s", g.Path)
		if g.Drift != "" {
			f.out.Spans(span{" (" + string(g.Drift) + " since the claim)", yellow})
		}
		f.out.Printf("\n")
	}
}

// omitted says what is not there for want of room, and how to get it.
func (f *factory) omitted(b bundle.Budget) {
	if len(b.Omitted) == 0 || f.flags.quiet {
		return
	}
	f.heading("Left out")
	for _, o := range b.Omitted {
		size := "more"
		if o.Items != nil {
			size = txt("%d", *o.Items).text
		}
		if o.Tokens != nil {
			size += txt(", %d tokens", *o.Tokens).text
		}
		f.out.Printf("  %s (%s): %s\n", o.Part, size, o.Command)
	}
	if b.Used != nil {
		f.out.Printf("  used %d of %d tokens\n", *b.Used, *b.Limit)
	}
}

// facts prints the short fields that a task has, a line each.
func (f *factory) facts(t *task.Task) {
	line := func(name, value string) {
		if value != "" {
			f.out.Spans(span{"  " + name + ": ", faint})
			f.out.Printf("%s\n", value)
		}
	}
	if t.Key != string(t.ID) {
		line("key", t.Key)
	}
	if c := t.Claim; c != nil {
		line("held by", c.Actor+", "+until(c.ExpiresAt, f.now()))
	}
	line("priority", txt("%d", t.Priority).text)
	if t.Severity != 0 {
		line("severity", txt("%d", t.Severity).text)
	}
	line("due", string(t.Due))
	line("autonomy", string(t.Autonomy))
	line("preferred", string(t.PreferredActor))
	line("may execute", list(t.MayExecute))
	line("touches", list(t.Touches))
	line("sprint", string(t.Sprint))
	if t.Attempts > 0 {
		line("failed attempts", txt("%d", t.Attempts).text)
	}
	line("version", txt("%d, changed %s", t.Version, ago(t.UpdatedAt, f.now())).text)
	if t.ClosedAt != 0 {
		line("closed", ago(t.ClosedAt, f.now()))
	}
}

func (f *factory) heading(words string) {
	f.out.Printf("\n")
	f.out.Spans(span{words, bold})
	f.out.Printf("\n")
}

func (f *factory) briefs(head string, all []core.Brief) {
	if len(all) == 0 {
		return
	}
	f.heading(head)
	for _, b := range all {
		f.out.Spans(txt("  "), statusSpan(b.Status))
		f.out.Printf("  %s  %s\n", b.ID, b.Title)
	}
}

func (f *factory) criteria(all []task.Criterion) {
	for _, c := range all {
		if c.Checked {
			f.out.Spans(span{txt("  [x] %d. ", c.Index).text, green})
			f.out.Printf("%s (%s)\n", c.Text, c.CheckedBy)
			continue
		}
		f.out.Printf("  [ ] %d. %s\n", c.Index, c.Text)
	}
}

func (f *factory) gate(g *core.GateState) {
	if g == nil {
		return
	}
	f.heading("Gate " + g.Name)
	switch {
	case !g.Defined:
		f.out.Printf("  is defined nowhere: the task cannot be done until it is\n")
	case len(g.Missing) == 0:
		f.out.Printf("  has all evidence it asks for: %s\n", list(g.Requires))
	default:
		f.out.Printf("  asks for %s; missing: %s\n", list(g.Requires), list(g.Missing))
	}
}

func (f *factory) approvals(a core.ApprovalState) {
	if len(a.Required) == 0 && len(a.Given) == 0 {
		return
	}
	f.heading("Approvals")
	for _, n := range a.Missing {
		by := "any human"
		switch {
		case n.Role != "":
			by = string(n.Role)
		case n.Actor != "":
			by = string(n.Actor)
		}
		f.out.Printf("  missing: %s by %s%s\n", n.Kind, by, remark(n.Reason))
	}
	for _, g := range a.Given {
		stale := ""
		if g.Stale {
			stale = ", no longer counts"
		}
		f.out.Printf("  %s by %s%s (%s%s)\n", g.Kind, g.Actor, remark(g.Note), ago(g.At, f.now()), stale)
	}
}

func remark(note task.Opt) string {
	if note == "" {
		return ""
	}
	return ": " + string(note)
}
