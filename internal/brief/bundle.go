package brief

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tasker/internal/bundle"
	"tasker/internal/remedy"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// How many of each list a bundle in brief has, the nearest or newest of them. Criteria, open questions, what the gate
// and the approvals still miss, and warnings are never cut.
const (
	maxAround = 10 // ancestors, children, deps
	maxAfter  = 3  // dependents: they matter least to whoever works on the task
	maxBeside = 5  // notes, decisions, answered questions, evidence, bindings, approvals that were given
	maxText   = 2000
)

// Bundle is everything a worker needs to know of a task, beside the task itself.
type Bundle struct {
	Task       *Task      `json:"task,omitzero"` // not where it stands beside the bundle
	Ancestors  []Around   `json:"ancestors,omitempty"`
	Children   []Around   `json:"children,omitempty"`
	Deps       []Dep      `json:"deps,omitempty"`
	Dependents []After    `json:"dependents,omitempty"`
	Gate       *Gate      `json:"gate,omitzero"`
	Approvals  *Approvals `json:"approvals,omitzero"`
	Notes      []Note     `json:"notes,omitempty"`
	Decisions  []Decision `json:"decisions,omitempty"`
	Questions  []Question `json:"questions,omitempty"`
	Evidence   []Evidence `json:"evidence,omitempty"`
	Bindings   []Binding  `json:"bindings,omitempty"`
	Workspace  *Workspace `json:"workspace,omitzero"`
	Guidance   []Guidance `json:"guidance,omitempty"`
	Warnings   []string   `json:"warnings,omitempty"`
	Budget     *Budget    `json:"budget,omitzero"` // where something was left out
}

// Around is a task near this one.
type Around struct {
	ID     task.ID     `json:"id"`
	Title  string      `json:"title"`
	Status task.Status `json:"status"`
}

// After is a task that waits for this one. That it is open goes without saying.
type After struct {
	ID     task.ID `json:"id"`
	Title  string  `json:"title"`
	Status Still   `json:"status,omitzero"`
}

// Still is a status of which being open is left out.
type Still task.Status

// IsZero reports whether it is open.
func (s Still) IsZero() bool { return task.Status(s) == task.Open }

// Dep is a task that this one waits for, with what was said and decided there, where anything was.
type Dep struct {
	ID      task.ID     `json:"id"`
	Title   string      `json:"title"`
	Status  task.Status `json:"status"`
	Outcome task.Opt    `json:"outcome,omitzero"`
}

// Gate is what the task's gate asks for, and what of it is missing.
type Gate struct {
	Name     string   `json:"name"`
	Requires []string `json:"requires,omitempty"` // not where all of it is missing
	Missing  []string `json:"missing,omitempty"`
	Defined  *bool    `json:"defined,omitzero"` // where it is not
}

// Approvals is which approvals are missing, and which were given.
type Approvals struct {
	Missing []Need     `json:"missing,omitempty"`
	Given   []Approval `json:"given,omitempty"`
}

// Need is an approval that is missing.
type Need struct {
	Kind   string   `json:"kind"`
	Role   task.Opt `json:"role,omitzero"`
	Actor  task.Opt `json:"actor,omitzero"`
	Reason task.Opt `json:"reason,omitzero"`
}

// Approval is one that was given.
type Approval struct {
	Kind  string    `json:"kind"`
	Actor string    `json:"actor"`
	Note  task.Opt  `json:"note,omitzero"`
	Stale bool      `json:"stale,omitzero"`
	At    task.Time `json:"-"` // people are told how long ago, here and below
}

// Note is what somebody left for the next worker.
type Note struct {
	Actor string    `json:"actor"`
	Text  string    `json:"text"`
	At    task.Time `json:"-"`
}

// Decision is what was decided, and why.
type Decision struct {
	Title     string    `json:"title"`
	Rationale task.Opt  `json:"rationale,omitzero"`
	Actor     string    `json:"actor"`
	At        task.Time `json:"-"`
}

// Question is what was asked, and its answer where there is one.
type Question struct {
	ID         int64    `json:"id"`
	Actor      string   `json:"actor"`
	To         task.Opt `json:"to,omitzero"`
	Text       string   `json:"text"`
	Blocking   bool     `json:"blocking,omitzero"`
	Answer     task.Opt `json:"answer,omitzero"`
	AnsweredBy task.Opt `json:"answeredBy,omitzero"`
}

