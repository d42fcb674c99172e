package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/bundle"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// Limits of the lists in an answer of the work loop.
const (
	maxSkipped   = 3
	maxUnblocked = 10
	maxWaitTitle = 40 // characters: enough to know the task again

	// MaxWaits is how many of the tasks that wait for somebody else an idle answer names.
	MaxWaits = 3
)

// How many items of each list a summarised bundle has, the nearest or newest ones. Criteria, open questions, what the
// gate and the approvals still lack, and warnings are never cut.
const (
	maxAround   = 10 // ancestors, children, deps
	maxAfter    = 3  // dependents: they matter least to the worker
	maxAttached = 5  // notes, decisions, answered questions, evidence, bindings, given approvals
	maxPaths    = 30 // that were changed since the claim
	maxText     = 2000
)

// nextOf returns the answer of a selection: the task is outside its bundle, and its claim is the new one.
func nextOf(n work.NextOut) *work.NextOut {
	if len(n.Skipped) > maxSkipped {
		n.Skipped, n.SkippedMore = n.Skipped[:maxSkipped], true
	}
	n.Bundle = BundleOf(n.Bundle)
	if n.Bundle != nil {
		n.Task, n.Bundle.Task = n.Bundle.Task, nil
	} else if n.Task != nil {
		n.Task = keyed(*n.Task)
	}
	if n.Task != nil && n.Claimed != nil {
		claimed := *n.Claimed
		claimed.Task, n.Claimed, n.Task.Claim = "", &claimed, nil
		n.Task.Key, n.Task.Status = "", "" // who claimed it is told that it is held, and works with its id
	}
	if r := n.Routing; r != nil && r.MayHold && r.Autonomy == task.Autonomous && len(r.MayExecute) == 0 { // nothing keeps anybody from it
		routing := *r
		routing.Why, routing.WhatWouldChange, n.Routing = "", "", &routing
	}
	return &n
}

// skippedLine returns a passed-over task in a few words.
func skippedLine(s work.Skipped) string { return string(s.Task) + ": " + cmp.Or(s.Brief, s.Reason) }

// waitLine returns what waits, and for whom, in a few words.
func waitLine(w work.Wait) string {
	return string(w.Task) + " " + words.Cut(w.Title, maxWaitTitle) + ": " + w.Why + ", " + w.For
}

// waitLines returns the first tasks that wait, a line each, and how many more there are.
func waitLines(list []work.Wait) []string {
	out := words.Each(list[:min(len(list), MaxWaits)], waitLine)
	if more := len(list) - MaxWaits; more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}

// dependentLines returns what waits for the task of a bundle, a line each.
func dependentLines(record any) any {
	b, ok := record.(*bundle.Bundle)
	if shown, explained := record.(*Shown); explained {
		b, ok = shown.Bundle, true
	}
	if !ok || b == nil {
		return []string(nil)
	}
	return words.Each(b.Dependents, func(d bundle.Brief) string {
		return string(d.ID) + words.When(d.Status != task.Open, " ("+string(d.Status)+")") + " " + d.Title
	})
}

// moveOf returns the answer of a move with the criteria that are still open. It has the total of what became ready only
// if not all of it is named.
func moveOf(m work.MoveOut) *work.MoveOut {
	if m.Task != nil {
		t := *m.Task
		t.Criteria = slices.DeleteFunc(slices.Clone(t.Criteria), func(c task.Criterion) bool { return c.Checked || t.Status.Closed() })
		m.Task = &t
	}
	if len(m.Unblocked) > maxUnblocked {
		m.Unblocked = m.Unblocked[:maxUnblocked]
	} else {
		m.UnblockedTotal = 0
	}
	m.Next = followingOf(m.Next)
	return &m
}

// askedOf returns the answer of a question, with the task that was claimed next.
func askedOf(a work.AskOut) *work.AskOut {
	a.Next = followingOf(a.Next)
	return &a
}

// followingOf returns the selection that came along with another step, or nil.
func followingOf(n *work.NextOut) *work.NextOut {
	if n == nil {
		return nil
	}
	out := nextOf(*n)
	if r := out.Routing; r != nil && r.MayHold { // why the caller holds it is what next says
		routing := *r
		routing.Why, routing.WhatWouldChange, out.Routing = "", "", &routing
	}
	return out
}

// whoamiOf returns who acts. That a plan has created the project is said only if none has.
func whoamiOf(w reading.WhoamiOut) *reading.WhoamiOut {
	if w.Applied != nil && *w.Applied {
		w.Applied = nil
	}
	return &w
}

// explainOf returns an explanation with only the rules that say no.
func explainOf(e *reading.ExplainOut) *reading.ExplainOut {
	if e == nil {
		return nil
	}
	out := *e
	for _, v := range []*reading.Verdict{&out.Ready, &out.Claimable, &out.Closable} {
		v.Reasons = slices.DeleteFunc(slices.Clone(v.Reasons), func(r reading.Reason) bool { return r.OK })
	}
	return &out
}

// BundleOf returns a summarised bundle: long lists and texts are cut, and its budget says what was left out.
func BundleOf(b *bundle.Bundle) *bundle.Bundle { return bundleOf(b, false) }

// Uncut returns a bundle like BundleOf, but with complete lists and texts.
func Uncut(b *bundle.Bundle) *bundle.Bundle { return bundleOf(b, true) }

