package asof

import (
	"cmp"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Cards returns the cards of a board, by status: open tasks with the ready ones first, then in the order of selection;
// closed tasks newest first.
func (v *View) Cards(q query.Cards) ([][]task.Card, error) {
	out := make([][]task.Card, len(task.Statuses))
	for i, status := range task.Statuses {
		add := func(t *task.Task) bool {
			out[i] = append(out[i], task.CardOf(t))
			return len(out[i]) < q.Limit
		}
		if status.Closed() {
			list, err := v.Closed(q.Project, status, 0, q.Limit)
			if err != nil {
				return nil, err
			}
			for _, t := range list {
				add(t)
			}
			continue
		}
		for _, lane := range columns[status] {
			if len(out[i]) == q.Limit {
				break
			}
			walk := query.Frontier{Project: q.Project, Policy: q.Policy, Actor: q.Actor, Lane: lane, Limit: q.Limit - len(out[i])}
			if err := v.Walk(walk, add); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// columns are the lanes that make up a column of the board.
var columns = map[task.Status][]query.Lane{
	task.Open: {query.LaneReady, query.LaneNotReady}, task.InProgress: {query.LaneInProgress}, task.InReview: {query.LaneInReview},
}

// lanes are the states of the lanes that can be read at an earlier moment.
var lanes = map[query.Lane][]task.State{
	query.LaneReady:      {task.StateReady},
	query.LaneNotReady:   {task.StateAsked, task.StateWaiting},
	query.LaneWaiting:    {task.StateWaiting},
	query.LaneInProgress: {task.StateHeld, task.StateUnheld},
	query.LaneInReview:   {task.StateInReview},
}

// Walk walks a lane.
func (v *View) Walk(q query.Frontier, yield func(*task.Task) bool) error {
	states, ok := lanes[q.Lane]
	if q.Lane == query.LaneAmong {
		states, ok = query.List{Among: q.Among}.States(), true
	}
	if !ok || q.Under != "" || q.Until != nil {
		return fault.New(fault.Internal, "lane %d, or a part of it, cannot be read at an earlier moment", q.Lane)
	}
	order, err := task.NewOrder(q.Policy.Selection)
	if err != nil {
		return err
	}
	compare := func(a, b *task.Task) int { return order.Compare(q.Policy, q.Actor, a, b) }
	mine := v.s.replaced(nil, func(t *task.Task) bool { return slices.Contains(states, t.State()) })
	slices.SortFunc(mine, func(a, b *task.Task) int { return cmp.Or(compare(a, b), task.CompareIDs(a.ID, b.ID)) })
	q.Form = query.Whole // to find its place in the order
	given, ended := 0, false
	give := func(t *task.Task) bool {
		given++
		ended = !yield(t) || given == q.Limit
		return !ended
	}
	err = v.tx.Walk(q, func(t *task.Task) bool {
		if v.s.Has(t.ID) {
			return true
		}
		for len(mine) > 0 && compare(mine[0], t) < 0 {
			if !give(mine[0]) {
				return false
			}
			mine = mine[1:]
		}
		return give(t)
	})
	for _, t := range mine {
		if err != nil || ended || !give(t) {
			break
		}
	}
	return err
}
