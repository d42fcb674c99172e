package planning_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/testkit/coretest"
)

func TestCreateMakesOneTask(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		_, err := k.Create(coretest.Bot, `{"project": "nowhere", "title": "T"}`)
		k.Refused(err, fault.NotFound, `there is no project "nowhere"`)
		k.Tasks(`{"key": "a", "title": "A"}`)
		made, err := k.Create(coretest.Bot, `{"title": "T", "deps": ["a", "demo-1"], "parent": "demo-1", "criteria": ["one"], "body": "text"}`)
		k.Must(err)
		coretest.Equal(k, "id", made.ID, "demo-2")
		coretest.Equal(k, "key", made.Key, "demo-2")
		coretest.EqualSlices(k, "deps", made.Deps, "demo-1")
		coretest.Equal(k, "open deps", made.OpenDeps, 1)
		coretest.Equal(k, "body", made.Body, "text")
		coretest.Equal(k, "created by", made.CreatedBy, "bot")
		_, payload := k.Last("demo-2")
		for _, part := range []string{`"key":"demo-2"`, `"deps":["demo-1"]`, `"parent":"demo-1"`, `"body":"text"`} {
			coretest.Contains(k, []string{payload}, part)
		}
		_, err = k.Create(coretest.Bot, `{"key": "a", "title": "T"}`)
		k.Refused(err, fault.Declined, `demo-1 has the key "a" already`)
		like, err := k.Create(coretest.Bot, `{"key": "demo-9", "title": "T"}`)
		k.Must(err)
		coretest.Contains(k, like.Warnings, "reads like the id")
		_, err = k.Create(coretest.Bot, `{"title": "T", "deps": ["x"], "parent": "y"}`)
		k.Refused(err, fault.Invalid, "deps[0]", "parent")
		_, err = k.Create(coretest.Bot, `{"title": ""}`)
		k.Refused(err, fault.Invalid, "title")
		coretest.Equal(k, "open children of the parent", k.Task("demo-1").OpenChildren, 1)
		k.Healthy()
	})
}
