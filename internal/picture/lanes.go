package picture

import (
	"context"
	"slices"

	"tasker/internal/asof"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// LanesIn asks for a board by state: of all tasks or of the tasks below one, optionally with the cards grouped by the
// task that they are part of.
type LanesIn struct {
	Slug  string
	Limit *int
	At    *int64 // as it was after this event
	Epic  string // only tasks below this one, at any depth
	Group bool   // LanesOut has Rows
}

// LanesOut is a project by state, as a board shows it: which tasks can be claimed, which wait and for what, and which are
// closed.
type LanesOut struct {
	Project   string
	Lanes     []BoardLane
	Rows      []BoardRow // the cards of the lanes grouped by epic, if requested
	At        *asof.Was  // the requested moment; nil: now
	Epic      *query.Epic
	Epics     []query.Epic // the epics to choose from: the newest open ones
	EpicsMore bool         // there are more
}

// BoardLane holds the first tasks of a lane: in the order of selection, or newest first for closed tasks. The lane of
// waiting tasks includes tasks held back by a question.
type BoardLane struct {
	Name  string // ready, waiting, in_progress, in_review, done or cancelled
	Total int
	Cards []LaneCard
}

// LaneCard is a task on a board with its state and the first task that it waits for.
type LaneCard struct {
	task.Card
	State    string
	WaitsFor *OnCard // nil: nothing, or only a question
	Others   int     // how many more it waits for
}

// OnCard is a task that another one waits for, as the other's card names it.
type OnCard struct {
	Task   task.ID
	Title  string
	Status task.Status
	State  string
	Holder task.Opt
}

// Lanes returns the board of a project by state.
func (s *Service) Lanes(ctx context.Context, in LanesIn) (LanesOut, error) {
	return withinAt(ctx, s.Env, in.Slug, in.Limit, in.At, func(sc scene, was *asof.Was) (LanesOut, error) {
		out := LanesOut{Project: sc.Project.Slug, At: was}
		var err error
		if out.Epics, out.EpicsMore, err = sc.View.Epics(sc.Project.Slug, maxEpics); err != nil {
			return out, err
		}
		if in.Epic == "" {
			out.Lanes, err = sc.lanes()
		} else {
			out.Epic, out.Lanes, err = sc.lanesBelow(ctx, in.Epic)
		}
		if err == nil && in.Group {
			out.Rows, err = sc.rows(out.Lanes)
		}
		return out, err
	})
}

// lanes returns the board of all tasks.
func (s scene) lanes() ([]BoardLane, error) {
	n := s.Project.States()
	out := []BoardLane{
		{Name: "ready", Total: n[task.StateReady]},
		{Name: "waiting", Total: n[task.StateWaiting] + n[task.StateAsked]},
		{Name: "in_progress", Total: n[task.StateHeld] + n[task.StateUnheld]},
		{Name: "in_review", Total: n[task.StateInReview]},
		{Name: "done", Total: n[task.StateDone]},
		{Name: "cancelled", Total: n[task.StateCancelled]},
	}
	cards, err := s.View.Cards(query.Cards{Project: s.Project.Slug, Policy: s.Policy, Actor: s.Actor, Limit: s.Limit})
	if err != nil {
		return nil, err
	}
	ready := cards[0] // the open tasks begin with the ready ones
	out[0].Cards = lane(ready[:min(len(ready), n[task.StateReady])])
	rest := out[2:]
	for i := range rest {
		rest[i].Cards = lane(cards[i+1])
	}
	waiting, err := s.Lane(query.LaneNotReady, s.Limit)
	if err != nil {
		return nil, err
	}
	out[1].Cards, err = s.waitingCards(waiting)
	return out, err
}

// lane returns cards with a state derived from their status; open ones count as ready.
func lane(cards []task.Card) []LaneCard {
	out := make([]LaneCard, len(cards))
	for i, c := range cards {
		out[i] = LaneCard{Card: c, State: string(c.Status)}
		if c.Status == task.Open {
			out[i].State = task.States[task.StateReady]
		}
	}
	return out
}

// waitingCards returns the cards of waiting tasks, each with the first task that it waits for.
func (s scene) waitingCards(tasks []*task.Task) ([]LaneCard, error) {
	ids := task.IDsOf(slices.DeleteFunc(slices.Clone(tasks), func(t *task.Task) bool { return !t.Waits() }))
	first, err := s.View.FirstAwaited(ids)
	if err != nil {
		return nil, err
	}
	var awaited []task.ID
	for _, id := range ids {
		if on, ok := first[id]; ok {
			awaited = append(awaited, on)
		}
	}
	found, err := s.View.TasksByID(awaited)
	if err != nil {
		return nil, err
	}
	known := task.ByID(found)
	out := make([]LaneCard, len(tasks))
	for i, t := range tasks {
		out[i] = LaneCard{Card: task.CardOf(t), State: task.States[t.State()]}
		if on := known[first[t.ID]]; on != nil {
			out[i].Others = t.OpenDeps + t.Parts - 1
			out[i].WaitsFor = &OnCard{Task: on.ID, Title: on.Title, Status: on.Status, State: task.States[on.State()], Holder: on.Holder()}
		}
	}
	return out, nil
}
