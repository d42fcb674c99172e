package core_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestABundleHasAllOfATaskAndEveryKey(t *testing.T) {
	each(t, func(k *kit) {
		k.apply(
			`{"project": "demo", "name": "Demo", "vision": "Ship", "tasks": [{"key": "top", "title": "Top", "body": "All of it"},
			{"key": "mid", "title": "Mid", "parent": "top"},
			{"key": "a", "title": "A", "parent": "mid", "deps": ["d"], "criteria": ["one"], "body": "text"}, {"key": "b", "title": "B", "deps": ["a"]},
			{"key": "c", "title": "C", "parent": "a"}, {"key": "d", "title": "D"}]}`,
		)
		b := k.show("demo-3")
		brief := func(list []bundle.Brief) (out []task.ID) {
			for _, b := range list {
				out = append(out, b.ID)
			}
			return out
		}
		is(k, "parent", b.Ancestors[0], bundle.Ancestor{ID: "demo-2", Title: "Mid", Status: task.Open})
		is(k, "its parent", b.Ancestors[1], bundle.Ancestor{ID: "demo-1", Title: "Top", Status: task.Open, Body: "All of it"})
		same(k, "children", brief(b.Children), "demo-5")
		same(k, "deps", brief(b.Deps), "demo-6")
		same(k, "dependents", brief(b.Dependents), "demo-4")
		is(k, "brief", b.Deps[0], bundle.Brief{ID: "demo-6", Title: "D", Status: task.Open})
		is(k, "project", b.Project, bundle.InProject{Slug: "demo", Name: "Demo", Vision: "Ship"})
		is(k, "body", b.Task.Body, "text")
		is(k, "recent events", len(b.RecentEvents), 1)
		text, err := json.Marshal(b)
		k.must(err)
		var parts map[string]jsontext.Value
		k.must(json.Unmarshal(text, &parts))
		for _, key := range strings.Fields("task project ancestors children deps dependents criteria gate approvals notes decisions questions evidence " +
			"links bindings workspace guidance recentEvents warnings budget") {
			if _, ok := parts[key]; !ok {
				k.Errorf("the bundle has no %s", key)
			}
		}
		is(k, "notes without any", string(parts["notes"]), "[]")
		is(k, "budget", string(parts["budget"]), `{"limit":null,"used":null,"omitted":[]}`)
		is(k, "approvals", string(parts["approvals"]), `{"required":[],"given":[],"missing":[]}`)
		_, err = k.s.Reading.Show(ann, reading.ShowIn{Task: "demo-3", Budget: ptr(0)})
		k.refused(err, fault.Invalid, "budget is 0")
	})
}

