package frontier

import "tasker/internal/task"

// Place is where an open task is on the frontier: a route, counted from 1, or one of the constants below.
type Place = int64

// The places that are not routes.
const (
	Nowhere  Place = -9 // it is closed
	InReview Place = -4
	Unheld   Place = -3 // in progress, and nobody holds it
	Waiting  Place = -2 // for dependencies, or for its own parts
	Asked    Place = -1 // ready except for a blocking question
	Held     Place = 0
)

// place returns the place of a task, and adds its route if that is new.
func (f *Frontier) place(p *Project, t *task.Task) (int64, error) {
	at, ready := Standing(t)
	if !ready {
		return at, nil
	}
	return f.routeOf(p, t)
}

// Standing returns the place of a task as far as its row decides it; a ready task is on its route.
func Standing(t *task.Task) (at int64, ready bool) {
	if t.Ready() {
		return 0, true
	}
	return placeOf[t.State()], false
}

// placeOf is the place of each state. A ready task is on its route instead; the first route stands for all of them.
var placeOf = [...]Place{
	task.StateReady: 1, task.StateWaiting: Waiting, task.StateAsked: Asked, task.StateHeld: Held, task.StateUnheld: Unheld,
	task.StateInReview: InReview, task.StateDone: Nowhere, task.StateCancelled: Nowhere,
}

// PlaceOf returns the place of a task without adding a route. The project must be known.
func (p *Project) PlaceOf(t *task.Task) Place {
	at, ready := Standing(t)
	if !ready {
		return at
	}
	key, _, _, err := routeKey(t)
	rt, ok := p.routes[key]
	if err != nil || !ok {
		return Nowhere
	}
	return rt.ID
}
