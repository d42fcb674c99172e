// Package query is how operations ask the store for tasks and events: which ones, in whose order, how much of each, and
// how many. The types are plain values; package store answers them.
package query

import "tasker/internal/task"

// List selects tasks, ordered by number. Limit 0 means no limit.
type List struct {
	Project      string
	HeldBy       string // an actor with its instance, or all instances of a name
	Parent       task.ID
	DependsOn    task.ID // waits for this task
	DependencyOf task.ID // is what this task waits for
	Key          string  // exactly
	Text         string  // part of title, key or id, ignoring case
	State        *task.State
	Ready        *bool // in the state ready
	Blocked      *bool // waits for an open dependency or a part
	Among        States
	Priority     *int
	Gate         string
	Overdue      bool // open, and due before now
	Mark         task.Mark
	Reader       string  // for whom a task has the mark: a lapse that was seen marks nothing
	Under        task.ID // below this task, at any depth
	Group        Sort    // tasks that are equal in this order are grouped, and follow Sort within the group
	Sort         Sort
	Limit        int
	Bytes        int // if not 0, tasks have bodies and dependencies, up to that many bytes: see Page
	Cursor       string
}

// States returns the states that the query's status, state, ready and blocked allow: all if it sets none of them, and
// none if they contradict each other.
func (q List) States() []task.State {
	out := []task.State{}
	for i := range task.States {
		s := task.State(i)
		if q.Among.Has(s) && (q.State == nil || *q.State == s) &&
			(q.Ready == nil || *q.Ready == (s == task.StateReady)) && (q.Blocked == nil || *q.Blocked == (s == task.StateWaiting)) {
			out = append(out, s)
		}
	}
	return out
}

// statusOf returns the status of the tasks in a state.
func statusOf(s task.State) task.Status {
	switch s {
	case task.StateReady, task.StateWaiting, task.StateAsked:
		return task.Open
	case task.StateHeld, task.StateUnheld:
		return task.InProgress
	case task.StateInReview, task.StateDone, task.StateCancelled:
	}
	return task.Status(task.States[s]) // they have the same names
}

// Count is how many records a query finds: N, and with More also further ones that were not counted.
type Count struct {
	N    int
	More bool
}

// MaxCounted is how many records of a filtered list are counted.
const MaxCounted = 10_000

// MaxScanned is how many tasks a search for a part of a text looks at for one page. If there are more, the page has
// what was found so far and says where to continue.
const MaxScanned = 20_000

// Lane is the set of open tasks that a walk goes through.
type Lane int

// The lanes.
const (
	LaneReady      Lane = iota // the whole frontier
	LaneHoldable               // its tasks that the actor may hold
	LanePassedOver             // held tasks, tasks that only a blocking question keeps back, and ready ones not for the actor
	LaneNotReady               // open, and not ready: asked or waiting
	LaneWaiting                // of those, the ones that wait for dependencies or for their own parts
	LaneInProgress             // held or not
	LaneInReview
	LaneAsked  // tasks that only a blocking question keeps back
	LaneUnheld // in progress, and nobody holds it
	LaneAmong  // tasks in any of the states of Frontier.Among
)

// Frontier is a walk along one lane of a project, in the order of an actor under a policy. Under limits it to the tasks
// below one; Until ends it before one; Among are the open states of LaneAmong. Limit is how many tasks the caller wants, so
// that no more are read; 0 means unknown. Form is how much of each task is read from a snapshot; a turn always reads whole
// tasks.
type Frontier struct {
	Project string
	Policy  task.Policy
	Actor   task.Actor
	Lane    Lane
	Among   States
	Under   task.ID
	Until   *task.Task
	Limit   int
	Form    Form
}

// Form is how much of a task is read from a snapshot.
type Form int

// The forms.
const (
	Whole Form = iota // everything that is stored in the row
	Ready             // what the record shows of a ready task; only on that lane
	Brief             // who holds it (not under which fence), whom it is for and what it waits for
)

// Cards selects a board: in whose order, under which policy, and the limit of tasks for each status.
type Cards struct {
	Project string
	Policy  task.Policy
	Actor   task.Actor
	Limit   int
}

// Events filters the log. Without SinceID and Since it selects the newest Limit events, oldest first; with BeforeID,
// the newest before that one.
type Events struct {
	Project  string
	Task     task.ID
	SinceID  *int64
	Since    task.Time
	BeforeID *int64
	Kind     string
	By       string
	Limit    int
	Bytes    int // up to that many bytes: see Page

	// From leaves out every event before this one: the events that were kept although the log was pruned past them. 0:
	// none.
	From int64
}

// Gap are ids that no event has: between the last event before a loss and the one with which the log went on.
type Gap struct {
	Last int64
	Next *task.Event
}

