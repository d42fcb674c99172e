package services_test

import (
	"cmp"
	"fmt"
	"slices"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/inbox"
	"tasker/internal/landing"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// at returns the index of a task in the world.
func (w *world) at(id task.ID) int {
	_, n, _ := task.ParseID(string(id))
	return int(n - 1)
}

// sort puts tasks into selection order: the most urgent first, then the oldest, which have the lower numbers. Closed ones
// come newest first; all were closed at the same moment, so the higher number is the newer.
func (w *world) sort(ids []task.ID, closed bool) {
	slices.SortFunc(ids, func(a, b task.ID) int {
		if closed {
			return task.CompareIDs(b, a)
		}
		return cmp.Or(cmp.Compare(w.urgency[w.at(a)], w.urgency[w.at(b)]), task.CompareIDs(a, b))
	})
}

// parts returns the open children of i that do not lead back to it through dependencies and children.
func (w *world) parts(i int) (out []int) {
	for c, p := range w.parent {
		if p == i && !w.closed(c) && !w.leads(c, i) {
			out = append(out, c)
		}
	}
	return out
}

func (w *world) leads(from, to int) bool {
	seen, todo := map[int]bool{}, []int{from}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if at == to {
			return true
		}
		if seen[at] {
			continue
		}
		seen[at] = true
		todo = append(todo, w.deps[at]...)
		for c, p := range w.parent {
			if p == at {
				todo = append(todo, c)
			}
		}
	}
	return false
}

// waits reports whether i waits for anything.
func (w *world) waits(i int) bool { return w.openDeps(i) > 0 || len(w.parts(i)) > 0 }

// readyFirst returns the rank of a card: a board shows ready ones before waiting ones.
func (w *world) readyFirst(id task.ID) int {
	if w.isReady(w.at(id)) {
		return 0
	}
	return 1
}

func (w *world) isReady(i int) bool {
	return w.status[i] == task.Open && !w.waits(i)
}

// those returns the tasks that satisfy a condition, in selection order.
func (w *world) those(is func(int) bool) []task.ID {
	out := []task.ID{}
	for i := range w.status {
		if is(i) {
			out = append(out, w.id(i))
		}
	}
	w.sort(out, false)
	return out
}

func (w *world) checkReady(t *rapid.T) {
	out, err := w.s.Reading.Ready(ctx, reading.ReadyIn{Slug: w.slug})
	if err != nil {
		t.Fatal(err)
	}
	got := []task.ID{}
	for _, r := range out.Tasks {
		got = append(got, r.ID)
	}
	if diff := gocmp.Diff(w.those(w.isReady), got); diff != "" || out.Total != len(got) {
		t.Fatalf("ready, total %d (-want +got):\n%s", out.Total, diff)
	}
}

// clash reports whether two tasks may touch the same path: the globs drawn here overlap if they begin alike.
func (w *world) clash(a, b task.ID) bool {
	x, y := w.touches[w.at(a)], w.touches[w.at(b)]
	return len(x) > 0 && len(y) > 0 && x[0][0] == y[0][0]
}

func (w *world) checkBatches(t *rapid.T) {
	out, err := w.s.Reading.Work(ctx, reading.WorkIn{Slug: w.slug})
	if err != nil {
		t.Fatal(err)
	}
	type batch struct{ Tasks, Undeclared, Apart []string }
	var want, got []batch
	for _, id := range w.those(w.isReady) {
		at := 0
		for ; at < len(want); at++ {
			clash := slices.IndexFunc(want[at].Tasks, func(other string) bool { return w.clash(task.ID(other), id) })
			if clash < 0 {
				break
			}
			want[at].Apart = append(want[at].Apart, want[at].Tasks[clash]+" "+string(id))
		}
		if at == len(want) {
			want = append(want, batch{})
		}
		want[at].Tasks = append(want[at].Tasks, string(id))
		if len(w.touches[w.at(id)]) == 0 {
			want[at].Undeclared = append(want[at].Undeclared, string(id))
		}
	}
	for _, b := range out.Batches {
		var is batch
		for _, id := range b.Tasks {
			is.Tasks = append(is.Tasks, string(id))
		}
		for _, id := range b.Undeclared {
			is.Undeclared = append(is.Undeclared, string(id))
		}
		for _, a := range b.Apart {
			if a.Why == "" {
				t.Fatalf("%s and %s stand apart without a reason", a.A, a.B)
			}
			is.Apart = append(is.Apart, string(a.A)+" "+string(a.B))
		}
		got = append(got, is)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("batches (-want +got):\n%s", diff)
	}
}

