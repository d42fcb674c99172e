package services_test

import (
	"fmt"
	"slices"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/task"
	"tasker/internal/views/picture"
)

// checkNetwork compares every picture of the project with the world.
func (w *world) checkNetwork(t *rapid.T) {
	all, open := func(int) bool { return true }, func(i int) bool { return !w.closed(i) }
	w.checkPicture(t, picture.NetworkIn{Show: "all"}, all, len(w.status))
	w.checkPicture(t, picture.NetworkIn{Show: "open"}, open, len(w.those(open)))
	// So few tasks all fit into the front: tasks that are held, in review, ready or critical, and what comes next after
	// them.
	whole, err := w.s.Picture.Network(ctx, picture.NetworkIn{Slug: w.slug, Show: "open"})
	if err != nil {
		t.Fatal(err)
	}
	critical := map[int]bool{} // the picture may choose any of several longest chains
	for _, n := range whole.Nodes {
		critical[w.at(n.ID)] = n.Critical
	}
	front := w.front(critical)
	w.checkPicture(t, picture.NetworkIn{}, func(i int) bool { return front[i] }, len(w.those(open)))
	w.checkFolded(t)
	w.checkFocus(t)
}

// front returns what the first picture shows: where somebody can act, the critical path, and everything that waits for
// those.
func (w *world) front(critical map[int]bool) map[int]bool {
	out := map[int]bool{}
	var todo []int
	for i, s := range w.status {
		if s == task.InProgress || s == task.InReview || w.isReady(i) || critical[i] {
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		v := todo[0]
		todo = todo[1:]
		if out[v] {
			continue
		}
		out[v] = true
		for u := range w.deps {
			if !w.closed(u) && slices.Contains(w.before(u), v) {
				todo = append(todo, u)
			}
		}
	}
	return out
}

// deepest counts the tasks in the longest chain of open tasks that begins with i and continues with its dependents.
func (w *world) deepest(i int) int {
	if w.closed(i) {
		return 0
	}
	long := make([]int, len(w.status))
	for range w.status { // no chain is longer than all of them
		for u := range w.status {
			for _, v := range w.before(u) {
				if !w.closed(u) {
					long[v] = max(long[v], long[u]+1)
				}
			}
		}
	}
	return long[i] + 1
}

// longest counts the tasks in the longest chain; a task that nothing waits for is not a chain.
func (w *world) longest() (out int) {
	for i := range w.status {
		out = max(out, w.deepest(i))
	}
	if out == 1 {
		return 0
	}
	return out
}

func (w *world) checkPicture(t *rapid.T, in picture.NetworkIn, shown func(int) bool, total int) {
	in.Slug = w.slug
	out, err := w.s.Picture.Network(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	want, got := []task.ID{}, []task.ID{}
	for i := range w.status {
		if shown(i) {
			want = append(want, w.id(i))
		}
	}
	for _, n := range out.Nodes {
		got = append(got, n.ID)
	}
	if diff := gocmp.Diff(want, got); diff != "" || out.Total != total || out.Cut {
		t.Fatalf("the picture %q of %d, cut %v (-want +got):\n%s", in.Show, out.Total, out.Cut, diff)
	}
	var edges, drawn []string
	for i := range w.status {
		for _, d := range w.deps[i] {
			if shown(i) && shown(d) {
				edges = append(edges, fmt.Sprint(w.id(d), " ", w.id(i), " false"))
			}
		}
		for _, c := range w.furtherParts(i) {
			if shown(i) && shown(c) {
				edges = append(edges, fmt.Sprint(w.id(c), " ", w.id(i), " true"))
			}
		}
	}
	for _, e := range out.Edges {
		drawn = append(drawn, fmt.Sprint(out.Nodes[e.From].ID, " ", out.Nodes[e.To].ID, " ", e.Part))
	}
	slices.Sort(edges)
	slices.Sort(drawn)
	if diff := gocmp.Diff(edges, drawn); diff != "" {
		t.Fatalf("edges of the picture %q (-want +got):\n%s", in.Show, diff)
	}
	for _, n := range out.Nodes {
		w.checkNode(t, n, shown)
	}
	w.checkCritical(t, out)
	w.checkGroups(t, out)
	if len(out.Drawing.Node) != len(out.Nodes) || len(out.Drawing.Way) != len(out.Edges) || len(out.Drawing.Frame) != len(out.Groups) {
		t.Fatalf("the drawing has %d nodes, %d ways, %d frames", len(out.Drawing.Node), len(out.Drawing.Way), len(out.Drawing.Frame))
	}
}

// checkNode checks what a node says about itself and about its open neighbours that are not shown.
func (w *world) checkNode(t *rapid.T, n picture.NetworkNode, shown func(int) bool) {
	i := w.at(n.ID)
	state := string(w.status[i])
	switch {
	case w.isReady(i):
		state = "ready"
	case w.status[i] == task.Open: // nobody asks a question here
		state = "waiting"
	case w.status[i] == task.InProgress: // and nobody holds a task
		state = "unheld"
	}
	before, after := 0, 0
	for u := range w.status {
		if shown(u) || w.closed(u) || w.closed(i) {
			continue
		}
		if slices.Contains(w.deps[i], u) {
			before++
		}
		if slices.Contains(w.deps[u], i) {
			after++
		}
	}
	if n.State != state || n.MoreBefore != before || n.MoreAfter != after || n.Parts != 0 {
		t.Fatalf("%s is %s with %d more before and %d after it, want %s with %d and %d", n.ID, n.State, n.MoreBefore, n.MoreAfter, state, before, after)
	}
}

// checkCritical checks that the critical tasks shown belong to one longest chain, and that its steps are the critical
// edges.
func (w *world) checkCritical(t *rapid.T, out *picture.NetworkOut) {
	path := map[int]bool{}
	for _, n := range out.Nodes {
		if n.Critical {
			path[w.at(n.ID)] = true
		}
	}
	if len(path) != w.longest() {
		t.Fatalf("%d tasks are critical in %q, and the longest chain has %d", len(path), out.Show, w.longest())
	}
	steps, after, before := 0, map[int]bool{}, map[int]bool{}
	for _, e := range out.Edges {
		from, to := w.at(out.Nodes[e.From].ID), w.at(out.Nodes[e.To].ID)
		if !e.Critical {
			continue
		}
		if !path[from] || !path[to] || after[from] || before[to] || !slices.Contains(w.before(to), from) {
			t.Fatalf("the edge from %s to %s is critical", w.id(from), w.id(to))
		}
		steps++
		after[from], before[to] = true, true
	}
	if steps != max(len(path)-1, 0) {
		t.Fatalf("%d critical tasks have %d steps between them", len(path), steps)
	}
}

// furtherParts returns the parts of an open task that it does not depend on.
func (w *world) furtherParts(i int) []int {
	if w.closed(i) {
		return nil
	}
	return slices.DeleteFunc(w.parts(i), func(c int) bool { return slices.Contains(w.deps[i], c) })
}

// checkGroups checks that the groups are the ancestors of the shown tasks, each once.
func (w *world) checkGroups(t *rapid.T, out *picture.NetworkOut) {
	want := map[task.ID]bool{}
	for _, n := range out.Nodes {
		for up := w.parent[w.at(n.ID)]; up >= 0; up = w.parent[up] {
			want[w.id(up)] = true
		}
	}
	for _, g := range out.Groups {
		around := -1
		if g.Parent >= 0 {
			around = w.at(out.Groups[g.Parent].ID)
		}
		if !want[g.ID] || w.parent[w.at(g.ID)] != around {
			t.Fatalf("the group %s lies in %d, want %d; it has shown parts: %v", g.ID, around, w.parent[w.at(g.ID)], want[g.ID])
		}
		delete(want, g.ID)
	}
	if len(want) > 0 {
		t.Fatalf("no group is made of %v", want)
	}
}

// checkFolded folds one parent: it and everything below it become one node, and every edge in or out of them ends there.
func (w *world) checkFolded(t *rapid.T) {
	parents := w.those(func(i int) bool { return slices.Contains(w.parent, i) })
	if len(parents) == 0 {
		return
	}
	fold := w.at(rapid.SampledFrom(parents).Draw(t, "fold"))
	inside := func(i int) bool {
		for ; i >= 0; i = w.parent[i] {
			if i == fold {
				return true
			}
		}
		return false
	}
	out, err := w.s.Picture.Network(ctx, picture.NetworkIn{Slug: w.slug, Show: "all", Folded: []string{string(w.id(fold))}})
	if err != nil {
		t.Fatal(err)
	}
	stands := func(i int) task.ID {
		if inside(i) {
			return w.id(fold)
		}
		return w.id(i)
	}
	parts, edges := map[task.ID]int{}, map[string]bool{}
	for i := range w.status {
		if inside(i) {
			parts[w.id(fold)]++
		} else {
			parts[w.id(i)] = 0
		}
		for _, d := range w.deps[i] {
			if stands(d) != stands(i) {
				edges[fmt.Sprint(stands(d), " ", stands(i))] = true
			}
		}
		for _, c := range w.furtherParts(i) {
			if stands(c) != stands(i) {
				edges[fmt.Sprint(stands(c), " ", stands(i))] = true
			}
		}
	}
	got, drawn := map[task.ID]int{}, map[string]bool{}
	for _, n := range out.Nodes {
		got[n.ID] = n.Parts
	}
	for _, e := range out.Edges {
		drawn[fmt.Sprint(out.Nodes[e.From].ID, " ", out.Nodes[e.To].ID)] = true
	}
	if diff := gocmp.Diff(parts, got); diff != "" || len(out.Edges) != len(drawn) {
		t.Fatalf("folded %s, %d edges of which %d differ (-want +got):\n%s", w.id(fold), len(out.Edges), len(drawn), diff)
	}
	if diff := gocmp.Diff(edges, drawn); diff != "" {
		t.Fatalf("edges with %s folded (-want +got):\n%s", w.id(fold), diff)
	}
}

// checkFocus checks that the picture around one task shows what its graph returns.
func (w *world) checkFocus(t *rapid.T) {
	root := w.id(rapid.IntRange(0, len(w.status)-1).Draw(t, "focus"))
	up, down := rapid.IntRange(0, 3).Draw(t, "up"), rapid.IntRange(0, 3).Draw(t, "down")
	around, err := w.s.Picture.Graph(ctx, picture.GraphIn{Task: string(root), Upstream: &up, Downstream: &down})
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.s.Picture.Network(ctx, picture.NetworkIn{Slug: w.slug, Focus: string(root), Up: &up, Down: &down})
	if err != nil {
		t.Fatal(err)
	}
	want, got := []string{}, []string{}
	for _, n := range around.Nodes {
		want = append(want, fmt.Sprint(n.ID, n.Truncated))
	}
	for _, n := range out.Nodes {
		got = append(got, fmt.Sprint(n.ID, n.MoreBefore+n.MoreAfter > 0))
	}
	edges := 0
	for _, e := range out.Edges {
		if !e.Part {
			edges++
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" || out.Focus != root || out.Total != len(w.status) || edges != len(around.Edges) {
		t.Fatalf("around %s: %d edges of %d (-want +got):\n%s", root, edges, len(around.Edges), diff)
	}
}
