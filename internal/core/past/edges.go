package past

import (
	"cmp"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// edges answers with dependencies and parents as they were.
type edges struct {
	core.GraphReader
	tasks tasks
	s     *snapshot
}

// Edges returns the dependencies of many tasks.
func (g edges) Edges(ids []task.ID) ([]query.Edge, error) { return g.EdgesFrom(ids, 0) }

// EdgesFrom returns up to limit dependencies of many tasks, task by task.
func (g edges) EdgesFrom(ids []task.ID, limit int) (out []query.Edge, err error) {
	for _, id := range sorted(ids) {
		t := g.s.byID[id]
		if t == nil {
			continue
		}
		for _, on := range sorted(t.Deps) {
			if out = append(out, query.Edge{From: id, To: on}); len(out) == limit {
				return out, nil
			}
		}
	}
	return out, nil
}

// EdgesTo returns up to limit dependencies on many tasks.
func (g edges) EdgesTo(ids []task.ID, limit int) (out []query.Edge, err error) {
	for _, id := range sorted(ids) {
		for _, by := range g.s.dependents[id] {
			if out = append(out, query.Edge{From: by, To: id}); len(out) == limit {
				return out, nil
			}
		}
	}
	return out, nil
}

func sorted(ids []task.ID) []task.ID {
	return slices.SortedFunc(slices.Values(ids), task.CompareIDs)
}

// Children returns the children of a task.
func (g edges) Children(id task.ID) ([]task.ID, error) { return g.s.children[id], nil }

// Below returns every descendant of a task, by level and number.
func (g edges) Below(id task.ID) (out []*task.Task, err error) {
	level := []task.ID{id}
	for range len(g.s.tasks) { // parents have no cycle
		var next []task.ID
		for _, parent := range level {
			next = append(next, g.s.children[parent]...)
		}
		if level = sorted(next); len(level) == 0 {
			break
		}
		for _, id := range level {
			out = append(out, g.s.byID[id])
		}
	}
	return out, nil
}

// Epics returns the newest open tasks that had parts.
func (g edges) Epics(_ string, limit int) (some []query.Epic, more bool, err error) {
	for _, t := range g.s.tasks {
		if !t.Status.Closed() && len(g.s.children[t.ID]) > 0 {
			some = append(some, query.Epic{ID: t.ID, Title: t.Title})
		}
	}
	more = len(some) > limit
	return some[max(0, len(some)-limit):], more, nil
}

// Dependents returns what depended on a task.
func (g edges) Dependents(id task.ID) ([]task.ID, error) { return g.s.dependents[id], nil }

// FirstAwaited returns of each task the first open one that it waited for: a dependency, else a part.
func (g edges) FirstAwaited(ids []task.ID) (map[task.ID]task.ID, error) {
	out := map[task.ID]task.ID{}
	for _, id := range ids {
		t := g.s.byID[id]
		if t == nil {
			continue
		}
		for _, on := range sorted(t.Deps) {
			if d := g.s.byID[on]; d != nil && !d.Status.Closed() {
				out[id] = on
				break
			}
		}
		if _, ok := out[id]; ok {
			continue
		}
		for _, part := range g.s.children[id] {
			if g.s.byID[part].Part() {
				out[id] = part
				break
			}
		}
	}
	return out, nil
}

// frontier answers with the order of what was open.
type frontier struct {
	core.FrontierReader
	s *snapshot
}

// Cards returns the cards of a board, by status.
func (f frontier) Cards(q query.Cards) ([][]task.Card, error) {
	out := make([][]task.Card, len(task.Statuses))
	for i, status := range task.Statuses {
		var list []*task.Task
		for _, t := range f.s.tasks {
			if t.Status == status {
				list = append(list, t)
			}
		}
		f.s.order(list, q.Policy, q.Actor, status)
		for _, t := range list[:min(len(list), q.Limit)] {
			out[i] = append(out[i], task.CardOf(t))
		}
	}
	return out, nil
}

// order puts the tasks of a status in the order of a board: ready ones first, then that of selection; closed ones newest first.
func (s *snapshot) order(list []*task.Task, p task.Policy, a task.Actor, status task.Status) {
	o := p.Order()
	slices.SortStableFunc(list, func(x, y *task.Task) int {
		if status.Closed() {
			return cmp.Or(cmp.Compare(y.ClosedAt, x.ClosedAt), task.CompareIDs(y.ID, x.ID))
		}
		if x.Ready() != y.Ready() {
			if x.Ready() {
				return -1
			}
			return 1
		}
		return o.Compare(p, a, x, y)
	})
}

// lanes are the states of the lanes that an answer of the past is made of.
var lanes = map[query.Lane][]task.State{
	query.LaneReady:      {task.StateReady},
	query.LaneNotReady:   {task.StateAsked, task.StateWaiting},
	query.LaneWaiting:    {task.StateWaiting},
	query.LaneInProgress: {task.StateHeld, task.StateUnheld},
	query.LaneInReview:   {task.StateInReview},
}

// Walk goes along a lane.
func (f frontier) Walk(q query.Frontier, yield func(*task.Task) bool) error {
	states, ok := lanes[q.Lane]
	if !ok {
		return fault.New(fault.Internal, "no answer of the past is made of lane %d", q.Lane)
	}
	var list []*task.Task
	for _, t := range f.s.tasks {
		if slices.Contains(states, t.State()) {
			list = append(list, t)
		}
	}
	f.s.order(list, q.Policy, q.Actor, task.Open)
	for i, t := range list {
		if q.Limit > 0 && i == q.Limit || !yield(t) {
			break
		}
	}
	return nil
}
