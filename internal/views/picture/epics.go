package picture

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// maxEpics limits how many epics a board offers to choose from.
const maxEpics = 200

// BoardRow holds the cards of a board that are part of one task, lane by lane. Epic is empty for cards that are part of
// no task.
type BoardRow struct {
	Epic  query.Epic
	Lanes []BoardLane // the lanes that have cards, with the cards that are shown
}

// laneOf is the index of each state's lane on a board.
var laneOf = [...]int{
	task.StateReady: 0, task.StateWaiting: 1, task.StateAsked: 1, task.StateHeld: 2, task.StateUnheld: 2, task.StateInReview: 3,
	task.StateDone: 4, task.StateCancelled: 5,
}

// lanesBelow returns the board of the tasks below one, in the same order as the board of all tasks.
func (s *Service) lanesBelow(ctx context.Context, sc scene, name string) (*query.Epic, []BoardLane, error) {
	_, id, err := core.Below(ctx, sc.View, sc.Project.Slug, name)
	if err != nil {
		return nil, nil, err
	}
	epic, err := sc.View.Task(id)
	if err != nil {
		return nil, nil, err
	}
	order, err := task.NewOrder(sc.Policy.Selection)
	if err != nil {
		return nil, nil, err
	}
	below, err := sc.View.Below(epic.ID)
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(below, func(a, b *task.Task) int {
		if a.Status.Closed() && b.Status.Closed() {
			return cmp.Or(cmp.Compare(b.ClosedAt, a.ClosedAt), task.CompareIDs(b.ID, a.ID))
		}
		if a.Status.Closed() != b.Status.Closed() {
			return cmp.Compare(laneOf[a.State()], laneOf[b.State()])
		}
		return order.Compare(sc.Policy, sc.Actor, a, b)
	})
	out := []BoardLane{{Name: "ready"}, {Name: "waiting"}, {Name: "in_progress"}, {Name: "in_review"}, {Name: "done"}, {Name: "cancelled"}}
	var waiting []*task.Task
	for _, t := range below {
		l := &out[laneOf[t.State()]]
		l.Total++
		if s := t.State(); s == task.StateAsked || s == task.StateUnheld {
			l.Other++
		}
		if l == &out[1] && l.Total <= max(sc.Limit, followed) {
			waiting = append(waiting, t)
		}
		if l == &out[1] || l.Total > sc.Limit {
			continue
		}
		l.Cards = append(l.Cards, lane([]task.Card{task.CardOf(t)})...)
	}
	return &query.Epic{ID: epic.ID, Title: epic.Title}, out, s.fillWaiting(sc, &out[1], waiting)
}

// over reports whether nothing in a row is left to work on.
func (r BoardRow) over() bool { return r.Lanes[0].Name == "done" || r.Lanes[0].Name == "cancelled" }

// rows groups the cards of a board by the task that they are part of, ordered by its number. Cards that are part of no
// task come next, and rows whose tasks are all closed come last.
func (s scene) rows(lanes []BoardLane) ([]BoardRow, error) {
	at := map[task.ID]*BoardRow{}
	for _, l := range lanes {
		for _, c := range l.Cards {
			id := task.ID(c.Parent)
			row := at[id]
			if row == nil {
				row = &BoardRow{Epic: query.Epic{ID: id}}
				at[id] = row
			}
			if n := len(row.Lanes); n == 0 || row.Lanes[n-1].Name != l.Name {
				row.Lanes = append(row.Lanes, BoardLane{Name: l.Name})
			}
			last := &row.Lanes[len(row.Lanes)-1]
			last.Cards, last.Total = append(last.Cards, c), last.Total+1
		}
	}
	rest := at[""]
	delete(at, "")
	ids := slices.SortedFunc(maps.Keys(at), task.CompareIDs)
	titles, err := s.View.Titles(s.Project.Slug, ids)
	if err != nil {
		return nil, err
	}
	if rest != nil {
		at[""], ids = rest, append(ids, "")
	}
	out := make([]BoardRow, 0, len(at))
	for _, over := range []bool{false, true} {
		for _, id := range ids {
			if row := at[id]; row.over() == over {
				row.Epic.Title = titles[id]
				out = append(out, *row)
			}
		}
	}
	return out, nil
}
