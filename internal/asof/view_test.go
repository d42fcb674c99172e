package asof_test

import (
	"testing"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// TestAKeyAndAProjectAreShownAsTheyWere reads, at an earlier moment, what names a task or a project: by key, and
// without naming the project.
func TestAKeyAndAProjectAreShownAsTheyWere(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(`{"project": "other", "tasks": [{"key": "x", "title": "X"}]}`)
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Apply(`{"project": "demo", "tasks": [{"key": "gone", "title": "Gone"}]}`)
		last, _ := k.Last("demo-2")
		at := k.Note(coretest.Ann, "demo-1", "as it is now")
		_, err := k.Planning.Undo(coretest.Ann, planning.UndoIn{Number: last.ID})
		k.Must(err)
		_, err = k.EditAs(coretest.Ann, "demo-1", `{"title": "Another"}`)
		k.Must(err)
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		k.Apply(`{"project": "demo", "tasks": [{"key": "late", "title": "Late"}]}`)
		_, err = core.Within(coretest.Ann, k.Env, "demo", nil, func(sc core.Scene) (out struct{}, err error) {
			return asof.Back(k.Env, sc, &at, func(sc core.Scene, _ *asof.Was) (out struct{}, err error) {
				for key, title := range map[string]string{"a": "A", "gone": "Gone"} {
					was, err := sc.View.TaskByKey("demo", key)
					k.Must(err)
					coretest.Equal(k, "the title of "+key, was.Title, title)
					coretest.Equal(k, "the status of "+key, was.Status, task.Open)
				}
				_, err = sc.View.TaskByKey("demo", "late")
				k.Refused(err, fault.NotFound, "there was no task demo-3 at event")
				all, err := sc.View.Projects()
				k.Must(err)
				if len(all) != 1 || all[0].Slug != "demo" || all[0].Tasks.Open != 2 || all[0].Tasks.Done != 0 {
					k.Errorf("the projects were %+v, want demo alone with two open tasks", all)
				}
				first, err := sc.View.FirstCreated("demo")
				k.Must(err)
				a, err := sc.View.Task("demo-1")
				k.Must(err)
				coretest.Equal(k, "the first creation", first, a.CreatedAt)
				return out, nil
			})
		})
		k.Must(err)
	})
}