func TestListNarrowsAndPages(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "Alpha"}, {"key": "b", "title": "Beta", "deps": ["a"]}, {"key": "c", "title": "Gamma", "parent": "a"}, {"key": ` +
			`"d", "title": "alphabet", "status": "done"}`)
		k.claim(as(task.Actor{Name: "bot", Instance: "7"}), "demo-3")
		ids := func(in reading.ListIn) (out []task.ID) {
			k.Helper()
			got, err := k.s.Reading.List(ann, in)
			k.must(err)
			for _, t := range got.Tasks {
				out = append(out, t.ID)
			}
			is(k, "total", got.Total, len(out))
			return out
		}
		same(k, "all", ids(reading.ListIn{}), "demo-1", "demo-2", "demo-3", "demo-4")
		same(k, "open", ids(reading.ListIn{Status: "open"}), "demo-1", "demo-2")
		same(k, "held by bot", ids(reading.ListIn{HeldBy: "bot"}), "demo-3")
		same(k, "held by bot/7", ids(reading.ListIn{HeldBy: "bot/7"}), "demo-3")
		same(k, "held by bot/8", ids(reading.ListIn{HeldBy: "bot/8"}))
		same(k, "children", ids(reading.ListIn{Parent: "a"}), "demo-3")
		same(k, "by text", ids(reading.ListIn{Q: "ALPHA"}), "demo-1", "demo-4")
		same(k, "ready", ids(reading.ListIn{Ready: ptr(true)}))
		same(k, "blocked", ids(reading.ListIn{Blocked: ptr(true)}), "demo-1", "demo-2")
		page, err := k.s.Reading.List(ann, reading.ListIn{Limit: ptr(3)})
		k.must(err)
		is(k, "page", len(page.Tasks), 3)
		is(k, "total", page.Total, 4)
		page, err = k.s.Reading.List(ann, reading.ListIn{Limit: ptr(3), Cursor: string(page.NextCursor)})
		k.must(err)
		is(k, "second page", page.Tasks[0].ID, "demo-4")
		is(k, "no further cursor", page.NextCursor, "")
		same(k, "deps of a listed record", must(k, reading.ListIn{Q: "beta"}).Tasks[0].Deps, "demo-1")
		for _, in := range []reading.ListIn{{Limit: ptr(0)}, {Limit: ptr(-3)}, {Status: "closed"}, {HeldBy: "a/b/c"}, {Cursor: "x"}} {
			_, err := k.s.Reading.List(ann, in)
			k.refused(err, fault.Invalid)
		}
		_, err = k.s.Reading.List(ann, reading.ListIn{Parent: "nothing"})
		k.refused(err, fault.NotFound)
		_, err = k.s.Reading.List(ann, reading.ListIn{Project: "nothing"})
		k.refused(err, fault.NotFound)
		_, err = k.s.Reading.List(ann, reading.ListIn{Limit: ptr(5000)})
		k.must(err)
	})
}

func must(k *kit, in reading.ListIn) reading.ListOut {
	k.Helper()
	out, err := k.s.Reading.List(ann, in)
	k.must(err)
	return out
}

func TestEventsPageByIdAndFilter(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		k.claim(bot, "demo-1")
		k.apply(`{"project": "other", "tasks": [{"key": "a", "title": "A"}]}`)
		var seen []int64
		from := int64(0)
		for {
			page, err := k.s.Reading.Events(ann, reading.EventsIn{SinceID: &from, Limit: ptr(2)})
			k.must(err)
			for _, e := range page {
				seen = append(seen, e.ID)
				from = e.ID
			}
			if len(page) == 0 {
				break
			}
		}
		for i, n := range seen {
			is(k, "id", n, int64(i+1))
		}
		is(k, "events", len(seen), 8)
		count := func(in reading.EventsIn) int {
			k.Helper()
			all, err := k.s.Reading.Events(ann, in)
			k.must(err)
			return len(all)
		}
		is(k, "of demo", count(reading.EventsIn{Project: "demo"}), 5)
		is(k, "of a task", count(reading.EventsIn{Task: "demo-1"}), 2)
		is(k, "of a key", count(reading.EventsIn{Task: "a", Project: "other"}), 1)
		is(k, "of a kind", count(reading.EventsIn{Kind: "task.created"}), 3)
		is(k, "by bot", count(reading.EventsIn{By: "bot"}), 1)
		newest, err := k.s.Reading.Events(ann, reading.EventsIn{Limit: ptr(1)})
		k.must(err)
		is(k, "newest", newest[0].Kind, task.PlanApplied)
		is(k, "face", newest[0].Via.Face, "cli")
		is(k, "since, which is inclusive", count(reading.EventsIn{Since: newest[0].At.String()}) > 0, true)
		for _, in := range []reading.EventsIn{{Since: "yesterday"}, {Since: "2026-01-01"}, {SinceID: ptr(int64(-1))}, {Kind: "task.eaten"}, {Limit: ptr(0)}} {
			_, err := k.s.Reading.Events(ann, in)
			k.refused(err, fault.Invalid)
		}
		_, err = k.s.Reading.Events(ann, reading.EventsIn{Project: "nothing"})
		k.refused(err, fault.NotFound)
	})
}

func TestFollowHandsOutEveryEventAsItComes(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		from, err := k.s.Reading.Newest(ann, core.None{})
		k.must(err)
		ctx, cancel := context.WithCancel(ann)
		got := make(chan task.Event, 10)
		done := make(chan error, 1)
		go func() {
			var ended error
			in := reading.FollowIn{EventsIn: reading.EventsIn{Task: "demo-2"}, From: from}
			for page, err := range k.s.Reading.Follow(ctx, in) {
				ended = err
				for _, e := range page {
					got <- e
				}
			}
			done <- ended
		}()
		k.claim(bot, "demo-1")
		k.claim(bot, "demo-2")
		is(k, "first", (<-got).Kind, task.TaskClaimed)
		k.done(bot, "demo-1")
		k.done(bot, "demo-2")
		e := <-got
		is(k, "second", e.Kind, task.TaskMoved)
		is(k, "its task", e.Task, "demo-2")
		cancel()
		if err := <-done; err == nil {
			k.Error("it ended without a reason")
		}
		is(k, "left", len(got), 0)
	})
}

func TestWhoamiTellsTheIdentityAndWhatItHolds(t *testing.T) {
	each(t, func(k *kit) {
		me := as(task.Actor{Name: "bot", Instance: "2", Roles: []string{"dev"}})
		out, err := k.s.Reading.Whoami(me, reading.WhoamiIn{}) // the assumed project is yet to come
		k.must(err)
		is(k, "holding", len(out.Holding), 0)
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}, {"key": "b", "title": "B"}`)
		_, err = k.s.Work.Claim(me, work.ClaimIn{Task: "demo-1", LeaseMs: ptr(int64(60_000))})
		k.must(err)
		_, err = k.s.Work.Claim(as(task.Actor{Name: "bot", Instance: "3"}), work.ClaimIn{Task: "demo-2"})
		k.must(err)
		_, err = k.s.Work.Tick(me, work.TickIn{Task: "demo-1", Index: 2})
		k.must(err)
		out, err = k.s.Reading.Whoami(me, reading.WhoamiIn{})
		k.must(err)
		is(k, "who", out.Actor+" "+string(out.Instance)+" "+out.Kind+" "+out.How+" "+string(out.Project), "bot 2 agent test demo")
		same(k, "roles", out.Roles, "dev")
		if len(out.Holding) != 1 {
			k.Fatalf("it holds %+v", out.Holding)
		}
		h := out.Holding[0]
		is(k, "task", h.Task, "demo-1")
		is(k, "fence", h.Fence, 1)
		is(k, "progress", h.Progress, task.Progress{Checked: 1, Total: 2})
		if h.LeftMs == nil || *h.LeftMs <= 0 || *h.LeftMs > 60_000 {
			k.Errorf("left are %v", h.LeftMs)
		}
		_, err = k.s.Reading.Whoami(me, reading.WhoamiIn{Project: "nothing"})
		k.refused(err, fault.NotFound)
	})
}

func TestVersionTellsThreeVersions(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		out, err := k.s.Reading.Version(ann, core.None{})
		k.must(err)
		if out.Version != "0.0.0-test" || out.SchemaVersion < 1 || out.ConfigVersion != 1 {
			k.Errorf("the versions are %+v", out)
		}
	})
}
