// Package eventlog appends to the log of events and reads it.
//
// Every change of a record has an event, in the same turn. Ids are dense and grow with time, so that a reader that has
// seen one id has seen everything before it. An event belongs to a project and a task, to a project alone, or to
// neither (sessions, deleted projects).
//
// An Appender is one member's part of a turn. It assigns ids to events and writes their rows:
//
//	log := eventlog.NewAppender(turn, actor, via)
//	id, err := log.Append(eventlog.Of{Project: p, Task: key}, draft)
//
// A Log reads what one snapshot or turn sees. It asks Projects for keys and for what the caller may see, and each read
// goes along one index: by task, by project, by project and kind, by project and actor, or by id alone.
package eventlog

import "tasker/internal/task"

// Projects is what the log needs of the records: keys, and what the caller may see.
type Projects interface {
	// ProjectKey returns the id of a project, or not found if the caller may not see it.
	ProjectKey(slug string) (int64, error)
	// TaskKey returns the key of a task, and its project's slug and id.
	TaskKey(id task.ID) (slug string, project, key int64, err error)
	// Visible returns the ids of the projects that the caller may see. all reports that the caller may see every
	// project, and the events of no project.
	Visible() (ids []int64, all bool, err error)
	// Slugs returns the slug of every project by its id.
	Slugs() (map[int64]string, error)
	// LastEvent returns the id of the newest event.
	LastEvent() int64
}