// before returns the open tasks that i waits for: its open dependencies, then its parts.
func (w *world) before(i int) (out []int) {
	for _, d := range w.deps[i] {
		if !w.closed(d) {
			out = append(out, d)
		}
	}
	return append(out, w.parts(i)...)
}

func (w *world) checkBlocked(t *rapid.T) {
	out, err := w.s.Reading.Work(ctx, reading.WorkIn{Slug: w.slug})
	if err != nil {
		t.Fatal(err)
	}
	want := w.those(func(i int) bool { return w.status[i] == task.Open && w.waits(i) })
	got := []task.ID{}
	for _, b := range out.Blocked {
		got = append(got, b.Task)
		waits := []task.ID{}
		for _, d := range w.before(w.at(b.Task)) {
			waits = append(waits, w.id(d))
		}
		if diff := gocmp.Diff(waits, b.WaitsFor); diff != "" {
			t.Fatalf("%s waits for (-want +got):\n%s", b.Task, diff)
		}
		w.checkActOn(t, b)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("blocked (-want +got):\n%s", diff)
	}
}

// checkActOn checks that the named task waits for nothing, and is on a chain from the waiting one: parents never deadlock a
// plan.
func (w *world) checkActOn(t *rapid.T, b reading.Blocked) {
	seen, todo := map[int]bool{}, w.before(w.at(b.Task))
	some := false
	for len(todo) > 0 {
		v := todo[0]
		todo = todo[1:]
		if seen[v] {
			continue
		}
		seen[v] = true
		if !w.waits(v) {
			some = true
			continue
		}
		todo = append(todo, w.before(v)...)
	}
	if b.ActOn == nil {
		t.Fatalf("%s waits, and nothing is named to act on; there is something: %v", b.Task, some)
	}
	v := w.at(b.ActOn.Task)
	if !seen[v] || w.waits(v) || b.ActOn.Status != w.status[v] {
		t.Fatalf("%s is to act on %+v, which is not on the way or waits itself", b.Task, b.ActOn)
	}
}

func (w *world) checkCounts(t *rapid.T) {
	out, err := w.s.Inbox.ProjectOverview(ctx, inbox.ProjectOverviewIn{Slug: w.slug})
	if err != nil {
		t.Fatal(err)
	}
	var want inbox.Situation
	closed := 0
	for i, s := range w.status {
		*want.ByStatus.Of(s)++
		if w.isReady(i) {
			want.Ready++
		}
		if s == task.Open && w.waits(i) {
			want.Blocked++
		}
		if s == task.InProgress {
			want.Unheld++
		}
		if s == task.InReview {
			want.WaitingForHuman++
		}
		if w.closed(i) {
			closed++
		}
	}
	want.Stuck, want.Stalled, want.Unlanded = &want.Unheld, new(int), &landing.Unlanded{}
	want.Progress, want.ClosedLast7Days = 100*closed/len(w.status), closed
	got := out.Situation
	got.LastEvent, got.Sentence = nil, ""
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Fatalf("the situation (-want +got):\n%s", diff)
	}
	proven := []task.ID{}
	for _, p := range out.Proof.Closed {
		proven = append(proven, p.Task)
		if !p.Recorded || len(p.Criteria) != len(w.ticks[w.at(p.Task)]) {
			t.Fatalf("the proof of %s is %+v", p.Task, p)
		}
	}
	if want := w.closedOnes(); fmt.Sprint(want) != fmt.Sprint(proven) || out.Proof.Tally.Total != closed || out.Proof.Tally.Recorded != closed {
		t.Fatalf("proven are %v (%+v), want %v", proven, out.Proof.Tally, want)
	}
}

func (w *world) closedOnes() []task.ID {
	out := w.those(w.closed)
	w.sort(out, true)
	return out
}
