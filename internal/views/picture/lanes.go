package picture

import (
	"context"

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
	Other int // how many of them are in the lane's second state
	Cards []LaneCard
	// Causes are the waiting tasks by what they wait for in the end, most first; tasks that wait for an answer come before
	// them. CausesMore says that there are more waiting tasks than were followed, so that a cause may hold up more.
	Causes     []LaneCause
	CausesMore bool
}

// LaneCount is how many tasks of a lane are in one state.
type LaneCount struct {
	State string
	N     int
}

// Counts counts the tasks of a lane by state, so that each number is that of its state everywhere.
func (l BoardLane) Counts() []LaneCount {
	out := []LaneCount{{l.Name, l.Total - l.Other}}
	if l.Other > 0 {
		second := task.StateAsked
		if l.Name == "in_progress" {
			second = task.StateUnheld
		}
		out = append(out, LaneCount{task.States[second], l.Other})
	}
	return out
}

// LaneCause is a task that others wait for in the end, and the tasks of the lane whose longest chain begins there.
type LaneCause struct {
	On    *OnCard // nil: they wait for an answer to a question on themselves, or their chain is too long to follow
	Holds int     // how many open tasks wait for it, on longer chains of others too; 0 if that was not counted
	Cards []LaneCard
}

// LaneCard is a task on a board with its state and the root of its longest chain: see roots.Root.
type LaneCard struct {
	task.Card
	State    string
	WaitsFor *OnCard // nil: nothing, or only a question
	Others   int     // how many other roots it has
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
			out.Lanes, err = s.lanes(sc)
		} else {
			out.Epic, out.Lanes, err = s.lanesBelow(ctx, sc, in.Epic)
		}
		for _, l := range out.Lanes {
			for i := range l.Cards {
				if c := &l.Cards[i].Card; sc.Policy.ForPeople(c.Autonomy) { // of the task itself, or by default
					c.Autonomy = task.Opt(task.HumanOnly)
				}
			}
		}
		if err == nil && in.Group {
			out.Rows, err = sc.rows(out.Lanes)
		}
		return out, err
	})
}

// lanes returns the board of all tasks.
func (s *Service) lanes(sc scene) ([]BoardLane, error) {
	n := sc.Project.States()
	out := []BoardLane{
		{Name: "ready", Total: n[task.StateReady]},
		{Name: "waiting", Total: n[task.StateWaiting] + n[task.StateAsked], Other: n[task.StateAsked]},
		{Name: "in_progress", Total: n[task.StateHeld] + n[task.StateUnheld], Other: n[task.StateUnheld]},
		{Name: "in_review", Total: n[task.StateInReview]},
		{Name: "done", Total: n[task.StateDone]},
		{Name: "cancelled", Total: n[task.StateCancelled]},
	}
	cards, err := sc.View.Cards(query.Cards{Project: sc.Project.Slug, Policy: sc.Policy, Actor: sc.Actor, Limit: sc.Limit})
	if err != nil {
		return nil, err
	}
	ready := cards[0] // the open tasks begin with the ready ones
	out[0].Cards = lane(ready[:min(len(ready), n[task.StateReady])])
	rest := out[2:]
	for i := range rest {
		rest[i].Cards = lane(cards[i+1])
	}
	waiting, err := sc.Lane(query.LaneNotReady, max(sc.Limit, followed))
	if err != nil {
		return nil, err
	}
	return out, s.fillWaiting(sc, &out[1], waiting)
}

// followed is how many waiting tasks are followed to what they wait for in the end.
const followed = 500

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
