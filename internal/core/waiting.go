package core

import (
	"tasker/internal/task"
)

// CountReader counts without visiting what it counts.
type CountReader interface {
	// Overdue counts the open tasks of a project whose due moment has passed.
	Overdue(project string) (int, error)
	// ClosedSince counts the closed tasks that were closed at since or later.
	ClosedSince(project string, since task.Time) (int, error)
	// ReadyBy counts ready tasks by what they declare for routing, and those that a blocking question alone holds back.
	ReadyBy(project string) (ready []task.RouteCount, questioned int, err error)
}

// WaitingReader reads what waits for people, and what readers have put away of it.
type WaitingReader interface {
	Waiting(q task.WaitingQuery) ([]task.Waiting, error)
	Gists(project string, ids []task.ID) (map[task.ID]task.Gist, error)
	Titles(project string, ids []task.ID) (map[task.ID]string, error)
	// ApprovalsOf gives those of many tasks that still count.
	ApprovalsOf(project string, ids []task.ID) (map[task.ID][]task.Approval, error)
	EventsByID(ids []int64) (map[int64]task.Event, error)
	// Latest gives the newest events past one of a kind that is not one of the many.
	Latest(project string, kind task.Kind, after int64, most int) ([]task.Event, error)
	// OldestReady gives the ready tasks whose newest event is oldest: id, routing and that event alone.
	OldestReady(project string, most int) ([]*task.Task, error)
	// Mark is the newest event that a reader says it was shown.
	Mark(reader string) (int64, error)
	// Seen gives the items of tasks that a reader has put away, with the stamp of each.
	Seen(reader, project string, ids []task.ID) (map[task.ItemRef]int64, error)
	// SeenAll is the stamp up to which everything of a sort is put away.
	SeenAll(reader, project string, sort task.WaitKind) (int64, error)
}

// MarkWriter keeps what readers have seen. That is no record of a project, and no event.
type MarkWriter interface {
	// SetMark gives the mark that is kept; it never moves back.
	SetMark(reader string, event int64) (int64, error)
	// See keeps that a reader has put away an item, by what it is called within its task.
	See(reader string, of task.Waiting, item string) error
}
