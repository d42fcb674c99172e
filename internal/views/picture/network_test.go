package picture_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/picture"
	"tasker/internal/work"
)

// The versions of a project's flow start at one again when it is recreated.
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

// TestAnAreaSaysHowFarItIs checks that closed parts count even if the picture leaves them out.
func TestAnAreaSaysHowFarItIs(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
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

// TestAPictureIsComputedOnceForAllWhoAsk requests a picture many times at once while nothing changes: all get the same
// one.
func TestAPictureIsComputedOnceForAllWhoAsk(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}`)
		draw := func() *picture.NetworkOut {
			out, err := k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo"})
			if err != nil {
				k.Error(err)
			}
			return out
		}
		const asking = 24
		got := make([]*picture.NetworkOut, asking)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() { got[i] = draw() })
		}
		all.Wait()
		for _, out := range got {
			if out != got[0] {
				k.Fatal("two pictures were computed at one moment")
			}
		}
		k.Claim(coretest.Ann, "demo-1")
		if out := draw(); out == got[0] || out.Nodes[0].Claim == nil {
			k.Error("a picture does not show what happened before it was asked for")
		}
	})
}

// TestAFlowIsReadOnceForAllWhoAsk requests what is critical many times at once, after a change: a flow for each request
// would take up most of a server's memory.
func TestAFlowIsReadOnceForAllWhoAsk(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}`)
		for round := range 3 {
			got := make([]uintptr, 16)
			var all sync.WaitGroup
			for i := range got {
				all.Go(func() {
					critical, err := k.Picture.Critical(coretest.Ann, core.ProjectIn{Slug: "demo"})
					if err != nil || len(critical) < 2 {
						k.Errorf("%d tasks are critical, %v", len(critical), err)
					}
					got[i] = reflect.ValueOf(critical).Pointer()
				})
			}
			all.Wait()
			if slices.Sort(got); got[0] != got[len(got)-1] {
				k.Fatal("two flows were read after one change")
			}
			k.Tasks(fmt.Sprintf(`{"key": "c%d", "title": "C"}`, round))
		}
	})
}

// TestAPictureOfADeepTreeHasFewFrames draws a chain of tasks, each the parent of the next, and many parents with one part
// each.
func TestAPictureOfADeepTreeHasFewFrames(t *testing.T) {
	const tasks, frames, nest = 1200, 200, 6
	shapes := map[string]func(i int) string{
		"a chain":    func(i int) string { return fmt.Sprintf(`, "parent": "k%d"`, i-1) },
		"many pairs": func(i int) string { return map[bool]string{true: fmt.Sprintf(`, "parent": "k%d"`, i-1)}[i%2 == 1] },
		"three each": func(i int) string { return fmt.Sprintf(`, "parent": "k%d"`, i/3) },
	}
	coretest.Rule(t, func(k *coretest.Kit) {
		for shape, parent := range shapes {
			slug := strings.ReplaceAll(shape, " ", "-")
			list := []string{`{"key": "k0", "title": "T"}`}
			for i := 1; i < tasks; i++ {
				list = append(list, fmt.Sprintf(`{"key": "k%d", "title": "T"%s}`, i, parent(i)))
			}
			k.Apply(fmt.Sprintf(`{"project": %q, "tasks": [%s]}`, slug, strings.Join(list, ",")))
			for _, in := range []picture.NetworkIn{
				{}, {Show: "open"}, {Show: "all"}, {Show: "all", Folded: []string{"none"}}, {Focus: "k1100"}, {From: slug + "-1", To: slug + "-1200"},
			} {
				in.Slug = slug
				if in.Focus != "" {
					in.Focus = slug + "-1100"
				}
				out, err := k.Picture.Network(coretest.Ann, in)
				k.Must(err)
				what := fmt.Sprintf("%s, show %q, folded %v, focus %q, from %q", shape, in.Show, in.Folded, in.Focus, in.From)
				if len(out.Groups) > frames || len(out.Nodes) > 360 || len(out.Edges) > 700 || len(out.Nodes) == 0 {
					k.Errorf("%s: %d frames, %d nodes, %d edges", what, len(out.Groups), len(out.Nodes), len(out.Edges))
				}
				for g := range out.Groups {
					deep := 0
					for at := out.Groups[g].Parent; at >= 0; at = out.Groups[at].Parent {
						deep++
					}
					if deep >= nest || out.Drawing.Frame[g].W == 0 || out.Groups[g].Title != "T" {
						k.Fatalf("%s: the frame of %s is %v, %d deep, %q", what, out.Groups[g].ID, out.Drawing.Frame[g], deep, out.Groups[g].Title)
					}
				}
			}
		}
	})
}

