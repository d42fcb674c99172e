package web

import (
	"testing"

	"tasker/internal/task"
)

// A task that is for people by the project's default is marked like one that says so itself; the answer's own records stay.
func TestTasksForPeopleByDefaultAreMarked(t *testing.T) {
	list := []*task.Task{{ID: "demo-1"}, {ID: "demo-2"}}
	got := markedForPeople(list, []task.ID{"demo-2"})
	if got[0].Autonomy != "" || got[1].Autonomy != task.Opt(task.HumanOnly) || list[1].Autonomy != "" {
		t.Errorf("%q and %q are shown, %q is kept", got[0].Autonomy, got[1].Autonomy, list[1].Autonomy)
	}
}
