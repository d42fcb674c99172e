package core_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tasker/internal/core/planning"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
)

func (k *kit) create(ctx context.Context, def string) (*planning.Written, error) {
	k.Helper()
	project, d, err := plan.DecodeTask([]byte(def))
	if err != nil {
		return nil, err
	}
	return k.s.Planning.Create(ctx, planning.CreateIn{Project: project, Def: d})
}

func TestCreateMakesOneTask(t *testing.T) {
	each(t, func(k *kit) {
		_, err := k.create(bot, `{"project": "nowhere", "title": "T"}`)
		k.refused(err, fault.NotFound, `there is no project "nowhere"`)
		k.tasks(`{"key": "a", "title": "A"}`)
		made, err := k.create(bot, `{"title": "T", "deps": ["a", "demo-1"], "parent": "demo-1", "criteria": ["one"], "body": "text"}`)
		k.must(err)
		is(k, "id", made.ID, "demo-2")
		is(k, "key", made.Key, "demo-2")
		same(k, "deps", made.Deps, "demo-1")
		is(k, "open deps", made.OpenDeps, 1)
		is(k, "body", made.Body, "text")
		is(k, "created by", made.CreatedBy, "bot")
		_, payload := k.last("demo-2")
		for _, part := range []string{`"key":"demo-2"`, `"deps":["demo-1"]`, `"parent":"demo-1"`, `"body":"text"`} {
			says(k, []string{payload}, part)
		}
		_, err = k.create(bot, `{"key": "a", "title": "T"}`)
		k.refused(err, fault.Declined, `demo-1 has the key "a" already`)
		like, err := k.create(bot, `{"key": "demo-9", "title": "T"}`)
		k.must(err)
		says(k, like.Warnings, "reads like the id")
		_, err = k.create(bot, `{"title": "T", "deps": ["x"], "parent": "y"}`)
		k.refused(err, fault.Invalid, "deps[0]", "parent")
		_, err = k.create(bot, `{"title": ""}`)
		k.refused(err, fault.Invalid, "title")
		is(k, "open children of the parent", k.task("demo-1").OpenChildren, 1)
		k.healthy()
	})
}

func TestEditChangesFieldsAndSaysWhatItChanged(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(
			`{"key": "a", "title": "A", "criteria": ["one", "two"], "body": "old"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C", "deps": ["b"]}`,
		)
		_, err := k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 2})
		k.must(err)
		got := k.edit(bot, "demo-1", `{"title": "A2", "addDeps": ["b"], "addCriteria": ["three"], "removeCriteria": ["one"], "body": null, "parent": "c"}`)
		is(k, "title", got.Title, "A2")
		same(k, "deps", got.Deps, "demo-2")
		is(k, "open deps", got.OpenDeps, 1)
		is(k, "version", got.Version, 3)
		is(k, "criteria", fmt.Sprintln(len(got.Criteria), got.Criteria[0].Text, got.Criteria[0].Checked, got.Criteria[1].Text), "2 two true three\n")
		is(k, "body", got.Body, "")
		is(k, "parent", got.Parent, "demo-3")
		event, payload := k.last("demo-1")
		is(k, "kind", event.Kind, task.TaskUpdated)
		for _, part := range []string{`"title":{"from":"A","to":"A2"}`, `"deps":{"from":[],"to":["demo-2"]}`, `"body":{"from":"old","to":null}`,
			`"parent":{"from":null,"to":"demo-3"}`} {
			says(k, []string{payload}, part)
		}
		count := len(k.events(""))
		got = k.edit(bot, "demo-1", `{"title": "A2"}`)
		is(k, "version after an edit that says nothing new", got.Version, 3)
		is(k, "events", len(k.events("")), count)
		got = k.edit(bot, "demo-1", `{"removeDeps": ["b"]}`)
		is(k, "deps", len(got.Deps), 0)
		k.healthy()
	})
}

func TestAnEditHeedsVersionAndFence(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		k.claim(bot, "demo-1")
		_, err := k.editAs(bee, "demo-1", `{"title": "X", "expectedVersion": 1}`)
		k.refused(err, fault.Conflict, "demo-1 has version 2, not 1")
		_, err = k.editAs(bee, "demo-1", `{"title": "X", "fence": 7}`)
		k.refused(err, fault.Conflict, "fence 7")
		k.edit(bee, "demo-1", `{"title": "X", "expectedVersion": 2, "fence": 1}`) // edits are open to all
	})
}

func TestAnEditMayNotCloseACycle(t *testing.T) {
	each(t, func(k *kit) {
		var defs []string
		for i := range 30 {
			def := fmt.Sprintf(`{"key": "k%d", "title": "T"`, i)
			if i > 0 {
				def += fmt.Sprintf(`, "deps": ["k%d"], "parent": "k%d"`, i-1, i-1)
			}
			defs = append(defs, def+"}")
		}
		k.tasks(strings.Join(defs, ","))
		_, err := k.editAs(bot, "demo-1", `{"addDeps": ["k29"]}`)
		k.refused(err, fault.Invalid, "a cycle through deps: demo-1 -> demo-30 -> demo-29")
		_, err = k.editAs(bot, "demo-1", `{"parent": "k29"}`)
		k.refused(err, fault.Invalid, "a cycle through parents: demo-1 -> demo-30")
		_, err = k.editAs(bot, "demo-1", `{"addDeps": ["k0"]}`)
		k.refused(err, fault.Invalid, "is the task itself")
		_, err = k.editAs(bot, "demo-1", `{"addDeps": ["zzz"], "removeCriteria": ["none"]}`)
		k.refused(err, fault.Invalid, "addDeps[0]", "removeCriteria[0]")
		k.edit(bot, "demo-30", `{"addDeps": ["k0"]}`)
		is(k, "version", k.task("demo-1").Version, 1)
		k.healthy()
	})
}
