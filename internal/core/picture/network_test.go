package picture_test

import (
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/core/coretest"
	"tasker/internal/core/picture"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// The versions of a project's flow count from one again when it is made anew.
func TestAProjectMadeAnewIsDrawnAnew(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		critical := func() (ids []string) {
			k.Helper()
			out, err := k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", Show: "open"})
			k.Must(err)
			for _, n := range out.Nodes {
				if n.Critical {
					ids = append(ids, string(n.ID))
				}
			}
			return ids
		}
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C"}`)
		coretest.EqualSlices(k, "critical", critical(), "demo-1", "demo-2")
		_, err := k.Admin.ProjectDelete(coretest.Ann, core.ProjectIn{Slug: "demo"})
		k.Must(err)
		k.Pass(time.Microsecond)
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C", "deps": ["a"]}`)
		coretest.EqualSlices(k, "critical", critical(), "demo-4", "demo-6") // no number is used twice
	})
}

// TestAWayLeadsThroughTasksThatNoPictureShows asks for a way between two tasks, in either direction and past closed ones.
func TestAWayLeadsThroughTasksThatNoPictureShows(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C", "deps": ["b"], "parent": "e"},
			{"key": "d", "title": "D", "deps": ["a"]}, {"key": "e", "title": "E"}`)
		way := func(from, to string) *picture.NetworkOut {
			k.Helper()
			out, err := k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", From: from, To: to})
			k.Must(err)
			return out
		}
		check := func(what, from, to string, want ...string) {
			k.Helper()
			var ids []string
			out := way(from, to)
			for _, n := range out.Nodes {
				ids = append(ids, string(n.ID))
			}
			coretest.EqualSlices(k, what, ids, want...)
			if out.NoWay || len(out.Edges) != len(want)-1 {
				k.Errorf("%s: no way is %t, and %d edges are drawn", what, out.NoWay, len(out.Edges))
			}
		}
		check("to the parent of what waits", "demo-1", "demo-5", "demo-1", "demo-2", "demo-3", "demo-5")
		check("the other way round", "demo-3", "demo-1", "demo-1", "demo-2", "demo-3")
		if out := way("demo-4", "demo-3"); !out.NoWay || len(out.Nodes) != 2 {
			k.Errorf("between two that nothing connects: no way is %t, with %d tasks", out.NoWay, len(out.Nodes))
		}
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done"})
		check("from a closed task", "demo-1", "demo-3", "demo-1", "demo-2", "demo-3")
		_, err := k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", From: "demo-1"})
		k.Refused(err, fault.Invalid, "two ends")
	})
}

// TestAnAreaSaysHowFarItIs counts closed parts also where a picture leaves them out.
func TestAnAreaSaysHowFarItIs(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "e", "title": "E"}, {"key": "a", "title": "A", "parent": "e"}, {"key": "b", "title": "B", "parent": "e"},
			{"key": "c", "title": "C", "parent": "e", "status": "done"}, {"key": "d", "title": "D", "parent": "e", "status": "done"}`)
		draw := func(in picture.NetworkIn) *picture.NetworkOut {
			k.Helper()
			in.Slug = "demo"
			out, err := k.Picture.Network(coretest.Ann, in)
			k.Must(err)
			return out
		}
		if g := draw(picture.NetworkIn{}).Groups[0]; g.All != 4 || g.Closed != 2 {
			k.Errorf("the area has %+v", g.Parts)
		}
		for _, show := range []string{"front", "all"} {
			n := draw(picture.NetworkIn{Show: show, Folded: []string{"demo-1"}}).Nodes[0]
			closed := n.Closed + n.Behind[task.StateDone]
			if n.Parts+n.Closed != 5 || closed != 2 {
				k.Errorf("%s: the folded area stands for %d tasks of which %d are closed", show, n.Parts+n.Closed, closed)
			}
		}
	})
}