func bundleOf(b *bundle.Bundle, whole bool) *bundle.Bundle {
	if b == nil {
		return nil
	}
	out := *b
	out.Budget.Omitted = slices.Clip(b.Budget.Omitted)
	out.Closable = nil
	if c := b.Closable; c != nil && (c.New || len(c.How) > 0) {
		out.Closable = &bundle.Closable{Yes: c.Yes, How: c.How}
		if c.New { // otherwise criteria, gate, approvals and questions show what is missing
			out.Closable.Missing = c.Brief
		}
	}
	c := cutter{&out, whole}
	out.Task, out.Gate = reduced(*b.Task), gateOf(b.Gate)
	if given := b.Approvals.Given; !whole {
		out.Approvals.Given = given[max(0, len(given)-maxAttached):]
	}
	out.Ancestors = first(c, "ancestors", b.Ancestors, maxAround)
	out.Children = first(c, "children", b.Children, maxAround)
	out.Deps = each(first(c, "deps", b.Deps, maxAround), func(d *bundle.Dep) {
		_, said, _ := strings.Cut(string(d.Outcome), "\n") // its status already says that it is closed
		d.Outcome = task.Opt(said)
	})
	out.Dependents = first(c, "dependents", b.Dependents, maxAfter)
	out.Notes = each(last(c, "notes", b.Notes, maxAttached), func(n *task.Note) { n.Text = c.text("notes", n.Text) })
	out.Decisions = each(last(c, "decisions", b.Decisions, maxAttached), func(d *task.Decision) {
		d.Rationale = task.Opt(c.text("decisions", string(d.Rationale)))
	})
	out.Questions = c.questions(b.Questions)
	out.Evidence = each(last(c, "evidence", b.Evidence, maxAttached), func(e *task.Evidence) {
		if run, ok := proven.Parse(e.Value); ok { // which is shown on one line
			e.Value = run.Words()
		}
		e.Value, e.Output = c.text("evidence", e.Value), ""
	})
	if b.Changed != nil {
		out.Changed = &task.ChangedPaths{Paths: first(c, "changed.paths", b.Changed.Paths, maxPaths), Total: b.Changed.Total}
	}
	out.Bindings = last(c, "bindings", b.Bindings, maxAttached)
	out.Guidance = first(c, "guidance", b.Guidance, maxAround)
	return &out
}

// keyed returns a task, without its key if that equals its id.
func keyed(t task.Task) *task.Task {
	if t.Key == string(t.ID) {
		t.Key = ""
	}
	return &t
}

// reduced returns the task of a bundle, without the fields that the bundle shows in more detail.
func reduced(t task.Task) *task.Task {
	t.Deps, t.Gate, t.OpenDeps, t.OpenChildren = nil, "", 0, 0
	return keyed(t)
}

// gateOf returns a gate that lists its requirements only if some of them are met.
func gateOf(g *bundle.GateState) *bundle.GateState {
	if g == nil || len(g.Missing) != len(g.Requires) {
		return g
	}
	out := *g
	out.Requires = nil
	return &out
}

// cutter cuts lists and texts of a bundle, and records in its budget which parts it cut.
type cutter struct {
	of    *bundle.Bundle
	whole bool // cut nothing
}

// omit records that n items of a part were left out, or an uncounted rest for 0, unless the budget already lists that
// part.
func (c cutter) omit(part string, n int) {
	if !slices.ContainsFunc(c.of.Budget.Omitted, func(had bundle.Omitted) bool { return had.Part == part }) {
		c.of.Omit(part, n, hint.Full(c.of.Task.ID))
	}
}

// first returns at most the first limit items of a list.
func first[T any](c cutter, part string, list []T, limit int) []T {
	if n := len(list) - limit; n > 0 && !c.whole {
		c.omit(part, n)
		return list[:limit]
	}
	return list
}

// last returns at most the last limit items of a list.
func last[T any](c cutter, part string, list []T, limit int) []T {
	if n := len(list) - limit; n > 0 && !c.whole {
		c.omit(part, n)
		return list[n:]
	}
	return list
}

// maxChanged is how many characters of a changed text a short form has.
const maxChanged = 200

// changesOf returns changes with long texts cut, in the order of their names.
func changesOf(changes map[string]task.Delta) jsontext.Value {
	out := make(map[string]task.Delta, len(changes))
	for name, d := range changes {
		out[name] = task.Delta{From: cutText(d.From), To: cutText(d.To)}
	}
	src, err := json.Marshal(out, json.Deterministic(true))
	if err != nil { // the whole answer has them
		return jsontext.Value("{}")
	}
	return src
}

// cutText cuts a value that is a text.
func cutText(v any) any {
	switch text := v.(type) {
	case string:
		return words.Cut(text, maxChanged)
	case task.Opt:
		return task.Opt(words.Cut(string(text), maxChanged))
	}
	return v
}

// each returns a copy of a list with each item edited.
func each[T any](list []T, edit func(*T)) []T {
	out := slices.Clone(list)
	for i := range out {
		edit(&out[i])
	}
	return out
}

// text returns text, cut to a limit.
func (c cutter) text(part, text string) string {
	if len(text) <= maxText || c.whole {
		return text
	}
	c.omit(part, 0)
	at := maxText
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return fmt.Sprintf("%s… (%d more bytes)", text[:at], len(text)-at)
}

// questions returns every open question, and the newest answered ones.
func (c cutter) questions(list []task.Question) []task.Question {
	answered := 0
	for i := range list {
		if !list[i].Open() {
			answered++
		}
	}
	skip := answered - maxAttached
	if skip <= 0 || c.whole {
		return list
	}
	c.omit("questions", skip)
	return slices.DeleteFunc(slices.Clone(list), func(q task.Question) bool {
		if !q.Open() {
			skip--
		}
		return !q.Open() && skip >= 0
	})
}
