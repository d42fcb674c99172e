package asof

import (
	"cmp"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Task returns not found for a task that did not exist yet.
func (v *View) Task(id task.ID) (*task.Task, error) {
	now, err := v.tx.Task(id)
	if err == nil {
		id = now.ID // it may have been renamed
	}
	if v.s.Has(id) {
		if t := v.s.Then(id); t != nil {
			return t, nil
		}
		if err == nil {
			return nil, fault.Missing("there was no task %s at event %d", id, v.s.was.Event).WithHint("it was created later: leave at out, or name a later event")
		}
	}
	return now, err
}

// TaskByKey returns the task that had a key, as it was.
func (v *View) TaskByKey(slug, key string) (*task.Task, error) {
	for t := range v.s.were {
		if t.Project == slug && t.Key == key {
			return t, nil
		}
	}
	now, err := v.tx.TaskByKey(slug, key)
	if err != nil {
		return nil, err
	}
	return v.Task(now.ID)
}

// TasksByID returns the tasks that existed then among the ids, in the order of the ids.
func (v *View) TasksByID(ids []task.ID) ([]*task.Task, error) {
	found, err := v.tx.TasksByID(v.s.others(ids))
	if err != nil || len(v.s.ids) == 0 {
		return found, err
	}
	at := task.ByID(found)
	out := make([]*task.Task, 0, len(ids))
	for _, id := range ids {
		if t := cmp.Or(at[id], v.s.Then(id)); t != nil {
			out = append(out, t)
		}
	}
	return out, nil
}

// others returns the tasks that are not in the overlay.
func (o *overlay) others(ids []task.ID) []task.ID { return slices.DeleteFunc(slices.Clone(ids), o.Has) }

// Titles returns the titles that tasks had.
func (v *View) Titles(slug string, ids []task.ID) (map[task.ID]string, error) {
	out, err := v.tx.Titles(slug, v.s.others(ids))
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if t := v.s.Then(id); t != nil {
			out[id] = t.Title
		}
	}
	return out, nil
}

// Fill loads bodies and dependencies. Those that have changed since are known already.
func (v *View) Fill(list ...*task.Task) error {
	_, err := v.FillWithin(0, list...)
	return err
}

// FillWithin is Fill for as many tasks as fit a page of some bytes.
func (v *View) FillWithin(bytes int, list ...*task.Task) (int, error) {
	filled := make([]*task.Task, len(list))
	for i, t := range list {
		c := *t
		filled[i] = &c
	}
	fit, err := v.tx.FillWithin(bytes, filled...)
	if err != nil {
		return 0, err
	}
	for i, t := range list[:fit] {
		if !v.s.Has(t.ID) {
			t.Deps = filled[i].Deps
		}
		if !v.s.Bodied(t.ID) {
			t.Body = filled[i].Body
		}
	}
	return fit, nil
}

// HeldFirst returns the tasks that were held, in the order of their claims.
func (v *View) HeldFirst(slug string, limit int) ([]task.Hold, error) {
	found, err := v.tx.HeldFirst(slug, limit+v.s.some(isHeld))
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(found, func(h task.Hold) bool { return v.s.Has(h.Task) })
	for t := range v.s.were {
		if c := t.Claim; c != nil {
			out = append(out, task.Hold{Task: t.ID, Title: t.Title, Actor: c.Actor, Since: c.ClaimedAt, ExpiresAt: c.ExpiresAt, LeaseMs: c.LeaseMs, Questions: t.Questions})
		}
	}
	slices.SortFunc(out, func(a, b task.Hold) int {
		return cmp.Or(strings.Compare(a.Actor, b.Actor), task.CompareIDs(a.Task, b.Task))
	})
	out = out[:min(len(out), limit)]
	slices.SortStableFunc(out, func(a, b task.Hold) int { return cmp.Compare(a.Since, b.Since) })
	return out, nil
}

func isHeld(t *task.Task) bool { return t.Claim != nil }

// Touching returns the tasks that were held and whose globs may overlap the prefixes in starts. Of the overlay it
// returns every task that was held: they are few.
func (v *View) Touching(slug string, starts []string, but task.ID, limit int) (held []*task.Task, more bool, err error) {
	found, more, err := v.tx.Touching(slug, starts, but, limit+v.s.some(isHeld))
	if err != nil {
		return nil, false, err
	}
	held = v.s.replaced(found, func(t *task.Task) bool { return t.Claim != nil && t.ID != but && len(t.Touches) > 0 })
	byNumber(held)
	return held[:min(len(held), limit)], more || len(held) > limit, nil
}

// Closed returns the tasks of a closed status, newest first.
func (v *View) Closed(slug string, status task.Status, since task.Time, limit int) ([]*task.Task, error) {
	is := func(t *task.Task) bool {
		return t.Status.Closed() && (status == "" || t.Status == status) && t.ClosedAt >= since
	}
	found, err := v.tx.Closed(slug, status, since, limit+v.s.some(is))
	if err != nil {
		return nil, err
	}
	out := v.s.replaced(found, is)
	slices.SortFunc(out, newestFirst)
	return out[:min(len(out), limit)], nil
}

func newestFirst(a, b *task.Task) int {
	return cmp.Or(cmp.Compare(b.ClosedAt, a.ClosedAt), task.CompareIDs(b.ID, a.ID))
}

// replaced returns a list without the tasks of the overlay, followed by those of them that match.
func (o *overlay) replaced(list []*task.Task, is func(*task.Task) bool) []*task.Task {
	out := slices.DeleteFunc(slices.Clone(list), func(t *task.Task) bool { return o.Has(t.ID) })
	for t := range o.were {
		if is(t) {
			out = append(out, t)
		}
	}
	return out
}

func byNumber(list []*task.Task) {
	slices.SortFunc(list, func(a, b *task.Task) int { return task.CompareIDs(a.ID, b.ID) })
}
