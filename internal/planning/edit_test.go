package planning_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestEditChangesFieldsAndSaysWhatItChanged(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(
			`{"key": "a", "title": "A", "criteria": ["one", "two"], "body": "old"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C", "deps": ["b"]}`,
		)
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 2})
		k.Must(err)
		got := k.Edit(coretest.Bot, "demo-1", `{"title": "A2", "addDeps": ["b"], "addCriteria": ["three"], "removeCriteria": ["one"], "body": null, "parent": "c"}`)
		coretest.Equal(k, "title", got.Title, "A2")
		coretest.EqualSlices(k, "deps", got.Deps, "demo-2")
		coretest.Equal(k, "open deps", got.OpenDeps, 1)
		coretest.Equal(k, "version", got.Version, 3)
		coretest.Equal(k, "criteria", fmt.Sprintln(len(got.Criteria), got.Criteria[0].Text, got.Criteria[0].Checked, got.Criteria[1].Text), "2 two true three\n")
		coretest.Equal(k, "body", got.Body, "")
		coretest.Equal(k, "parent", got.Parent, "demo-3")
		event, payload := k.Last("demo-1")
		coretest.Equal(k, "kind", event.Kind, task.TaskUpdated)
		for _, part := range []string{`"title":{"from":"A","to":"A2"}`, `"deps":{"from":[],"to":["demo-2"]}`, `"body":{"from":"old","to":null}`,
			`"parent":{"from":null,"to":"demo-3"}`} {
			coretest.Contains(k, []string{payload}, part)
		}
		count := len(k.Events(""))
		got = k.Edit(coretest.Bot, "demo-1", `{"title": "A2"}`)
		coretest.Equal(k, "version after an edit that says nothing new", got.Version, 3)
		coretest.Equal(k, "events", len(k.Events("")), count)
		got = k.Edit(coretest.Bot, "demo-1", `{"removeDeps": ["b"]}`)
		coretest.Equal(k, "deps", len(got.Deps), 0)
		k.Healthy()
	})
}

func TestAnEditHeedsVersionAndFence(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		k.Claim(coretest.Bot, "demo-1")
		_, err := k.EditAs(coretest.Bee, "demo-1", `{"title": "X", "expectedVersion": 1}`)
		k.Refused(err, fault.Conflict, "demo-1 has version 2, not 1")
		_, err = k.EditAs(coretest.Bee, "demo-1", `{"title": "X", "fence": 7}`)
		k.Refused(err, fault.Conflict, "fence 7")
		k.Edit(coretest.Bee, "demo-1", `{"title": "X", "expectedVersion": 2, "fence": 1}`) // anyone may edit
	})
}

func TestAnEditMayNotCloseACycle(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		var defs []string
		for i := range 30 {
			def := fmt.Sprintf(`{"key": "k%d", "title": "T"`, i)
			if i > 0 {
				def += fmt.Sprintf(`, "deps": ["k%d"], "parent": "k%d"`, i-1, i-1)
			}
			defs = append(defs, def+"}")
		}
		k.Tasks(strings.Join(defs, ","))
		_, err := k.EditAs(coretest.Bot, "demo-1", `{"addDeps": ["k29"]}`)
		k.Refused(err, fault.Invalid, "a cycle through deps: demo-1 -> demo-30 -> demo-29")
		_, err = k.EditAs(coretest.Bot, "demo-1", `{"parent": "k29"}`)
		k.Refused(err, fault.Invalid, "a cycle through parents: demo-1 -> demo-30")
		_, err = k.EditAs(coretest.Bot, "demo-1", `{"addDeps": ["k0"]}`)
		k.Refused(err, fault.Invalid, "is the task itself")
		_, err = k.EditAs(coretest.Bot, "demo-1", `{"addDeps": ["zzz"], "removeCriteria": ["none"]}`)
		k.Refused(err, fault.Invalid, "addDeps[0]", "removeCriteria[0]")
		k.Edit(coretest.Bot, "demo-30", `{"addDeps": ["k0"]}`)
		coretest.Equal(k, "version", k.Task("demo-1").Version, 1)
		k.Healthy()
	})
}
