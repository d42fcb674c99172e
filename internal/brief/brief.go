// Package brief is the short form of what operations answer, for readers with a budget: the command line prints it as
// text, and the tools write it as one compact JSON text with the names that the route uses.
//
// Nothing is said twice (a bundle holds what the task beside it does not), what is empty or a default is left out, and
// long lists are cut, with how many were left out and the call that fetches them. The members that the specification
// names for an answer are always there. Whoever wants everything asks for the route's whole body: `--json`, or the
// argument full of a tool.
package brief

import (
	"tasker/internal/bundle"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/task"
)

// Of returns the short form of an answer, nil where it has none of its own: see Prune.
func Of(answer any) any {
	switch a := answer.(type) {
	case work.NextOut:
		return NextOf(a)
	case work.MoveOut:
		return MoveOf(a)
	case *bundle.Bundle:
		return BundleOf(a)
	case reading.ListOut:
		return ListOf(a)
	case reading.SearchOut:
		return searchOf(a)
	case reading.ExplainOut:
		return ExplainOf(a)
	case *task.Task:
		return progressOf(a)
	case task.Question:
		return questionOf(&a)
	case task.Claim:
		return claimOf(&a)
	}
	return nil
}

// Task is a task without what is empty or a default. Gate and Deps stand in the bundle where there is one.
type Task struct {
	ID             task.ID       `json:"id"`
	Key            string        `json:"key,omitzero"` // where it is not the id
	Title          string        `json:"title,omitzero"`
	Body           task.Opt      `json:"body,omitzero"`
	Parent         task.Opt      `json:"parent,omitzero"`
	Deps           []task.ID     `json:"deps,omitempty"`
	Status         task.Status   `json:"status"`
	Priority       *int          `json:"priority,omitzero"` // where it is not the default
	Severity       task.Severity `json:"severity,omitzero"`
	Due            task.Opt      `json:"due,omitzero"`
	Gate           task.Opt      `json:"gate,omitzero"`
	Autonomy       task.Opt      `json:"autonomy,omitzero"`
	PreferredActor task.Opt      `json:"preferredActor,omitzero"`
	MayExecute     []string      `json:"mayExecute,omitempty"`
	Touches        []string      `json:"touches,omitempty"`
	Criteria       []Criterion   `json:"criteria,omitempty"`
	Links          []Link        `json:"links,omitempty"`
	Sprint         task.Opt      `json:"sprint,omitzero"`
	Claim          *Claim        `json:"claim,omitzero"`
	OpenDeps       int           `json:"openDeps,omitzero"`
	OpenChildren   int           `json:"openChildren,omitzero"`
	Attempts       int           `json:"attempts,omitzero"`
	ClosedAt       task.Time     `json:"closedAt,omitzero"`
}

// Criterion is an acceptance criterion; one that is not ticked says no more than what it reads.
type Criterion struct {
	Index     int      `json:"index"`
	Text      string   `json:"text"`
	Checked   bool     `json:"checked,omitzero"`
	CheckedBy task.Opt `json:"checkedBy,omitzero"`
	Rests     task.Opt `json:"rests,omitzero"`
}

// Link points at something outside the task.
type Link struct {
	Kind string   `json:"kind"`
	Ref  string   `json:"ref"`
	Note task.Opt `json:"note,omitzero"`
}

// Claim is who holds a task, and until when; without an end it says nothing of one.
type Claim struct {
	Task      task.ID   `json:"task,omitzero"` // not beside the task itself
	Actor     string    `json:"actor"`
	Fence     int64     `json:"fence,omitzero"`
	ExpiresAt task.Time `json:"expiresAt,omitzero"`
}

func taskOf(t *task.Task) *Task {
	if t == nil {
		return nil
	}
	out := &Task{
		ID: t.ID, Title: t.Title, Body: t.Body, Parent: t.Parent, Deps: t.Deps, Status: t.Status, Severity: t.Severity, Due: t.Due,
		Gate: t.Gate, Autonomy: t.Autonomy, PreferredActor: t.PreferredActor, MayExecute: t.MayExecute, Touches: t.Touches, Sprint: t.Sprint,
		OpenDeps: t.OpenDeps, OpenChildren: t.OpenChildren, Attempts: t.Attempts, ClosedAt: t.ClosedAt,
		Claim: heldBy(t.Claim), Criteria: criteriaOf(t.Criteria),
	}
	if t.Key != string(t.ID) {
		out.Key = t.Key
	}
	if t.Priority != task.DefaultPriority {
		out.Priority = &t.Priority
	}
	for _, l := range t.Links {
		out.Links = append(out.Links, Link(l))
	}
	return out
}

// progressOf returns how far a task is: the answer to a tick, whose caller knows the rest.
func progressOf(t *task.Task) *Task {
	return &Task{ID: t.ID, Status: t.Status, Criteria: criteriaOf(t.Criteria), Claim: heldBy(t.Claim)}
}

func criteriaOf(list []task.Criterion) []Criterion {
	out := make([]Criterion, len(list))
	for i, c := range list {
		out[i] = Criterion{Index: c.Index, Text: c.Text, Checked: c.Checked, CheckedBy: c.CheckedBy, Rests: c.Rests}
	}
	return out
}

// beside returns the task of a bundle: what the bundle tells in more words is left to it.
func beside(t *task.Task) *Task {
	out := taskOf(t)
	out.Deps, out.Gate, out.OpenDeps, out.OpenChildren = nil, "", 0, 0
	return out
}

func claimOf(c *task.Claim) *Claim {
	if c == nil {
		return nil
	}
	return &Claim{Task: c.Task, Actor: c.Actor, Fence: c.Fence, ExpiresAt: c.ExpiresAt}
}

// heldBy returns the claim of a task as it stands beside it.
func heldBy(c *task.Claim) *Claim {
	if c == nil {
		return nil
	}
	return &Claim{Actor: c.Actor, ExpiresAt: c.ExpiresAt}
}

// List is a page of tasks, a line each.
type List struct {
	Project    string   `json:"project"`
	Total      int      `json:"total"`
	TotalMore  bool     `json:"totalMore,omitzero"`
	Tasks      []Line   `json:"tasks"`
	NextCursor task.Opt `json:"nextCursor,omitzero"`
}

// Line is a task in a list.
type Line struct {
	ID       task.ID     `json:"id"`
	Title    string      `json:"title"`
	Status   task.Status `json:"status"`
	Priority *int        `json:"priority,omitzero"` // where it is not the default
	OpenDeps int         `json:"openDeps,omitzero"`
	Claim    *Claim      `json:"claim,omitzero"`
}

// ListOf returns a page of tasks in brief.
func ListOf(l reading.ListOut) List {
	out := List{Project: l.Project, Total: l.Total, TotalMore: l.TotalMore, NextCursor: l.NextCursor, Tasks: make([]Line, len(l.Tasks))}
	for i, t := range l.Tasks {
		out.Tasks[i] = Line{ID: t.ID, Title: t.Title, Status: t.Status, OpenDeps: t.OpenDeps}
		if t.Priority != task.DefaultPriority {
			out.Tasks[i].Priority = &t.Priority
		}
		if t.Claim != nil {
			out.Tasks[i].Claim = &Claim{Actor: t.Claim.Actor}
		}
	}
	return out
}
