package brief

import (
	"slices"

	"tasker/internal/core/work"
	"tasker/internal/task"
)

// Bounds of the lists of an answer of the loop.
const (
	maxSkipped   = 3
	maxUnblocked = 10
)

// Next is the task that was chosen, and why; or why there is none.
type Next struct {
	Task            *Task            `json:"task"`
	Claimed         *Claim           `json:"claimed"`
	Skipped         []work.Skipped   `json:"skipped"`
	SkippedMore     bool             `json:"skippedMore,omitzero"`
	SelectedBy      []task.SelectKey `json:"selectedBy"`
	Routing         *Routing         `json:"routing"`
	SelectionReason task.Opt         `json:"selectionReason"`
	Bundle          *Bundle          `json:"bundle"`
	Idle            *Idle            `json:"idle,omitzero"`
}

// Routing is whether the caller may hold the task, and how far it may go; where nothing narrows that, no more is said.
type Routing struct {
	MayHold         bool          `json:"mayHold"`
	Autonomy        task.Autonomy `json:"autonomy,omitzero"` // where it is not the default
	MayExecute      []string      `json:"mayExecute,omitempty"`
	PreferredActor  task.Opt      `json:"preferredActor,omitzero"`
	Why             string        `json:"why,omitzero"`
	WhatWouldChange string        `json:"whatWouldChange,omitzero"`
}

// Idle is why there is nothing to do: what is not zero of it.
type Idle struct {
	Finished        bool      `json:"finished,omitzero"`
	Held            int       `json:"held,omitzero"`
	Yours           int       `json:"yours,omitzero"`
	Unheld          int       `json:"unheld,omitzero"`
	WaitingForHuman int       `json:"waitingForHuman,omitzero"`
	Blocked         int       `json:"blocked,omitzero"`
	NotForYou       int       `json:"notForYou,omitzero"`
	NextExpiry      task.Time `json:"nextExpiry,omitzero"`
	WaitMs          int64     `json:"waitMs,omitzero"`
}

// NextOf returns the answer of a selection in brief.
func NextOf(n work.NextOut) Next {
	out := Next{
		Claimed: claimOf(n.Claimed), Skipped: n.Skipped, SkippedMore: n.SkippedMore, SelectedBy: n.SelectedBy,
		SelectionReason: n.SelectionReason, Bundle: BundleOf(n.Bundle),
	}
	if len(n.Skipped) > maxSkipped {
		out.Skipped, out.SkippedMore = n.Skipped[:maxSkipped], true
	}
	if out.Bundle != nil {
		out.Task, out.Bundle.Task = out.Bundle.Task, nil
	} else {
		out.Task = taskOf(n.Task)
	}
	if out.Task != nil && out.Claimed != nil {
		out.Task.Claim = nil // it is the one that was made
		out.Claimed.Task = ""
	}
	if r := n.Routing; r != nil {
		out.Routing = &Routing{MayHold: r.MayHold, Autonomy: r.Autonomy, MayExecute: r.MayExecute, PreferredActor: r.PreferredActor}
		if r.Autonomy == task.Autonomous {
			out.Routing.Autonomy = ""
		}
		if !r.MayHold {
			out.Routing.Why, out.Routing.WhatWouldChange = r.Why, r.WhatWouldChange
		}
	}
	if i := n.Idle; i != nil {
		idle := Idle(*i)
		out.Idle = &idle
	}
	return out
}

// Moved is where a task is now, and what became ready by it. Of the task it says no more than its caller does not know.
type Moved struct {
	Task           *Task       `json:"task"`
	From           task.Status `json:"from"`
	Unblocked      []task.ID   `json:"unblocked,omitempty"`
	UnblockedTotal int         `json:"unblockedTotal,omitzero"` // where not all are named
	Warnings       []string    `json:"warnings,omitempty"`
	Next           *Next       `json:"next,omitzero"`
}

// MoveOf returns the answer of a move in brief.
func MoveOf(m work.MoveOut) Moved {
	out := Moved{From: m.From, Unblocked: m.Unblocked, Warnings: m.Warnings}
	if t := m.Task; t != nil {
		out.Task = &Task{ID: t.ID, Status: t.Status, Claim: heldBy(t.Claim)}
		if !t.Status.Closed() {
			out.Task.Criteria = slices.DeleteFunc(criteriaOf(t.Criteria), func(c Criterion) bool { return c.Checked })
		}
	}
	if len(out.Unblocked) > maxUnblocked {
		out.Unblocked, out.UnblockedTotal = out.Unblocked[:maxUnblocked], m.UnblockedTotal
	}
	if m.Next != nil {
		next := NextOf(*m.Next)
		out.Next = &next
	}
	return out
}
