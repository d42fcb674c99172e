package store

import (
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// View is what the reads of a project use if they can also show it as it was at an event: a Tx, or the project as it
// was.
type View interface {
	// Current returns the transaction if the view shows the present, and nil if it shows an earlier moment. Events do
	// not record workspaces, guidance, or what waits for people, so nobody knows what those were.
	Current() *Tx
	// Now returns the moment of the view.
	Now() task.Time

	// Generation returns how often the database was restored, from 1.
	Generation() int64

	Project(slug string) (*task.Project, error)
	Projects() ([]*task.Project, error)
	// NoProjectYet returns the refusal of a request that needs a project when there is none.
	NoProjectYet() error
	Overdue(project string) (int, error)
	ClosedSince(project string, since task.Time) (int, error)
	// Marked counts the tasks that have a mark for a reader.
	Marked(project string, mark task.Mark, reader string) (int, error)
	ReadyBy(project string) (ready []query.RouteCount, keptBack int, err error)

	FirstCreated(project string) (task.Time, error)
	CreatedBySpan(project string, s query.Spans) ([]int, error)
	ClosedBySpan(project string, status task.Status, s query.Spans) ([]int, error)
	Underway(project string, limit int) ([]query.Underway, error)
	Parts(project string) (map[task.ID]query.Parts, error)

	Task(id task.ID) (*task.Task, error)
	TaskByKey(project, key string) (*task.Task, error)
	TasksByID(ids []task.ID) ([]*task.Task, error)
	Fill(tasks ...*task.Task) error
	FillWithin(bytes int, tasks ...*task.Task) (int, error)
	List(q query.List) (tasks []*task.Task, total query.Count, next string, err error)
	HeldFirst(project string, limit int) ([]task.Hold, error)
	Touching(project string, starts []string, but task.ID, limit int) (held []*task.Task, more bool, err error)
	Closed(project string, status task.Status, since task.Time, limit int) ([]*task.Task, error)
	Titles(project string, ids []task.ID) (map[task.ID]string, error)

	Children(id task.ID) ([]task.ID, error)
	Dependents(id task.ID) ([]task.ID, error)
	Edges(ids []task.ID) ([]query.Edge, error)
	EdgesFrom(ids []task.ID, limit int) ([]query.Edge, error)
	EdgesTo(ids []task.ID, limit int) ([]query.Edge, error)
	FirstAwaited(ids []task.ID) (map[task.ID]task.ID, error)
	TiesFrom(ids []task.ID) ([]query.Tie, error)
	TiesTo(ids []task.ID) ([]query.Tie, error)
	Below(id task.ID) ([]*task.Task, error)
	Epics(project string, limit int) (some []query.Epic, more bool, err error)
	Flow(project string) (ids []task.ID, deps, parts []query.Edge, err error)
	Neighbours(t *task.Task, limit int) (query.Neighbours, error)
	Ancestry(id task.ID, limit, bytes int) (up []*task.Task, bodied int, err error)

	Walk(q query.Frontier, yield func(*task.Task) bool) error
	Cards(q query.Cards) ([][]task.Card, error)

	Notes(id task.ID, newest int) ([]task.Note, error)
	Evidence(id task.ID) ([]task.Evidence, error)
	NewestEvidence(id task.ID, newest int) ([]task.Evidence, []string, error)
	Approvals(id task.ID) ([]task.Approval, error)
	Decisions(id task.ID, newest int) ([]task.Decision, error)
	Bindings(id task.ID) ([]task.Binding, error)
	Questions(id task.ID, newest int) (some []task.Question, total int, err error)

	Events(q query.Events) ([]task.Event, error)
	LastEvent() int64
	LogStart() (query.LogStart, error)
	History(id task.ID, limit, bytes int) (events []task.Event, more bool, err error)
}

var _ View = (*Tx)(nil)

// Current returns the transaction itself.
func (tx *Tx) Current() *Tx { return tx }
