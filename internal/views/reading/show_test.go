package reading_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/bundle"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
)

func TestABundleHasAllOfATaskAndEveryKey(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(
			`{"project": "demo", "name": "Demo", "vision": "Ship", "tasks": [{"key": "top", "title": "Top", "body": "All of it"},
			{"key": "mid", "title": "Mid", "parent": "top"},
			{"key": "a", "title": "A", "parent": "mid", "deps": ["d"], "criteria": ["one"], "body": "text"}, {"key": "b", "title": "B", "deps": ["a"]},
			{"key": "c", "title": "C", "parent": "a"}, {"key": "d", "title": "D"}]}`,
		)
		b := k.Show("demo-3")
		brief := func(list []bundle.Brief) (out []task.ID) {
			for _, b := range list {
				out = append(out, b.ID)
			}
			return out
		}
		coretest.Equal(k, "parent", b.Ancestors[0], bundle.Ancestor{ID: "demo-2", Title: "Mid", Status: task.Open})
		coretest.Equal(k, "its parent", b.Ancestors[1], bundle.Ancestor{ID: "demo-1", Title: "Top", Status: task.Open, Body: "All of it"})
		coretest.EqualSlices(k, "children", brief(b.Children), "demo-5")
		coretest.Equal(k, "deps", len(b.Deps), 1)
		coretest.EqualSlices(k, "dependents", brief(b.Dependents), "demo-4")
		coretest.Equal(k, "brief", b.Deps[0], bundle.Dep{ID: "demo-6", Title: "D", Status: task.Open})
		coretest.Equal(k, "project", b.Project, bundle.InProject{Slug: "demo", Name: "Demo", Vision: "Ship"})
		coretest.Equal(k, "body", b.Task.Body, "text")
		coretest.Equal(k, "recent events", len(b.RecentEvents), 1)
		text, err := json.Marshal(b)
		k.Must(err)
		var parts map[string]jsontext.Value
		k.Must(json.Unmarshal(text, &parts))
		for _, key := range strings.Fields("task project ancestors children deps dependents criteria gate approvals notes decisions questions evidence " +
			"links bindings workspace guidance recentEvents warnings budget") {
			if _, ok := parts[key]; !ok {
				k.Errorf("the bundle has no %s", key)
			}
		}
		coretest.Equal(k, "notes without any", string(parts["notes"]), "[]")
		coretest.Equal(k, "budget", string(parts["budget"]), `{"limit":null,"used":null,"omitted":[]}`)
		coretest.Equal(k, "approvals", string(parts["approvals"]), `{"required":[],"given":[],"missing":[]}`)
		_, err = k.Reading.Show(coretest.Ann, reading.ShowIn{Task: "demo-3", Budget: new(0)})
		k.Refused(err, fault.Invalid, "budget is 0")
	})
}
