package plan

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// whole compares a document with every task of a project at once: the simplest way to find what Compare must find.
type whole struct {
	*comparer
	up    []int32 // the parent of each node as it will be
	found *graph.Circles
}

func compareWhole(doc *Document, m *memory, a task.Actor) (*Diff, error) {
	st := m.state(doc)
	st.Tasks = m.tasks
	w := &whole{comparer: newComparer(doc, st, a)}
	w.keys()
	if err := w.references(); err != nil {
		return nil, err
	}
	w.cycles()
	if err := together(doc.Check(), w.Refuse("the plan")); err != nil {
		return nil, err
	}
	w.project()
	w.tasks()
	w.unmentioned()
	w.circles()
	w.warnOfGates()
	return w.diff, w.decline()
}

func (w *whole) unmentioned() {
	for _, t := range w.st.Tasks {
		if _, in := w.inDoc[t.Key]; !in && !t.Status.Closed() {
			w.diff.Unmentioned = append(w.diff.Unmentioned, Ref{Key: t.Key, ID: t.ID})
		}
	}
	w.diff.LeftOut = len(w.diff.Unmentioned)
	w.diff.Unmentioned = w.diff.Unmentioned[:min(w.diff.LeftOut, MaxUnmentioned)]
}

func (w *whole) cycles() {
	deps := w.depEdges()
	w.up = w.parents()
	w.found = circlesOf(deps, w.up)
	if w.found.None() {
		return
	}
	w.noteCycles("deps", "wait for each other", deps)
	w.noteCycles("parents", "are each other's parents", parentEdges(w.up))
}

func (w *whole) noteCycles(through, what string, edges []graph.Edge) {
	for _, cycle := range graph.New(len(w.up), edges).Cycles() {
		keys := w.keysOf(append(cycle, cycle[0]))
		w.Note("a cycle through %s: %s %s", through, chain(keys, " -> "), what)
	}
}

func (w *whole) keysOf(way []int32) []string {
	keys := make([]string, len(way))
	for i, v := range way {
		keys[i] = w.keyOf(v)
	}
	return keys
}

func (w *whole) depEdges() (edges []graph.Edge) {
	given := make([]bool, len(w.st.Tasks)+len(w.order))
	for i, deps := range w.deps {
		if v := w.node[i]; v != none && w.doc.Tasks[i].Deps.Set {
			given[v] = true
			for _, on := range deps {
				edges = append(edges, graph.Edge{From: v, To: on})
			}
		}
	}
	for v, t := range w.st.Tasks {
		for _, id := range t.Deps {
			if !given[v] {
				edges = append(edges, graph.Edge{From: int32(v), To: w.byID[id]})
			}
		}
	}
	return edges
}

func (w *whole) parents() []int32 {
	up := make([]int32, len(w.st.Tasks)+len(w.order))
	for v := range up {
		up[v] = none
		if v < len(w.st.Tasks) && w.st.Tasks[v].Parent != "" {
			up[v] = w.byID[task.ID(w.st.Tasks[v].Parent)]
		}
	}
	for i, p := range w.parent {
		if v := w.node[i]; v != none && p != asStored {
			up[v] = p
		}
	}
	return up
}

func (w *whole) circles() {
	mentioned := make([]bool, len(w.up))
	for _, v := range w.node {
		mentioned[v] = true
	}
	var warnings []string
	more := 0
	for i := range w.up {
		v, before := int32(i), false
		is := w.found.Has(v)
		if stored := len(w.st.Tasks); i < stored {
			before = w.st.Tasks[i].InCircle
			if is != before {
				w.diff.Circles = append(w.diff.Circles, query.CircleMark{Child: w.st.Tasks[i].ID, In: is})
			}
		} else {
			w.diff.Create[i-stored].Task.InCircle = is
		}
		if !is || before && !mentioned[v] && !mentioned[w.up[v]] {
			continue
		}
		way := w.found.Way(v)
		switch {
		case len(way) == smallest:
		case len(warnings) == maxCircles:
			more++
		default:
			warnings = append(warnings, CircleWords(w.keysOf(way)))
		}
	}
	w.diff.Warnings = append(w.diff.Warnings, andMore(warnings, more)...)
}