// Evidence is what shows that the work is done. Of a command that was run it is told in one line.
type Evidence struct {
	ID    int64    `json:"id"`
	Kind  string   `json:"kind"`
	Value string   `json:"value"`
	Note  task.Opt `json:"note,omitzero"`
	Actor string   `json:"actor"`

	At  task.Time   `json:"-"`
	Run *proven.Run `json:"-"` // nil for what was said; whether it is stale is for who sees the files
}

// Binding is a link to another system.
type Binding struct {
	Kind  string   `json:"kind"`
	Ref   string   `json:"ref"`
	URL   task.Opt `json:"url,omitzero"`
	State task.Opt `json:"state,omitzero"`
}

// Workspace is where the work happens.
type Workspace struct {
	Path   string   `json:"path"`
	Host   string   `json:"host"`
	Branch task.Opt `json:"branch,omitzero"`
	Base   task.Opt `json:"base,omitzero"`
	Ports  []int    `json:"ports,omitempty"`
	State  string   `json:"state"`
	Dirty  *bool    `json:"dirty,omitzero"`
	Ahead  *int     `json:"ahead,omitzero"`
	Behind *int     `json:"behind,omitzero"`
	// Commits says where its commits are that the base did not have: on the base by now, pushed, in the workspace only.
	Commits task.Opt `json:"commits,omitzero"`
}

// Guidance is a file to follow.
type Guidance struct {
	Path  string   `json:"path"`
	Drift task.Opt `json:"drift,omitzero"`
}

// Budget is what was left out, and the limit that the caller set.
type Budget struct {
	Limit   *int      `json:"limit,omitzero"`
	Used    *int      `json:"used,omitzero"`
	Omitted []Omitted `json:"omitted,omitempty"`
}

// Omitted is what was left out of a part, and the call that fetches it.
type Omitted struct {
	Part    string       `json:"part"`
	Items   *int         `json:"items,omitzero"`
	Tokens  *int         `json:"tokens,omitzero"`
	Command remedy.Fetch `json:"command"`
}

// BundleOf returns a bundle in brief.
func BundleOf(b *bundle.Bundle) *Bundle { return bundleOf(b, false) }

// Uncut returns a bundle with every list and text whole.
func Uncut(b *bundle.Bundle) *Bundle { return bundleOf(b, true) }

func bundleOf(b *bundle.Bundle, whole bool) *Bundle {
	if b == nil {
		return nil
	}
	out := &Bundle{
		Task: beside(b.Task), Warnings: b.Warnings, Gate: gateOf(b.Gate),
		Approvals: approvalsOf(b.Approvals, whole), Workspace: workspaceOf(b.Workspace),
	}
	c := cutter{fetch: remedy.Full(b.Task.ID), whole: whole}
	for _, a := range first(&c, "ancestors", b.Ancestors, maxAround) {
		out.Ancestors = append(out.Ancestors, Around{a.ID, a.Title, a.Status})
	}
	out.Children = around(first(&c, "children", b.Children, maxAround))
	for _, d := range first(&c, "deps", b.Deps, maxAround) {
		dep := Dep{ID: d.ID, Title: d.Title, Status: d.Status}
		if _, said, more := strings.Cut(string(d.Outcome), "\n"); more { // that it is closed is its status
			dep.Outcome = task.Opt(said)
		}
		out.Deps = append(out.Deps, dep)
	}
	for _, d := range first(&c, "dependents", b.Dependents, maxAfter) {
		out.Dependents = append(out.Dependents, After{d.ID, d.Title, Still(d.Status)})
	}
	for _, n := range last(&c, "notes", b.Notes, maxBeside) {
		out.Notes = append(out.Notes, Note{n.Actor, c.text("notes", n.Text), n.At})
	}
	for _, d := range last(&c, "decisions", b.Decisions, maxBeside) {
		out.Decisions = append(out.Decisions, Decision{d.Title, task.Opt(c.text("decisions", string(d.Rationale))), d.Actor, d.At})
	}
	out.Questions = c.questions(b.Questions)
	for _, e := range last(&c, "evidence", b.Evidence, maxBeside) {
		out.Evidence = append(out.Evidence, c.evidence(e))
	}
	for _, x := range last(&c, "bindings", b.Bindings, maxBeside) {
		out.Bindings = append(out.Bindings, Binding{x.Kind, x.Ref, x.URL, x.State})
	}
	for _, g := range first(&c, "guidance", b.Guidance, maxAround) {
		out.Guidance = append(out.Guidance, Guidance{g.Path, g.Drift})
	}
	out.Budget = budgetOf(b.Budget, c.omitted)
	return out
}

