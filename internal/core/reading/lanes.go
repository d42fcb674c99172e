package reading

import (
	"context"

	"tasker/internal/core/past"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// LanesOut is a project by state, as a board shows it: what can be taken, what waits and for what, and what is over.
type LanesOut struct {
	Project string
	Lanes   []BoardLane
	At      *past.Was // the moment that was asked for; nil: now
}

// BoardLane is the first tasks of a lane: in the order of selection, or newest first for closed ones. The lane of waiting
// tasks has those that a question keeps back, too.
type BoardLane struct {
	Name  string // ready, waiting, in_progress, in_review, done or cancelled
	Total int
	Cards []LaneCard
}

// LaneCard is a task on a board with its state, and with the first that it waits for.
type LaneCard struct {
	task.Card
	State    string
	WaitsFor *ActOn // nil: nothing, or a question alone
	Others   int    // how many it waits for besides
}

// Lanes returns the board of a project by state.
func (s *Service) Lanes(ctx context.Context, in BoardIn) (LanesOut, error) {
	return withinAt(ctx, s.Env, in.Slug, in.Limit, in.At, func(sc scene, was *past.Was) (LanesOut, error) {
		n := sc.Project.States()
		out := LanesOut{Project: sc.Project.Slug, At: was, Lanes: []BoardLane{
			{Name: "ready", Total: n[task.StateReady]},
			{Name: "waiting", Total: n[task.StateWaiting] + n[task.StateAsked]},
			{Name: "in_progress", Total: n[task.StateHeld] + n[task.StateUnheld]},
			{Name: "in_review", Total: n[task.StateInReview]},
			{Name: "done", Total: n[task.StateDone]},
			{Name: "cancelled", Total: n[task.StateCancelled]},
		}}
		cards, err := sc.Tx.Frontier.Cards(query.Cards{Project: sc.Project.Slug, Policy: sc.Policy, Actor: sc.Actor, Limit: sc.Limit})
		if err != nil {
			return out, err
		}
		ready := cards[0] // of the open ones, those come first
		out.Lanes[0].Cards = lane(ready[:min(len(ready), n[task.StateReady])])
		for i := range cards[1:] {
			out.Lanes[i+2].Cards = lane(cards[i+1])
		}
		for i, c := range out.Lanes[0].Cards {
			c.State = task.States[task.StateReady]
			out.Lanes[0].Cards[i] = c
		}
		waiting, err := sc.Lane(query.LaneNotReady, sc.Limit)
		if err != nil {
			return out, err
		}
		out.Lanes[1].Cards, err = sc.waitingCards(waiting)
		return out, err
	})
}

// lane returns cards whose state is their status, as far as that tells it.
func lane(cards []task.Card) []LaneCard {
	out := make([]LaneCard, len(cards))
	for i, c := range cards {
		out[i] = LaneCard{Card: c, State: string(c.Status)}
	}
	return out
}

// waitingCards returns the cards of tasks that wait, each with the first that it waits for.
func (s scene) waitingCards(tasks []*task.Task) ([]LaneCard, error) {
	ids := make([]task.ID, 0, len(tasks))
	for _, t := range tasks {
		if t.Waits() {
			ids = append(ids, t.ID)
		}
	}
	first, err := s.Tx.Graph.FirstAwaited(ids)
	if err != nil {
		return nil, err
	}
	var awaited []task.ID
	for _, id := range ids {
		if on, ok := first[id]; ok {
			awaited = append(awaited, on)
		}
	}
	known := map[task.ID]*task.Task{}
	found, err := s.Tx.Tasks.ByID(awaited)
	if err != nil {
		return nil, err
	}
	for _, t := range found {
		known[t.ID] = t
	}
	out := make([]LaneCard, len(tasks))
	for i, t := range tasks {
		out[i] = LaneCard{Card: task.CardOf(t), State: task.States[t.State()]}
		on := known[first[t.ID]]
		if on == nil {
			continue
		}
		out[i].WaitsFor, out[i].Others = &ActOn{Task: on.ID, Title: on.Title, Status: on.Status, State: task.States[on.State()]}, t.OpenDeps+t.Parts-1
		if on.Claim != nil {
			out[i].WaitsFor.Holder = task.Opt(on.Claim.Actor)
		}
	}
	return out, nil
}
