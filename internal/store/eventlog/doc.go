// Package eventlog appends to the log of events and reads it.
//
// Every change of a record is told by an event in the same turn. Ids are dense and grow with time, so that a reader who
// has seen one id has seen everything before it. An event is of a project and of a task, or of a project alone, or of
// neither (sessions, deleted projects).
//
// An Appender is one member's part of a turn. It gives events their ids and writes their rows:
//
//	log := eventlog.NewAppender(turn, actor, via)
//	id, err := log.Append(eventlog.Of{Project: p, Task: key}, draft)
//
// A Log reads what one snapshot or turn sees. It asks Projects for keys and for what the caller may see, and reads along
// one index each time: by task, by project, by project and kind, by project and actor, or by id alone.
package eventlog

import "tasker/internal/task"

// Projects is what the log asks the records: keys, and what the caller may see.
type Projects interface {
	// ProjectKey returns the id of a project, not found where the caller may not see it.
	ProjectKey(slug string) (int64, error)
	// TaskKey returns the key of a task, and its project's slug and id.
	TaskKey(id task.ID) (slug string, project, key int64, err error)
	// Visible returns the ids of the projects that the caller may see; all reports that it sees every one, and what is of
	// no project too.
	Visible() (ids []int64, all bool, err error)
	// Slugs returns the slug of every project by its id.
	Slugs() (map[int64]string, error)
	// LastEvent returns the id of the newest event.
	LastEvent() int64
}
