package forecast

import (
	"slices"

	"tasker/internal/task"
)

// State is a stage of a task on the way to its close.
type State string

// The states of a task that is not closed, in their usual order.
const (
	Open     State = "open"
	Held     State = "held"
	Unheld   State = "unheld"
	InReview State = "in_review"
	Closed   State = "closed"
)

// Mark says when a task entered a state, and who moved it there.
type Mark struct {
	At    task.Time
	To    State
	Actor string
}

// Track is the history of a closed task.
type Track struct {
	Created, Closed task.Time
	Marks           []Mark // in order
}

// Span returns when the task was first claimed since it was last closed, and who held it last. ok is false if nobody ever
// claimed it.
func (t Track) Span() (from task.Time, actor string, ok bool) {
	for _, m := range t.Marks {
		switch {
		case m.At > t.Closed:
		case m.To == Closed && m.At < t.Closed:
			from, actor, ok = 0, "", false // it was reopened
		case m.To == Held || m.To == Unheld:
			if !ok {
				from, ok = m.At, true
			}
			actor = m.Actor
		}
	}
	return from, actor, ok
}

// Spent is how long tasks were in a state.
type Spent struct {
	State State `json:"state"`
	Tasks int   `json:"tasks"` // how many were ever in it
	Half  int64 `json:"halfMs"`
	Nine  int64 `json:"nineMs"`
}

// TimeSpent returns how long closed tasks were in each state before they were closed: the median and the ninetieth
// percentile of the tasks that were ever in it.
func TimeSpent(tracks []Track) []Spent {
	took := map[State][]int64{}
	for _, t := range tracks {
		in := map[State]int64{}
		at, state := t.Created, Open
		for _, m := range append(slices.Clip(t.Marks), Mark{At: t.Closed, To: Closed}) {
			if m.At > t.Closed {
				break
			}
			in[state] += int64(max(m.At-at, 0)) / 1000
			at, state = m.At, m.To
		}
		for _, s := range []State{Open, Held, Unheld, InReview} {
			if ms := in[s]; ms > 0 {
				took[s] = append(took[s], ms)
			}
		}
	}
	var out []Spent
	for _, s := range []State{Open, Held, Unheld, InReview} {
		list := took[s]
		if len(list) == 0 {
			continue
		}
		slices.Sort(list)
		out = append(out, Spent{State: s, Tasks: len(list), Half: list[len(list)/2], Nine: list[len(list)*9/10]})
	}
	return out
}
