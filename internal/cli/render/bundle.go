package render

import (
	"cmp"
	"fmt"
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/config"
	"tasker/internal/hint"
	"tasker/internal/op/summary"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Bundle prints a summary of what a worker needs to know about a task.
func Bundle(f *frame.Factory, b *bundle.Bundle) { show(f, b, summary.BundleOf(b), false) }

// claimed prints a task whose claim the line above already reports, without what a worker has no use for.
func claimed(f *frame.Factory, b *bundle.Bundle) { show(f, b, summary.BundleOf(b), true) }

// Whole prints everything that a worker needs to know about a task.
func Whole(f *frame.Factory, b *bundle.Bundle) { show(f, b, summary.Uncut(b), false) }

// show prints the short form of a bundle; all is the whole bundle, for the few parts that the short form lacks.
func show(f *frame.Factory, all, b *bundle.Bundle, claimed bool) {
	out, t := f.Out, all.Task
	if claimed {
		out.Line(term.Bold.Of(t.Title))
	} else {
		out.Line(term.Bold.Of(string(t.ID)), term.Textf("  "), Mark(task.States[whole(f, t).State()]), term.Textf("  "), term.Bold.Of(t.Title))
	}
	Cause(f, all.ActOn)
	facts(f, t, claimed)
	if t.Body != "" {
		out.Printf("\n")
		Text(f, "  ", string(t.Body))
	}
	neighbours(f, b, claimed)
	if len(t.Criteria) > 0 {
		Heading(f, "Criteria")
		Criteria(f, t)
	}
	gate(f, b.Task.Project, b.Gate, claimed)
	approvals(f, b.Approvals)
	if len(b.Evidence) > 0 {
		Heading(f, "Evidence")
		recorded := all.Evidence[len(all.Evidence)-len(b.Evidence):] // the newest ones, in the order they were recorded
		for i, e := range b.Evidence {
			out.Printf("  %d, %s: %s%s%s (%s, %s)\n", e.ID, e.Kind, inFull(e.Value, recorded[i]), stale(f, all, recorded[i]), remark(e.Note), e.Actor, Ago(f, e.At))
		}
	}
	changedPaths(f, t.Status, b.Changed)
	if on := b.FoundOn.Words(); on != "" {
		out.Printf("  its run was %s, as seen %s\n", on, Ago(f, b.FoundOn.CheckedAt))
	}
	if later := b.LaterWork.Words(); later != "" {
		out.Printf("\n")
		out.Line(term.Yellow.Of(later))
	}
	section(f, "Links", t.Links, func(l task.Link) { out.Printf("  %s: %s%s\n", l.Kind, l.Ref, remark(l.Note)) })
	showAdded(f, b)
	workspace(f, b.Workspace)
	guidance(f, b.Guidance)
	omitted(f, b.Budget)
	if !claimed {
		ending(f, b)
	}
	f.Warn(b.Warnings)
}

// ending prints how the reader ends the task, if it holds it.
func ending(f *frame.Factory, b *bundle.Bundle) {
	if b != nil && b.Closable != nil && len(b.Closable.How) > 0 {
		f.Say("\n")
		Ending(f, b.Closable.How)
	}
}

// Cause prints what a task waits for in the end, where it waits.
func Cause(f *frame.Factory, c *task.Cause) {
	if c != nil {
		f.Out.Line(term.Faint.Of("  waits for: "), term.Textf("%s", c.Words(task.TimeOf(f.Now()), words.Span)))
	}
}

// showAdded prints what people and agents added to a task: notes, questions, decisions and bindings.
func showAdded(f *frame.Factory, b *bundle.Bundle) {
	out := f.Out
	section(f, "Notes", b.Notes, func(n task.Note) {
		out.Printf("  %s, %s:\n", n.Actor, Ago(f, n.At))
		Text(f, "    ", n.Text)
	})
	section(f, "Questions", b.Questions, func(q task.Question) {
		out.Printf("  %d, %s asks:\n", q.ID, q.Actor)
		Text(f, "    ", q.Text)
		if q.Answer != "" {
			out.Printf("  %s answers:\n", q.AnsweredBy)
			Text(f, "    ", string(q.Answer))
		}
	})
	section(f, "Decisions", b.Decisions, func(d task.Decision) {
		out.Printf("  %s%s (%s, %s)\n", d.Title, remark(d.Rationale), d.Actor, Ago(f, d.At))
	})
	section(f, "Bound to", b.Bindings, func(x task.Binding) {
		out.Printf("  %s %s%s%s\n", x.Kind, x.Ref, remark(x.State), remark(x.URL))
	})
}

// changedPaths prints what was changed since the claim: a line for each path while the task is in review, and one line
// afterwards.
func changedPaths(f *frame.Factory, status task.Status, c *task.ChangedPaths) {
	if c == nil {
		return
	}
	if status != task.InReview || c.Total == 0 {
		f.Out.Printf("\nChanged since the claim: %s\n", cmp.Or(words.Some(c.Paths, c.Total), "nothing"))
		return
	}
	Heading(f, "Changed since the claim")
	for _, path := range c.Paths {
		f.Out.Printf("  %s\n", path)
	}
	if rest := c.Total - len(c.Paths); rest > 0 {
		f.Out.Printf("  and %d more\n", rest)
	}
}

// workspace prints where the work happens.
func workspace(f *frame.Factory, w *bundle.Workspace) {
	if w == nil {
		return
	}
	f.Out.Printf("\nWorkspace (%s): %s on %s\n", w.State, w.Path, w.Host)
	if w.Branch != "" {
		apart, commits := "", w.Commits()
		if w.Ahead != nil {
			apart = fmt.Sprintf(", %d ahead, %d behind", *w.Ahead, *w.Behind)
		}
		f.Out.Printf("  branch %s%s%s%s%s\n", w.Branch, words.When(w.Base != "", " from "+string(w.Base)), apart,
			words.When(commits != "", ", its commits are "+commits), words.When(w.Dirty != nil && *w.Dirty, ", changes that are not committed"))
	}
	for i, port := range w.Ports {
		f.Out.Printf("  TASKER_PORT_%d=%d\n", i+1, port)
	}
}

// guidance prints the files of guidance, and which of them changed since the claim.
func guidance(f *frame.Factory, all []bundle.Guidance) {
	section(f, "Guidance", all, func(g bundle.Guidance) {
		f.Out.Line(term.Textf("  %s", g.Path), term.Yellow.Of(words.When(g.Drift != "", " ("+string(g.Drift)+" since the claim)")))
	})
}

// omitted prints what the budget left out, and the command that shows it.
func omitted(f *frame.Factory, b bundle.Budget) {
	if len(b.Omitted) == 0 || f.Flags.Quiet {
		return
	}
	Heading(f, "Left out")
	for _, o := range b.Omitted {
		size := "more"
		if o.Items != nil {
			size = fmt.Sprintf("%d", *o.Items)
		}
		if o.Tokens != nil {
			size += fmt.Sprintf(", %d tokens", *o.Tokens)
		}
		f.Out.Printf("  %s (%s): %s\n", o.Part, size, f.AsCommand(hint.Call(o.Command)))
	}
	if b.Used != nil {
		f.Out.Printf("  used %d of %d tokens\n", *b.Used, *b.Limit)
	}
}

// facts prints the short fields that a task has, one per line. For a task just claimed it leaves out the holder, whom
// the line above names, and the key, which is for those who plan.
func facts(f *frame.Factory, t *task.Task, claimed bool) {
	line := func(name, value string) {
		if value != "" {
			f.Out.Line(term.Faint.Of("  "+name+": "), term.Textf("%s", value))
		}
	}
	line("key", words.When(t.Key != string(t.ID) && !claimed, t.Key))
	if c := t.Claim; c != nil && !claimed {
		line("held by", c.Actor+", "+Until(f, c.ExpiresAt))
	}
	line("priority", words.When(!claimed || t.Priority != task.DefaultPriority, fmt.Sprint(t.Priority)))
	line("severity", words.When(t.Severity != 0, fmt.Sprint(int(t.Severity))))
	card := task.CardOf(t)
	for _, d := range t.Details() {
		if d.Label == "due" && overdue(f, &card) {
			f.Out.Line(term.Faint.Of("  due: "), Due(f, &card))
			continue
		}
		line(d.Label, d.Text)
	}
	line("failed attempts", words.When(t.Attempts > 0, fmt.Sprint(t.Attempts)))
	line("version", words.When(!claimed, fmt.Sprintf("%d, changed %s", t.Version, Ago(f, t.UpdatedAt)))) // who claims it has the fence
	line("closed", words.When(t.ClosedAt != 0, Ago(f, t.ClosedAt)))
}

// section prints a headline and each item below it, or nothing if there are no items.
func section[T any](f *frame.Factory, head string, items []T, item func(T)) {
	for i, it := range items {
		if i == 0 {
			Heading(f, head)
		}
		item(it)
	}
}

// Heading prints a headline, with an empty line before it.
func Heading(f *frame.Factory, words string) {
	f.Out.Printf("\n")
	f.Out.Line(term.Bold.Of(words))
}

// neighbours prints the tasks around a task: its parent, its parts, what it waits for (with what was said and decided
// there), and what waits for it, which for a task just claimed is one line for each.
func neighbours(f *frame.Factory, b *bundle.Bundle, claimed bool) {
	section(f, "Part of", b.Ancestors, func(a bundle.Ancestor) { neighbour(f, a.ID, a.Title, a.Status) })
	section(f, "Parts", b.Children, func(c bundle.Brief) { neighbour(f, c.ID, c.Title, c.Status) })
	over := claimed && !slices.ContainsFunc(b.Deps, func(d bundle.Dep) bool { return d.Status != task.Done })
	section(f, words.Either(over, "Done before it", "Waits for"), b.Deps, func(d bundle.Dep) {
		if over {
			f.Out.Printf("  %s %s\n", d.ID, frame.Plain(f, d.Title))
		} else {
			neighbour(f, d.ID, d.Title, d.Status)
		}
		if d.Outcome != "" {
			Text(f, "      ", string(d.Outcome))
		}
	})
	section(f, "Waited for by", b.Dependents, func(d bundle.Brief) {
		if claimed && d.Status == task.Open {
			f.Out.Printf("  %s %s\n", d.ID, frame.Plain(f, d.Title))
			return
		}
		neighbour(f, d.ID, d.Title, d.Status)
	})
}

// neighbour prints the line of a task.
func neighbour(f *frame.Factory, id task.ID, title string, status task.Status) {
	f.Out.Line(term.Textf("  "), Status(status), term.Textf("  %s  %s", id, title))
}

// Criteria prints the acceptance criteria of a task, numbered and with their ticks, and with the call that runs one that is
// a command and still to be ticked.
func Criteria(f *frame.Factory, t *task.Task) {
	for _, c := range t.Criteria {
		if c.Checked {
			f.Out.Line(term.Green.Of(fmt.Sprintf("  [x] %d. ", c.Index)), term.Textf("%s (%s, %s)", c.Text, c.CheckedBy, rests(c)))
			if c.Doubt != "" {
				f.Out.Line(term.Textf("      "), term.Yellow.Of("in doubt"), term.Textf(": %s", c.Doubt))
			}
			continue
		}
		f.Out.Printf("  [ ] %d. %s\n", c.Index, c.Text)
		if run, ok := c.Run(t.ID); ok && !t.Status.Closed() {
			f.Out.Printf("      run it: %s\n", f.AsCommand(run))
		}
	}
}

// rests returns what a tick is based on, in words.
func rests(c task.Criterion) string {
	switch c.Rests {
	case task.RestsOnRun:
		return fmt.Sprintf("run: evidence %d", c.By)
	case task.RestsOnSaid:
		return fmt.Sprintf("said: evidence %d", c.By)
	case task.RestsOnSeen:
		return "seen: " + string(c.Note)
	default:
		return "no evidence linked"
	}
}

// gate prints what a gate asks for. Of a task just claimed, the last line says how it is run.
func gate(f *frame.Factory, project string, g *bundle.GateState, claimed bool) {
	if g == nil {
		return
	}
	if claimed && g.Defined && len(g.Missing) > 0 && len(g.Requires) == 0 { // all of it is missing
		f.Out.Printf("\n")
		f.Out.Line(term.Bold.Of("Gate "+g.Name), term.Textf(": %s", words.List(g.Missing)))
		return
	}
	Heading(f, "Gate "+g.Name)
	switch {
	case !g.Defined:
		f.Out.Printf("  is defined nowhere: the task cannot be done until it is\n")
	case len(g.Missing) == 0:
		f.Out.Printf("  has all evidence it asks for: %s\n", words.List(g.Requires))
	case len(g.Requires) == 0:
		f.Out.Printf("  missing: %s\n", words.List(g.Lacks()))
	default:
		f.Out.Printf("  asks for %s; missing: %s\n", words.List(g.Requires), words.List(g.Lacks()))
	}
	if others := g.Discounted(); len(others) > 0 {
		f.Out.Printf("  would not count for an agent's close: %s\n", words.List(others))
	}
	if g.Run == "" || claimed {
		return
	}
	if declared, _, err := f.GateCommands(project, g.Name); err == nil && len(declared) == 0 {
		f.Out.Printf("  not run here: no file here declares the gate, and no command comes from the database; have it declared in %s\n", config.FileName)
		return
	}
	f.Out.Printf("  run it: %s\n", g.Run)
}

func approvals(f *frame.Factory, a bundle.ApprovalState) {
	if len(a.Missing)+len(a.Given) == 0 {
		return
	}
	Heading(f, "Approvals")
	for _, n := range a.Missing {
		f.Out.Printf("  missing: %s by %s%s\n", n.Kind, cmp.Or(string(n.Role), string(n.Actor), "any human"), remark(n.Reason))
	}
	for _, g := range a.Given {
		f.Out.Printf("  %s by %s%s (%s%s)\n", g.Kind, g.Actor, remark(g.Note), Ago(f, g.At), words.When(g.Stale, ", no longer counts"))
	}
}

func remark(note task.Opt) string {
	return words.When(note != "", ": "+string(note))
}