// evidence returns an item with a run told in one line.
func (c *cutter) evidence(e task.Evidence) Evidence {
	out := Evidence{ID: e.ID, Kind: e.Kind, Note: e.Note, Actor: e.Actor, At: e.At}
	if run, ok := proven.Parse(e.Value); ok {
		out.Value, out.Run = c.text("evidence", run.Words()), &run
	} else {
		out.Value = c.text("evidence", e.Value)
	}
	return out
}

func around(list []bundle.Brief) []Around {
	out := make([]Around, len(list))
	for i, b := range list {
		out[i] = Around(b)
	}
	return out
}

func gateOf(g *bundle.GateState) *Gate {
	if g == nil {
		return nil
	}
	out := &Gate{Name: g.Name, Requires: g.Requires, Missing: g.Missing}
	if len(g.Missing) == len(g.Requires) {
		out.Requires = nil
	}
	if !g.Defined {
		out.Defined = &g.Defined
	}
	return out
}

func approvalsOf(a bundle.ApprovalState, whole bool) *Approvals {
	limit := maxBeside
	if whole {
		limit = len(a.Given)
	}
	if len(a.Missing) == 0 && len(a.Given) == 0 {
		return nil
	}
	out := &Approvals{}
	for _, n := range a.Missing {
		out.Missing = append(out.Missing, Need(n))
	}
	for _, g := range a.Given[max(0, len(a.Given)-limit):] {
		out.Given = append(out.Given, Approval{g.Kind, g.Actor, g.Note, g.Stale, g.At})
	}
	return out
}

func workspaceOf(w *bundle.Workspace) *Workspace {
	if w == nil {
		return nil
	}
	return &Workspace{
		Path: w.Path, Host: w.Host, Branch: w.Branch, Base: w.Base, Ports: w.Ports, State: w.State,
		Dirty: w.Dirty, Ahead: w.Ahead, Behind: w.Behind, Commits: task.Opt(w.Commits()),
	}
}

// budgetOf joins what a budget left out with what is left out here; what both cut a part of is told by the budget.
func budgetOf(b bundle.Budget, cut []Omitted) *Budget {
	out := &Budget{Limit: b.Limit, Used: b.Used}
	for _, o := range b.Omitted {
		out.Omitted = append(out.Omitted, Omitted{o.Part, o.Items, o.Tokens, o.Command})
	}
	for _, o := range cut {
		if !slices.ContainsFunc(b.Omitted, func(had bundle.Omitted) bool { return had.Part == o.Part }) {
			out.Omitted = append(out.Omitted, o)
		}
	}
	if out.Limit == nil && out.Omitted == nil {
		return nil
	}
	return out
}

// cutter cuts lists and texts, and remembers of which parts.
type cutter struct {
	whole   bool // cut nothing
	fetch   remedy.Call
	omitted []Omitted
}

func (c *cutter) omit(part string, n int) {
	for _, had := range c.omitted {
		if had.Part == part {
			return
		}
	}
	o := Omitted{Part: part, Command: remedy.Fetch(c.fetch)}
	if n > 0 {
		o.Items = &n
	}
	c.omitted = append(c.omitted, o)
}

// first returns the first of a list, as many as limit allows.
func first[T any](c *cutter, part string, list []T, limit int) []T {
	if n := len(list) - limit; n > 0 && !c.whole {
		c.omit(part, n)
		return list[:limit]
	}
	return list
}

// last returns the last of a list, as many as limit allows.
func last[T any](c *cutter, part string, list []T, limit int) []T {
	if n := len(list) - limit; n > 0 && !c.whole {
		c.omit(part, n)
		return list[n:]
	}
	return list
}

// text returns a text up to a bound.
func (c *cutter) text(part, text string) string {
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

// questions returns every open question, and the newest of the answered ones.
func (c *cutter) questions(list []task.Question) []Question {
	answered := 0
	for i := range list {
		if !list[i].Open() {
			answered++
		}
	}
	skip := max(0, answered-maxBeside)
	if c.whole {
		skip = 0
	}
	if skip > 0 {
		c.omit("questions", skip)
	}
	var out []Question
	for i := range list {
		q := &list[i]
		if !q.Open() && skip > 0 {
			skip--
			continue
		}
		out = append(out, questionOf(q))
	}
	return out
}

func questionOf(q *task.Question) Question {
	return Question{ID: q.ID, Actor: q.Actor, To: q.To, Text: q.Text, Blocking: q.Blocking, Answer: q.Answer, AnsweredBy: q.AnsweredBy}
}
