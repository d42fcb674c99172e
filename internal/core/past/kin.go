package past

import (
	"cmp"
	"slices"

	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Flow returns what was open by number, the dependencies among it, and the parts that parents waited for without depending on
// them.
func (g edges) Flow(string) (ids []task.ID, deps, parts []query.Edge, err error) {
	for _, t := range g.s.tasks {
		if t.Status.Closed() {
			continue
		}
		ids = append(ids, t.ID)
		for _, on := range sorted(t.Deps) {
			if d := g.s.byID[on]; d != nil && !d.Status.Closed() {
				deps = append(deps, query.Edge{From: t.ID, To: on})
			}
		}
		up := g.s.byID[task.ID(t.Parent)]
		if up != nil && !up.Status.Closed() && !t.InCircle && !slices.Contains(up.Deps, t.ID) {
			parts = append(parts, query.Edge{From: up.ID, To: t.ID})
		}
	}
	return ids, deps, parts, nil
}

// Kin returns the tasks around one, the open ones first.
func (g edges) Kin(t *task.Task, limit int) (query.Kin, error) {
	some := func(ids []task.ID) (out []*task.Task) {
		for _, id := range sorted(ids) {
			if k := g.s.byID[id]; k != nil {
				out = append(out, k)
			}
		}
		slices.SortStableFunc(out, func(a, b *task.Task) int { return cmp.Compare(rank(a), rank(b)) })
		return out[:min(len(out), limit)]
	}
	return query.Kin{Children: some(g.s.children[t.ID]), Deps: some(t.Deps), Dependents: some(g.s.dependents[t.ID])}, nil
}

// rank puts closed tasks after the others.
func rank(t *task.Task) int {
	if t.Status.Closed() {
		return 1
	}
	return 0
}

// Ancestry returns the ancestors from the parent up, and how many of the nearest have their bodies.
func (g edges) Ancestry(id task.ID, limit, bytes int) (up []*task.Task, bodied int, err error) {
	t := g.s.byID[id]
	for t != nil && len(up) < limit {
		if t = g.s.byID[task.ID(t.Parent)]; t != nil {
			c := *t
			up = append(up, &c)
		}
	}
	bodied, err = g.tasks.FillWithin(bytes, up...)
	return up, bodied, err
}

// held returns the tasks that somebody held, by number.
func (s *snapshot) held() (out []*task.Task) {
	for _, t := range s.tasks {
		if t.Claim != nil {
			out = append(out, t)
		}
	}
	return out
}

// HeldFirst returns the tasks that were held, in the order of their claims.
func (r tasks) HeldFirst(_ string, limit int) ([]task.Hold, error) {
	var out []task.Hold
	for _, t := range r.s.held() {
		c := t.Claim
		out = append(out, task.Hold{Task: t.ID, Title: t.Title, Actor: c.Actor, Since: c.ClaimedAt, ExpiresAt: c.ExpiresAt, LeaseMs: c.LeaseMs})
	}
	slices.SortStableFunc(out, func(a, b task.Hold) int { return cmp.Compare(a.Since, b.Since) })
	return out[:min(len(out), limit)], nil
}

// Touching returns the tasks that were held, whatever they touched: there were few.
func (r tasks) Touching(_ string, _ []string, but task.ID, limit int) (held []*task.Task, more bool, err error) {
	for _, t := range r.s.held() {
		if t.ID != but && len(t.Touches) > 0 {
			held = append(held, t)
		}
	}
	return held[:min(len(held), limit)], len(held) > limit, nil
}

// Closed returns the tasks of a closed status, newest first.
func (r tasks) Closed(_ string, status task.Status, since task.Time, limit int) (out []*task.Task, err error) {
	for _, t := range r.s.tasks {
		if t.Status.Closed() && (status == "" || t.Status == status) && t.ClosedAt >= since {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b *task.Task) int {
		return cmp.Or(cmp.Compare(b.ClosedAt, a.ClosedAt), task.CompareIDs(b.ID, a.ID))
	})
	return out[:min(len(out), limit)], nil
}

// pace counts how a project had grown and been closed.
type pace struct{ s *snapshot }

// First returns when the first task was created.
func (p pace) First(string) (first task.Time, err error) {
	for _, t := range p.s.tasks {
		if first == 0 || t.CreatedAt < first {
			first = t.CreatedAt
		}
	}
	return first, nil
}

// Created counts tasks by the span in which they were created.
func (p pace) Created(_ string, s query.Spans) ([]int, error) {
	return p.count(s, func(t *task.Task) (task.Time, bool) { return t.CreatedAt, true }), nil
}

// Closed counts tasks of a closed status by the span in which they were closed.
func (p pace) Closed(_ string, status task.Status, s query.Spans) ([]int, error) {
	return p.count(s, func(t *task.Task) (task.Time, bool) { return t.ClosedAt, t.Status == status }), nil
}

func (p pace) count(s query.Spans, when func(*task.Task) (task.Time, bool)) []int {
	out := make([]int, s.N)
	for _, t := range p.s.tasks {
		if at, ok := when(t); ok {
			out[min(max(int((at-s.From)/s.Each), 0), s.N-1)]++
		}
	}
	return out
}

// Underway returns the open tasks that somebody had begun, or that have a gate.
func (p pace) Underway(_ string, limit int) (out []query.Underway, err error) {
	for _, t := range p.s.tasks {
		u := query.Underway{Task: t.ID, Gate: string(t.Gate)}
		switch {
		case t.Status.Closed() || t.Claim == nil && t.Status == task.Open && t.Gate == "":
			continue
		case t.Claim != nil:
			u.Began = t.Claim.ClaimedAt
		case t.Status != task.Open:
			u.Began = t.UpdatedAt
		}
		if out = append(out, u); len(out) == limit {
			break
		}
	}
	return out, nil
}

// Parts counts the parts of every task that had any.
func (p pace) Parts(string) (map[task.ID]query.Parts, error) {
	out := map[task.ID]query.Parts{}
	for _, t := range p.s.tasks {
		if t.Parent == "" {
			continue
		}
		n := out[task.ID(t.Parent)]
		if n.All++; t.Status.Closed() {
			n.Closed++
		}
		out[task.ID(t.Parent)] = n
	}
	return out, nil
}
