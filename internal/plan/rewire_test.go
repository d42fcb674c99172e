package plan

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// wires is a project as edges alone.
type wires struct {
	deps   map[task.ID][]task.ID
	parent map[task.ID]task.ID
	marks  map[task.ID]bool
	reads  int
}

func (w *wires) read(which func(query.Tie) task.ID) func([]task.ID) ([]query.Tie, error) {
	return func(ids []task.ID) ([]query.Tie, error) {
		var out []query.Tie
		if len(ids) > 0 {
			w.reads++
		}
		keep := func(t query.Tie) {
			if slices.Contains(ids, which(t)) {
				out = append(out, t)
			}
		}
		for from, deps := range w.deps {
			for _, to := range deps {
				keep(query.Tie{From: from, To: to})
			}
		}
		for child, parent := range w.parent {
			keep(query.Tie{From: parent, To: child, Child: true, InCircle: w.marks[child]})
		}
		return out, nil
	}
}

func (w *wires) ties() Ties {
	return Ties{
		From: w.read(func(t query.Tie) task.ID { return t.From }), To: w.read(func(t query.Tie) task.ID { return t.To }),
		Circles: func() (bool, error) {
			for _, is := range w.marks {
				if is {
					return true, nil
				}
			}
			return false, nil
		},
	}
}

func (w *wires) task(id task.ID) *task.Task {
	return &task.Task{ID: id, Deps: w.deps[id], Parent: task.Opt(w.parent[id]), InCircle: w.marks[id]}
}

// rewire applies a change.
func (w *wires) rewire(id task.ID, parent task.ID, deps ...task.ID) (Circles, error) {
	after := w.task(id)
	after.Deps, after.Parent = deps, task.Opt(parent)
	c, err := Rewire(w.task(id), after, w.ties())
	if err != nil {
		return c, err
	}
	w.deps[id] = deps
	delete(w.parent, id)
	if parent != "" {
		w.parent[id] = parent
	}
	for _, m := range c.Marks {
		w.marks[m.Child] = m.In
	}
	return c, nil
}

// next returns what a task leads to.
func (w *wires) next(id task.ID, deps, children bool) (out []task.ID) {
	if deps {
		out = append(out, w.deps[id]...)
	}
	for child, parent := range w.parent {
		if children && parent == id {
			out = append(out, child)
		}
	}
	return out
}

