package task

import (
	"slices"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// State says where a task stands. Every task is in exactly one state, so the counts of all states add up to the number
// of tasks; Deadline, ForPeople and WaitsForHuman cut across them.
type State int

// The states, from what can be worked on to what is over.
const (
	StateReady   State = iota // on the ready frontier
	StateWaiting              // open, and a dependency or a part of it is not closed; also called blocked
	StateAsked                // open, and only an open blocking question keeps it back
	StateHeld                 // a live claim holds it
	StateUnheld               // in progress, and nobody holds it
	StateInReview
	StateDone
	StateCancelled
)

// States are the names of the states, in their order.
var States = []string{"ready", "waiting", "asked", "held", "unheld", "in_review", "done", "cancelled"}

// StateCounts are the tasks of a project by state.
type StateCounts [StateCancelled + 1]int

// ParseState refuses a text that is not the name of a state.
func ParseState(s string) (State, error) {
	if i := slices.Index(States, s); i >= 0 {
		return State(i), nil
	}
	return 0, fault.Bad("state: %q is not a state", s).WithHint("one of %s", words.List(States))
}

// State returns where the task stands. A lapsed lease must have been read as swept: see At.
func (t *Task) State() State {
	switch {
	case t.Status == Done:
		return StateDone
	case t.Status == Cancelled:
		return StateCancelled
	case t.Claim != nil:
		return StateHeld
	case t.Status == InReview:
		return StateInReview
	case t.Status != Open:
		return StateUnheld
	case t.Waits():
		return StateWaiting
	case t.Questions > 0:
		return StateAsked
	default:
		return StateReady
	}
}

// Waits reports whether a dependency or a part of the task is not closed.
func (t *Task) Waits() bool { return t.OpenDeps > 0 || t.Parts > 0 }

// Ready reports whether the task is on the ready frontier. A lapsed lease must have been read as swept: see At.
func (t *Task) Ready() bool { return t.State() == StateReady }

// KeptBack reports whether an open blocking question keeps the task from being claimed, regardless of other reasons.
func (t *Task) KeptBack() bool {
	switch t.State() {
	case StateWaiting, StateAsked, StateUnheld:
		return t.Questions > 0
	default:
		return false
	}
}

// Deadline returns the moment after which the task is overdue; false if it is closed or has no due date.
func (t *Task) Deadline() (Time, bool) {
	if t.Status.Closed() {
		return 0, false
	}
	return t.DueAt()
}

// ForPeople reports whether only humans may hold a task that declares this autonomy.
func (p Policy) ForPeople(declared Opt) bool { return p.TaskAutonomy(declared) == HumanOnly }

// ReadyForPeople reports whether the task is ready, but only for humans.
func (t *Task) ReadyForPeople(p Policy) bool { return t.Ready() && p.ForPeople(t.Autonomy) }

// WaitsForHuman reports whether the task cannot go on without a human: it is in review, a question keeps it back, or it
// is ready and for people.
func (t *Task) WaitsForHuman(p Policy) bool {
	switch t.State() {
	case StateInReview:
		return true
	case StateReady:
		return t.ReadyForPeople(p)
	default:
		return t.KeptBack()
	}
}

// Part reports whether the task is a part of its parent, which waits for it: it is open, and not in a circle with its
// parent. In a circle of dependencies and parts (the smallest: the child depends on its parent) nothing could ever be
// done if the parent waited too.
func (t *Task) Part() bool {
	return t.Parent != "" && !t.Status.Closed() && !t.InCircle
}

// States returns the tasks of a project by state. Open tasks are ready, waiting or asked; tasks in progress are held or
// unheld. So two of the counts follow from the others and are not stored.
func (p *Project) States() StateCounts {
	n := p.Tasks
	return StateCounts{p.Ready, p.Waiting, n.Open - p.Ready - p.Waiting, p.Held, n.InProgress - p.Held, n.InReview, n.Done, n.Cancelled}
}

// Status is where a task stands.
type Status string

// The statuses, in the order of a board's columns.
const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	InReview   Status = "in_review"
	Done       Status = "done"
	Cancelled  Status = "cancelled"
)

// Statuses lists every status in the order of a board's columns.
var Statuses = []Status{Open, InProgress, InReview, Done, Cancelled}

// Closed reports whether a task with this status no longer holds anything up.
func (s Status) Closed() bool { return s == Done || s == Cancelled }

// ParseStatus returns the status of that name, or a refusal.
func ParseStatus(s string) (Status, error) {
	if slices.Contains(Statuses, Status(s)) {
		return Status(s), nil
	}
	return "", fault.Bad("%q is not a status", s).WithHint("one of %s", words.List(Statuses))
}

// Autonomy says how far an agent may take a task unsupervised.
type Autonomy string

// The autonomies, from the widest to the strictest.
const (
	Autonomous Autonomy = "autonomous"
	Supervised Autonomy = "supervised"
	HumanOnly  Autonomy = "human_only"
)

// Autonomies lists every autonomy from the widest to the strictest.
var Autonomies = []Autonomy{Autonomous, Supervised, HumanOnly}

// Counts are the tasks of a project by status.
//
//field:json
type Counts struct {
	Open       int `json:"open" db:"n_open"`
	InProgress int `json:"in_progress" db:"n_in_progress"`
	InReview   int `json:"in_review" db:"n_in_review"`
	Done       int `json:"done" db:"n_done"`
	Cancelled  int `json:"cancelled" db:"n_cancelled"`
}

// Of returns a pointer to the count of a status; an unknown status counts as open.
func (c *Counts) Of(s Status) *int {
	counts := [...]*int{&c.Open, &c.InProgress, &c.InReview, &c.Done, &c.Cancelled} // in the order of Statuses
	return counts[max(0, slices.Index(Statuses, s))]
}

// Left counts the tasks that are not closed.
func (c Counts) Left() int { return c.Open + c.InProgress + c.InReview }

// Total counts all of them.
func (c Counts) Total() int { return c.Left() + c.Done + c.Cancelled }