// LogStart is where the log begins. Single events before it may still be stored, because records need them.
type LogStart struct {
	First int64     // the first event of the log; 1 where nothing was pruned
	Until task.Time // when the newest event before it happened; 0 where nothing was pruned
}

// Concern says whether there may be news for an actor in a project.
type Concern struct {
	Held     int   // tasks that it holds there, not counting one, up to a limit
	Answered bool  // one of its questions, anywhere, was answered
	Asked    bool  // since Heard, a question that blocks nothing was put to somebody there, and waits for its answer
	Heard    int64 // the last event of its second newest write there; 0 if there is none
	Others   bool  // somebody else wrote there after Heard, or too much was written to look through
}

// IdemKey is an idempotency key in its scope.
type IdemKey struct {
	Actor, Path, Key string
}

// StoredAnswer is the answer that was stored for a key, with the digest of the request's body.
type StoredAnswer struct {
	Digest string
	Answer []byte
}

// Finding is one difference between what is stored and what a recount finds.
type Finding struct {
	Check   Check    `json:"check"`
	Project task.Opt `json:"project"`
	Task    task.Opt `json:"task"`
	What    string   `json:"what"`
	Stored  string   `json:"stored"`
	Counted string   `json:"counted"`
}

// Check names what a recount looks at.
type Check string

// The checks. What the first three find can be repaired, because it follows from records and edges.
const (
	CheckCounts  Check = "counts"  // counters, marks and totals
	CheckOrder   Check = "order"   // where tasks stand in the orders of selection, and what held ones touch
	CheckSearch  Check = "search"  // the text index
	CheckRecords Check = "records" // records that contradict themselves
	CheckOrphans Check = "orphans" // records of tasks that do not exist; they can be removed
)

// Edge is a dependency: From waits for To.
type Edge struct {
	From task.ID `json:"from"`
	To   task.ID `json:"to"`
}

// Standstill counts the reasons why an actor finds nothing to hold on a frontier.
type Standstill struct {
	States          task.StateCounts
	Yours           int       // held tasks that the actor holds, its instance included
	WaitingForHuman int       // see task.Task.WaitsForHuman
	KeptBack        int       // of these, how many a blocking question keeps back
	NotForYou       int       // ready, not for people, and kept from the actor by routing
	NextExpiry      task.Time // when the first lease ends; zero if none does
}

// RouteCount is how many ready tasks have the same routing.
type RouteCount struct {
	Autonomy   task.Opt
	MayExecute []string
	Ready      int
}

// WaitingForHuman counts the tasks of a project that wait for a human, as task.Task.WaitsForHuman decides: tasks in
// review, tasks that a question keeps back, and ready tasks that are for people.
func WaitingForHuman(p task.Policy, inReview, keptBack int, ready []RouteCount) int {
	return inReview + keptBack + ReadyForPeople(p, ready)
}

// ReadyForPeople counts the ready tasks that only humans may hold, as task.Task.ReadyForPeople decides.
func ReadyForPeople(p task.Policy, ready []RouteCount) int {
	n := 0
	for _, r := range ready {
		if p.ForPeople(r.Autonomy) {
			n += r.Ready
		}
	}
	return n
}

// Holdable counts the ready tasks that an actor may hold.
func Holdable(p task.Policy, a task.Actor, ready []RouteCount) int {
	n := 0
	for _, r := range ready {
		if p.MayHold(a, r.Autonomy, r.MayExecute) == nil {
			n += r.Ready
		}
	}
	return n
}

// Neighbours are the tasks around one, in the form Brief.
type Neighbours struct {
	Children   []*task.Task
	Deps       []*task.Task // what it waits for
	Dependents []*task.Task // what waits for it
}

// Spans are consecutive spans of time of the same length.
type Spans struct {
	From task.Time
	Each task.Time // how long one lasts, in microseconds
	N    int
}

// Parts is how many parts a task has, and how many of them are closed.
type Parts struct{ All, Closed int }

// Epic is a task that has parts, with what a list of epics shows.
type Epic struct {
	ID    task.ID
	Title string
}

// Lapse is a lease that ran out, with who held the task.
type Lapse struct {
	Task  task.ID
	Title string
	Actor string // with its instance; empty if it is not known
	At    task.Time
}

// Remaining is an open task as a forecast sees it.
type Remaining struct {
	Task    task.ID
	Gate    string
	Created task.Time
	Began   task.Time // zero if nobody has started it
}

// Proven counts closed tasks by how well they are proven.
type Proven struct {
	Done, Cancelled int
	Evidence        int // with at least one item
	Approved        int // with at least one valid approval
	Overrides       int // closed by force
	Recorded        int // created closed
	NotLanded       int // whose work was not on its base when somebody last looked
}