// TestAPictureOfManyTasksIsGroupedByEpic folds what is past a hundred tasks in every mode, by the parents on the
// outermost level that has several of them, and counts all of their tasks.
func TestAPictureOfManyTasksIsGroupedByEpic(t *testing.T) {
	const tasks = 40 // of each of three epics
	plan := func(slug, root string) string {
		list := []string{}
		if root != "" {
			list = append(list, fmt.Sprintf(`{"key": %q, "title": "Root"}`, root))
		}
		for e := range 3 {
			list = append(list, fmt.Sprintf(`{"key": "e%d", "title": "Epic %d"%s}`, e, e, map[bool]string{true: `, "parent": "` + root + `"`}[root != ""]))
			for i := range tasks {
				more := map[bool]string{true: `, "status": "done"`}[i < e]
				if i >= tasks/2 {
					more = fmt.Sprintf(`, "deps": ["t%d-%d"]`, e, i-tasks/2)
				}
				list = append(list, fmt.Sprintf(`{"key": "t%d-%d", "title": "T", "parent": "e%d"%s}`, e, i, e, more))
			}
		}
		return fmt.Sprintf(`{"project": %q, "tasks": [%s]}`, slug, strings.Join(list, ","))
	}
	coretest.Each(t, func(k *coretest.Kit) {
		k.Apply(plan("demo", ""))
		k.Apply(plan("rooted", "r"))
		draw := func(in picture.NetworkIn) (out *picture.NetworkOut, folded []string) {
			k.Helper()
			out, err := k.Picture.Network(coretest.Ann, in)
			k.Must(err)
			for _, n := range out.Nodes {
				if n.Parts > 0 {
					closed := n.Closed + n.Behind[task.StateDone]
					folded = append(folded, fmt.Sprintf("%s %d of %d", n.Title, closed, n.Parts+n.Unshown+n.Closed))
				}
			}
			return out, folded
		}
		want := []string{"Epic 0 0 of 41", "Epic 1 1 of 41", "Epic 2 2 of 41"}
		for _, slug := range []string{"demo", "rooted"} {
			for _, show := range []string{"", "open", "all"} {
				out, folded := draw(picture.NetworkIn{Slug: slug, Show: show})
				coretest.EqualSlices(k, slug+" "+show, folded, want...)
				if !out.Map {
					k.Errorf("%s: the picture of %q is not a map", slug, show)
				}
			}
		}
		epic := func(slug string, n int) string { return fmt.Sprintf("%s-%d", slug, n) }
		out, folded := draw(picture.NetworkIn{Slug: "demo", Show: "open", Opened: []string{epic("demo", 42)}})
		coretest.EqualSlices(k, "one is opened", folded, want[0], want[2])
		if len(out.Nodes) != 2+tasks { // its tasks without the closed one, and itself
			k.Errorf("%d nodes are drawn with one epic opened", len(out.Nodes))
		}
		if _, folded = draw(picture.NetworkIn{Slug: "demo", Show: "open", Folded: []string{"none"}}); len(folded) > 0 {
			k.Errorf("%v are folded where nothing should be", folded)
		}
		// What can be worked on begins each area, and epics keep their names.
		names := out.Named()
		for i := range out.Nodes {
			if n := out.Nodes[i]; n.Parts == 0 && n.Now() != (out.Drawing.Column[i] == 0) {
				k.Errorf("%s is in column %d", n.ID, out.Drawing.Column[i])
			}
			if n := out.Nodes[i]; names.Node[i] != (n.Parts == 0) {
				k.Errorf("%s is in a named area: %t", n.ID, names.Node[i])
			}
		}
	})
}