// wiringKeys are the keys of the tasks that drawWiring draws edges among; all but the last exist from the beginning.
var wiringKeys = []string{"k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "new"}

// drawWiring draws a plan that is mostly edges: to its own tasks and to others, by key and by id, sometimes to nothing,
// with cycles and circles.
func drawWiring(t *rapid.T) *Document {
	refs := slices.Clone(wiringKeys[:len(wiringKeys)-1])
	for i := range refs {
		refs = append(refs, fmt.Sprint("demo-", i+1))
	}
	odd := rapid.IntRange(0, 9).Draw(t, "odd")
	if odd == 0 {
		refs = append(refs, "k77")
	}
	doc := &Document{Project: "demo"}
	for _, k := range rapid.SliceOfN(rapid.SampledFrom(wiringKeys), 1, 4).Draw(t, "keys") {
		if odd != 1 && slices.ContainsFunc(doc.Tasks, func(d TaskDef) bool { return d.Key == k }) {
			continue
		}
		d := TaskDef{Key: k}
		d.Title = Give("T")
		if rapid.Bool().Draw(t, "parent given") {
			d.Parent = Give(rapid.SampledFrom(append(optsOf(refs), "", "", "")).Draw(t, "parent"))
		}
		if rapid.IntRange(0, 2).Draw(t, "deps given") > 0 {
			d.Deps = Give(rapid.SliceOfN(rapid.SampledFrom(refs), 0, 2).Draw(t, "deps"))
		}
		if rapid.IntRange(0, 9).Draw(t, "closed") == 0 {
			d.Status = Give(task.Done)
		}
		doc.Tasks = append(doc.Tasks, d)
	}
	return doc
}

// TestComparingWithWhatIsMentionedComesToTheSame checks that, for any stored graph and any document, reading what the
// document mentions and what its edges lead to finds the same as reading the whole project.
func TestComparingWithWhatIsMentionedComesToTheSame(t *testing.T) {
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		first := &Document{Project: "demo"}
		for _, k := range wiringKeys[:len(wiringKeys)-1] {
			first.Tasks = append(first.Tasks, TaskDef{Key: k, Fields: Fields{Title: Give("T")}})
		}
		m := &memory{now: 1}
		if _, err := m.apply(first, ada); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 12).Draw(t, "plans") {
			doc := drawWiring(t)
			want, wantErr := compareWhole(doc, m, ada)
			got, gotErr := Compare(doc, m.state(doc), ada)
			if d := cmp.Diff(said(wantErr), said(gotErr)); d != "" {
				t.Fatalf("%+v\nis refused differently (-want +got):\n%s", doc.Tasks, d)
			}
			if wantErr != nil {
				seen["refused"]++
				continue
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%+v\nhas another result (-want +got):\n%s", doc.Tasks, d)
			}
			seen["accepted"]++
			seen["circles"] += min(1, len(got.Circles))
			seen["warnings"] += min(1, len(got.Warnings))
			if _, err := m.apply(doc, ada); err != nil {
				t.Fatal(err)
			}
			marksRight(t, m)
		}
	})
	for _, what := range []string{"refused", "circles", "warnings"} {
		if seen[what] < seen["accepted"]/100 {
			t.Errorf("few plans were drawn of the kind %s: %v", what, seen)
		}
	}
}

// marksRight checks every mark against the whole graph.
func marksRight(t *rapid.T, m *memory) {
	none, err := compareWhole(&Document{Project: "demo", Tasks: []TaskDef{{Key: m.tasks[0].Key, Fields: Fields{Title: Give(m.tasks[0].Title)}}}}, m, ada)
	if err != nil || len(none.Circles) > 0 {
		t.Fatalf("marks differ: %v %+v", err, none)
	}
}

func said(err error) []string {
	if err == nil {
		return nil
	}
	e := fault.Of(err)
	return append([]string{e.Message}, e.Missing...)
}