// leads reports whether a path of at least one edge leads from one task to another.
func (w *wires) leads(from, to task.ID, deps, children bool) bool {
	seen, todo := map[task.ID]bool{}, []task.ID{from}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, next := range w.next(at, deps, children) {
			if next == to {
				return true
			}
			if !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

func TestRewireNamesCycles(t *testing.T) {
	w := &wires{deps: map[task.ID][]task.ID{"demo-2": {"demo-3"}, "demo-3": {"demo-1"}}, parent: map[task.ID]task.ID{"demo-7": "demo-6", "demo-6": "demo-5"}}
	_, err := w.rewire("demo-1", "", "demo-4", "demo-2")
	if want := "a cycle through deps: demo-1 -> demo-2 -> demo-3 -> demo-1 wait for each other"; !fault.Is(err, fault.Invalid) ||
		!slices.Equal(missing(err), []string{want}) {
		t.Errorf("got %v %q", err, missing(err))
	}
	_, err = w.rewire("demo-5", "demo-7")
	if want := "a cycle through parents: demo-5 -> demo-7 -> demo-6 -> demo-5 are each other's parents"; !slices.Equal(missing(err), []string{want}) {
		t.Errorf("got %v %q", err, missing(err))
	}
	for _, id := range []task.ID{"demo-4", "demo-8"} {
		if _, err := w.rewire(id, "demo-7", "demo-2"); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	lost := errors.New("lost")
	fails := func([]task.ID) ([]query.Tie, error) { return nil, lost }
	if _, err := Rewire(w.task("demo-9"), &task.Task{ID: "demo-9", Deps: []task.ID{"demo-1"}}, Ties{From: fails, To: fails}); !errors.Is(err, lost) {
		t.Errorf("the error of a reader is %v", err)
	}
}

func TestRewireNamesCirclesOfMoreThanTwo(t *testing.T) {
	w := &wires{deps: map[task.ID][]task.ID{}, parent: map[task.ID]task.ID{}, marks: map[task.ID]bool{}}
	silent, err := w.rewire("demo-2", "demo-1", "demo-1")
	if err != nil || !w.marks["demo-2"] || silent.Warnings("") != nil {
		t.Errorf("a child that depends on its parent: %+v, %v", silent, err)
	}
	if _, err := w.rewire("demo-5", "", "demo-1"); err != nil {
		t.Fatal(err)
	}
	c, err := w.rewire("demo-3", "demo-1", "demo-5")
	if want := []string{"demo-3 is no part of demo-1: demo-3 → demo-5 → demo-1 is a circle"}; err != nil || !slices.Equal(c.Warnings(""), want) {
		t.Errorf("%q, %v", c.Warnings(""), err)
	}
	made, err := Rewire(nil, &task.Task{Parent: "demo-1", Deps: []task.ID{"demo-5"}}, w.ties())
	if want := []string{"demo-9 is no part of demo-1: demo-9 → demo-5 → demo-1 is a circle"}; err != nil || !made.New ||
		!slices.Equal(made.Warnings("demo-9"), want) {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := w.rewire("demo-5", ""); err != nil || w.marks["demo-3"] || !w.marks["demo-2"] {
		t.Errorf("with its edge the circle is gone: %v, %v", w.marks, err)
	}
}

func TestCircleWaysLeadFromTheChildToItsParent(t *testing.T) {
	w := &wires{
		deps:   map[task.ID][]task.ID{"demo-2": {"demo-1"}, "demo-3": {"demo-5"}, "demo-5": {"demo-6"}, "demo-6": {"demo-1"}, "demo-7": {"demo-1"}},
		parent: map[task.ID]task.ID{"demo-2": "demo-1", "demo-3": "demo-1", "demo-8": "demo-1"},
	}
	got, err := CircleWays([]query.Tie{{From: "demo-1", To: "demo-2"}, {From: "demo-1", To: "demo-3"}, {From: "demo-1", To: "demo-8"}}, w.ties())
	if want := "[[demo-2 demo-1] [demo-3 demo-5 demo-6 demo-1]]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
	if got := CircleWords([]string{"a", "b"}); got != "a is no part of b: it depends on it" {
		t.Error(got)
	}
	if none, err := CircleWays(nil, w.ties()); err != nil || len(none) > 0 {
		t.Errorf("of no children: %v, %v", none, err)
	}
}

func TestWhatCannotCloseACircleIsNotWalked(t *testing.T) {
	w := &wires{deps: map[task.ID][]task.ID{"demo-1": {"demo-2"}, "demo-2": {"demo-3"}, "demo-3": {"demo-4"}}, parent: map[task.ID]task.ID{"demo-6": "demo-5"}}
	for what, c := range map[string]struct {
		after *task.Task
		reads int
	}{
		"a new task without a parent":                 {&task.Task{Deps: []task.ID{"demo-1"}}, 0},
		"a new task without dependencies":             {&task.Task{Parent: "demo-5"}, 0},
		"a new part of what nothing else waits for":   {&task.Task{Parent: "demo-5", Deps: []task.ID{"demo-1"}}, 1},
		"a dependency of what nothing else waits for": {&task.Task{ID: "demo-9", Deps: []task.ID{"demo-1"}}, 1},
	} {
		w.reads = 0
		var before *task.Task
		if c.after.ID != "" {
			before = &task.Task{ID: c.after.ID}
		}
		if _, err := Rewire(before, c.after, w.ties()); err != nil || w.reads != c.reads {
			t.Errorf("%s: %d reads, not %d: %v", what, w.reads, c.reads, err)
		}
	}
	w.reads = 0
	if _, err := w.rewire("demo-3", ""); err != nil || w.reads != 0 {
		t.Errorf("an edge is taken away where there are no circles: %d reads, %v", w.reads, err)
	}
}

// The marks equal those of a fresh count, whatever edges come and go.
func TestMarksOfCirclesAgreeWithReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "n")
		ids := make([]task.ID, n)
		for i := range ids {
			ids[i] = task.MakeID("demo", int64(i+1))
		}
		w := &wires{deps: map[task.ID][]task.ID{}, parent: map[task.ID]task.ID{}, marks: map[task.ID]bool{}}
		one := rapid.SampledFrom(ids)
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			id := one.Draw(t, "task")
			deps := rapid.SliceOfNDistinct(one, 0, 3, rapid.ID).Draw(t, "deps")
			deps = slices.DeleteFunc(deps, func(d task.ID) bool { return d == id })
			parent := rapid.SampledFrom(append([]task.ID{"", w.parent[id]}, ids...)).Draw(t, "parent")
			if parent == id {
				parent = ""
			}
			was := fmt.Sprint(w.deps, w.parent)
			cycle := w.cyclic(id, parent, deps)
			if _, err := w.rewire(id, parent, deps...); (err != nil) != cycle {
				t.Fatalf("%s gets the parent %q and waits for %v, in %s: a cycle %v, reported %v", id, parent, deps, was, cycle, err)
			}
			for _, child := range ids {
				p := w.parent[child]
				if want := p != "" && w.leads(child, p, true, true); w.marks[child] != want {
					t.Fatalf("after %s got the parent %q and %v, in %s: %s stands in a circle: %v, marked %v", id, parent, deps, was, child, want, w.marks[child])
				}
			}
		}
	})
}

// cyclic reports whether a change makes a cycle through deps or through parents.
func (w *wires) cyclic(id, parent task.ID, deps []task.ID) bool {
	after := &wires{deps: map[task.ID][]task.ID{}, parent: map[task.ID]task.ID{}}
	for k, v := range w.deps {
		after.deps[k] = v
	}
	for k, v := range w.parent {
		after.parent[k] = v
	}
	after.deps[id] = deps
	delete(after.parent, id)
	if parent != "" {
		after.parent[id] = parent
	}
	return after.leads(id, id, true, false) || after.leads(id, id, false, true)
}
