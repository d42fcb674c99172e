package asof

import (
	"slices"
	"sort"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// CreatedBySpan counts tasks by the span in which they were created.
func (v *View) CreatedBySpan(slug string, spans query.Spans) ([]int, error) {
	out, err := v.tx.CreatedBySpan(slug, spans)
	return v.countSpans(out, spans, func(t *task.Task) (task.Time, bool) { return t.CreatedAt, true }), err
}

// ClosedBySpan counts tasks of a closed status by the span in which they were closed.
func (v *View) ClosedBySpan(slug string, status task.Status, spans query.Spans) ([]int, error) {
	out, err := v.tx.ClosedBySpan(slug, status, spans)
	return v.countSpans(out, spans, func(t *task.Task) (task.Time, bool) { return t.ClosedAt, t.Status == status }), err
}

func (v *View) countSpans(out []int, s query.Spans, when func(*task.Task) (task.Time, bool)) []int {
	if len(out) == s.N {
		v.s.count(func(t *task.Task, by int) {
			if at, ok := when(t); ok {
				out[min(max(int((at-s.From)/s.Each), 0), s.N-1)] += by
			}
		})
	}
	return out
}

// Remaining returns the tasks that were open, with only what a forecast needs.
func (v *View) Remaining(slug string, limit int) ([]query.Remaining, error) {
	found, err := v.tx.Remaining(slug, limit+v.s.some(isOpen))
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(found, func(r query.Remaining) bool { return v.s.Has(r.Task) })
	for t := range v.s.were {
		r := query.Remaining{Task: t.ID, Gate: string(t.Gate), Created: t.CreatedAt}
		switch {
		case t.Status.Closed():
			continue
		case t.Claim != nil:
			r.Began = t.Claim.ClaimedAt
		case t.Status != task.Open:
			r.Began = t.UpdatedAt
		}
		out = append(out, r)
	}
	sort.Slice(out, func(i, j int) bool { return task.CompareIDs(out[i].Task, out[j].Task) < 0 })
	return out[:min(len(out), limit)], nil
}

// Parts counts the parts of every task that had any.
func (v *View) Parts(slug string) (map[task.ID]query.Parts, error) {
	out, err := v.tx.Parts(slug)
	if err != nil {
		return nil, err
	}
	v.s.count(func(t *task.Task, by int) {
		if t.Parent == "" {
			return
		}
		up := task.ID(t.Parent)
		n := out[up]
		n.All += by
		n.Closed += by * store.One(t.Status.Closed())
		if out[up] = n; n.All == 0 {
			delete(out, up)
		}
	})
	return out, nil
}
