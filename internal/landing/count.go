package landing

import (
	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// Unlanded counts the tasks of a project that are done, or approved in review, and not on their base: those that a landing
// of all that is ready would take, or skip because they wait for others.
type Unlanded struct {
	Tasks int       `json:"tasks"` // up to 1000 of each are counted: see AtLeast
	Since task.Time `json:"since"` // when the first of them was closed, or taken to review; null if there is none
}

// AtLeast reports whether there may be more tasks than were counted.
func (u Unlanded) AtLeast() bool { return u.Tasks >= maxWaiting }

// Count counts the tasks of a project that are done, or approved in review, and not on their base, as the records tell it.
func Count(s core.Scene) (out Unlanded, err error) {
	all, err := closed(s)
	if err != nil {
		return out, err
	}
	tasks, err := reviewed(s)
	if err != nil {
		return out, err
	}
	if len(tasks) > 0 {
		l := &loading{Scene: s, by: map[task.ID]*Record{}}
		if err := l.read(tasks, nil); err != nil {
			return out, err
		}
		all = append(all, l.out...)
	}
	wanted, _ := ready(all, nil)
	for _, r := range wanted {
		if out.Tasks == 0 || r.Since < out.Since {
			out.Since = r.Since
		}
		out.Tasks++
	}
	return out, nil
}

// closed returns the records of the done tasks that are not on their base, without what they wait for.
func closed(s core.Scene) ([]Record, error) {
	times, err := workspace.UnlandedTimes(s.Tx, s.Project.Slug, maxWaiting)
	out := make([]Record, len(times))
	for i, at := range times {
		out[i] = Record{Status: task.Done, Since: at, Known: true}
	}
	return out, err
}
