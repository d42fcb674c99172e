package work

import (
	"cmp"
	"fmt"
	"slices"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Wait is a task that waits for somebody other than the caller, who can end that.
type Wait struct {
	Task  task.ID  `json:"task"`
	Title string   `json:"title"`
	Kind  WaitKind `json:"kind"`
	Why   string   `json:"why"` // in a few words: question 23, in review, for people, for dev
	For   string   `json:"for"` // who can end it: "alice or bob", "a human"
}

// WaitKind is what a task waits for that waits for somebody.
type WaitKind string

// The kinds, in the order in which an idle answer names them.
const (
	WaitsAnswer  WaitKind = "question"
	WaitsReview  WaitKind = "in_review"
	WaitsPeople  WaitKind = "for_people"  // ready, and only humans may hold it
	WaitsOthers  WaitKind = "not_for_you" // ready, and routing keeps it from the caller
	WaitsForTask WaitKind = "waiting"     // it will be for somebody else, and waits for a task before
)

// maxWaits is how many of the waiting tasks an idle answer names, and lookedAt how many questions or tasks of a lane are
// looked at to find them: some questions keep nothing back, because their task is held, and most waiting tasks are for
// anybody.
const (
	maxWaits = 20
	lookedAt = 200
)

// waits returns the first tasks that wait for somebody else: for an answer, then for a review, then for somebody who may
// hold them, now and then once they are ready.
func (s selector) waits(tx *store.Tx, why query.Standstill) ([]Wait, error) {
	var out []Wait
	if why.KeptBack > 0 {
		asked, err := tx.Blocked(s.project.Slug, lookedAt)
		if err != nil {
			return nil, err
		}
		if out, err = s.waitsOf(tx, asked, out); err != nil {
			return nil, err
		}
	}
	lanes := []query.Lane{}
	if why.States[task.StateInReview] > 0 {
		lanes = append(lanes, query.LaneInReview)
	}
	if why.WaitingForHuman > why.KeptBack+why.States[task.StateInReview] || why.NotForYou > 0 {
		lanes = append(lanes, query.LaneReady)
	}
	if why.States[task.StateWaiting] > 0 {
		lanes = append(lanes, query.LaneWaiting)
	}
	for _, lane := range lanes {
		if len(out) == maxWaits {
			break
		}
		var err error
		if out, err = s.waitsOn(tx, lane, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// waitsOn adds the tasks of a lane that wait for somebody else. It first reads only as many as there is room for: mostly
// each of them does, and the others would be read for nothing.
func (s selector) waitsOn(tx *store.Tx, lane query.Lane, out []Wait) ([]Wait, error) {
	for _, limit := range []int{maxWaits - len(out), lookedAt} {
		tasks, err := core.Head(tx, s.walk(lane), limit)
		if err != nil {
			return nil, err
		}
		if out, err = s.waitsOf(tx, tasks, out); err != nil || len(out) == maxWaits || len(tasks) < limit {
			return out, err
		}
	}
	return out, nil
}

// waitsBelow is waits for the tasks below one.
func (s selector) waitsBelow(tx *store.Tx, below []*task.Task) ([]Wait, error) {
	rank := func(t *task.Task) int {
		return slices.Index([]bool{t.KeptBack(), t.Status == task.InReview, !t.Waits(), true}, true)
	}
	sorted := slices.SortedStableFunc(slices.Values(below), func(a, b *task.Task) int { return cmp.Compare(rank(a), rank(b)) })
	return s.waitsOf(tx, sorted, nil)
}

// waitsOf adds the tasks that wait for somebody else, as long as there is room.
func (s selector) waitsOf(tx *store.Tx, tasks []*task.Task, out []Wait) ([]Wait, error) {
	for _, t := range tasks {
		if len(out) == maxWaits {
			return out, nil
		}
		if slices.ContainsFunc(out, func(w Wait) bool { return w.Task == t.ID }) {
			continue // in review, and asked about; or named when fewer were read
		}
		w, err := s.wait(tx, t)
		if err != nil {
			return nil, err
		}
		if w != nil {
			out = append(out, *w)
		}
	}
	return out, nil
}

// wait returns what a task waits for if only somebody else can end that, and otherwise nil.
func (s selector) wait(tx *store.Tx, t *task.Task) (*Wait, error) {
	w := &Wait{Task: t.ID, Title: t.Title}
	state := t.State()
	switch {
	case t.KeptBack():
		q, err := tx.HoldingBack(t.ID)
		if err != nil || q == nil {
			return nil, err
		}
		w.Kind, w.Why, w.For = WaitsAnswer, fmt.Sprintf("question %d", q.ID), cmp.Or(string(q.To), s.policy.AnyHuman())
		return w, nil
	case state == task.StateInReview:
		missing := s.policy.RequiredOfAgents(t)
		if len(missing) > 0 && t.Approvals > 0 {
			given, err := tx.Approvals(t.ID)
			if err != nil {
				return nil, err
			}
			missing = task.MissingApprovals(missing, given)
		}
		w.Kind, w.Why, w.For = WaitsReview, "in review", s.policy.Judges(missing)
		return w, nil
	case (state == task.StateReady || state == task.StateWaiting) && s.policy.MayHold(s.actor, t.Autonomy, t.MayExecute) != nil:
		people := s.policy.ForPeople(t.Autonomy)
		why, listed := s.policy.Whose(s.actor, t.Autonomy, t.MayExecute)
		w.Kind, w.Why, w.For = WaitsOthers, why, cmp.Or(listed, s.policy.AnyHuman())
		switch {
		case state == task.StateWaiting:
			w.Kind, w.Why = WaitsForTask, w.Why+" once it is ready"
		case people:
			w.Kind = WaitsPeople
		}
		return w, nil
	}
	return nil, nil
}
