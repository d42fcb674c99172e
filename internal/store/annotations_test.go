package store_test

import (
	"pgregory.net/rapid"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/storetest"
)

// ask puts a question to a task and, if drawn, releases the task in the same turn.
func (h *history) ask() {
	id, by := h.pick("ask"), h.by()
	q := task.Question{Text: "which one?", Blocking: rapid.Bool().Draw(h.t, "blocking")}
	release := rapid.Bool().Draw(h.t, "and release")
	h.write(by, func(w *store.Tx) error {
		t, err := w.Task(id)
		if err != nil {
			return err
		}
		asked, err := w.AskQuestion(t, q)
		if err != nil {
			return err
		}
		if h.asked = append(h.asked, asked.ID); !release {
			return nil
		}
		after, holder, err := t.ReleaseBy(by.Actor, nil, false, w.Now())
		if err != nil || holder == "" {
			return nil //nolint:nilerr // somebody else holds it: the question stays
		}
		return w.Save(task.Change{Before: t, After: after, Events: []task.Draft{{Kind: task.ClaimReleased}}})
	})
}

// answer ends a question by an answer or a withdrawal.
func (h *history) answer() {
	if len(h.asked) == 0 {
		return
	}
	id, withdraw := rapid.SampledFrom(h.asked).Draw(h.t, "question"), rapid.Bool().Draw(h.t, "withdraw")
	h.write(storetest.Alice, func(w *store.Tx) error {
		q, err := w.Question(id)
		if err != nil {
			return err
		}
		if withdraw {
			return w.WithdrawQuestion(q)
		}
		return w.AnswerQuestion(q, "that one")
	})
}

func (h *history) decide() {
	id := h.pick("decide")
	h.write(storetest.Alice, func(w *store.Tx) error {
		t, err := w.Task(id)
		if err != nil {
			return err
		}
		_, err = w.AddDecision(t, "that one", "it is cheaper")
		return err
	})
}

// dues are the due dates that tasks of the histories may have.
var dues = []string{"", "2026-01-01", "2026-01-02", "2026-01-02T03:04:06Z", "1969-12-31T23:00:00+02:00", "2030-05-05"}

// postpone changes when a task is due.
func (h *history) postpone() {
	id, due := h.pick("postpone"), rapid.SampledFrom(dues).Draw(h.t, "due")
	h.write(storetest.Alice, func(w *store.Tx) error {
		t, err := w.Task(id)
		if err != nil {
			return err
		}
		after := *t
		after.Version++
		after.Due = task.Opt(due)
		return w.Save(task.Change{Before: t, After: &after, Events: []task.Draft{{Kind: task.TaskUpdated}}})
	})
}

// counts compares the counts by day and by route with a plain count.
func (h *history) counts(r *store.Tx, all []*task.Task) error {
	overdue, closed, questioned := 0, 0, 0
	since := r.Now().Add(-1000)
	ready := map[task.Opt]int{}
	for _, t := range all {
		if at, ok := t.DueAt(); ok && at < r.Now() && !t.Status.Closed() {
			overdue++
		}
		if t.ClosedAt != 0 && t.ClosedAt >= since {
			closed++
		}
		if t.Ready() {
			ready[t.Autonomy]++
		}
		if (t.Status == task.Open || t.Status == task.InProgress) && t.Claim == nil && t.Questions > 0 {
			questioned++
		}
	}
	if got, err := r.Overdue(h.slug); err != nil || got != overdue {
		h.t.Fatalf("%d are overdue, want %d (%v)", got, overdue, err)
	}
	if got, err := r.ClosedSince(h.slug, since); err != nil || got != closed {
		h.t.Fatalf("%d were closed since, want %d (%v)", got, closed, err)
	}
	routes, asked, err := r.ReadyBy(h.slug)
	for _, n := range routes {
		ready[n.Autonomy] -= n.Ready
	}
	if err != nil || asked != questioned || ready[""] != 0 || ready["human_only"] != 0 {
		h.t.Fatalf("ready by route is off by %v; %d have questions, want %d (%v)", ready, asked, questioned, err)
	}
	return nil
}
