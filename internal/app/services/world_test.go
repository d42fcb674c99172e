package services_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/app"
	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/glob"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

var ctx = core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: "bot"}})

// world is a project with a random graph, and the values that the graph was made from.
type world struct {
	s       *services.Set
	slug    string
	parent  []int // -1: none
	deps    [][]int
	status  []task.Status
	touches [][]string
	urgency []int
	ticks   [][]bool // its criteria, and which of them are ticked
}

func (w *world) id(i int) task.ID { return task.MakeID(w.slug, int64(i+1)) }

func (w *world) closed(i int) bool { return w.status[i].Closed() }

// openDeps counts the open tasks that i waits for.
func (w *world) openDeps(i int) (n int) {
	for _, d := range w.deps[i] {
		if !w.closed(d) {
			n++
		}
	}
	return n
}

func draw(t *rapid.T) *world {
	n := rapid.IntRange(1, 25).Draw(t, "n")
	w := &world{}
	for i := range n {
		parent := rapid.IntRange(-1, i-1).Draw(t, "parent")
		var deps []int
		for d := range i {
			if rapid.IntRange(0, 5).Draw(t, "dep") == 0 {
				deps = append(deps, d)
			}
		}
		w.parent, w.deps = append(w.parent, parent), append(w.deps, deps)
		w.status = append(w.status, rapid.SampledFrom([]task.Status{task.Open, task.Open, task.Open, task.InProgress, task.InReview, task.Done,
			task.Cancelled}).Draw(t, "status"))
		w.touches = append(w.touches, rapid.SampledFrom([][]string{nil, {"a/**"}, {"a/b"}, {"c/*"}}).Draw(t, "touches"))
		w.urgency = append(w.urgency, rapid.IntRange(0, 3).Draw(t, "priority"))
		w.ticks = append(w.ticks, rapid.SliceOfN(rapid.Bool(), 0, 2).Draw(t, "criteria"))
	}
	return w
}

func (w *world) fill(t *rapid.T) {
	var tasks []string
	for i := range w.parent {
		def := fmt.Sprintf(`{"key": "k%d", "title": "T%d", "status": %q, "priority": %d`, i, i, w.status[i], w.urgency[i])
		if w.parent[i] >= 0 {
			def += fmt.Sprintf(`, "parent": "k%d"`, w.parent[i])
		}
		var deps, touches, criteria []string
		for c := range w.ticks[i] {
			criteria = append(criteria, fmt.Sprintf(`"c%d"`, c))
		}
		for _, d := range w.deps[i] {
			deps = append(deps, fmt.Sprintf(`"k%d"`, d))
		}
		for _, g := range w.touches[i] {
			touches = append(touches, fmt.Sprintf("%q", g))
		}
		tasks = append(tasks, def+`, "deps": [`+strings.Join(deps, ",")+`], "touches": [`+strings.Join(touches, ",")+
			`], "criteria": [`+strings.Join(criteria, ",")+`]}`)
	}
	doc, err := plan.Decode([]byte(`{"project": "` + w.slug + `", "tasks": [` + strings.Join(tasks, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.s.Planning.Apply(ctx, planning.ApplyIn{Doc: doc}); err != nil {
		t.Fatal(err)
	}
	for i, ticks := range w.ticks {
		for c, ticked := range ticks {
			if !ticked {
				continue
			}
			if _, err := w.s.Work.Tick(ctx, work.TickIn{Task: string(w.id(i)), Index: c + 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestReadsAgreeWithANaiveRecomputation(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		a, err := app.Open(app.Options{DB: db})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}()
		runs := 0
		storetest.Check(t, db, func(rt *rapid.T) {
			runs++ // one project per run
			w := draw(rt)
			w.s, w.slug = a.Services, fmt.Sprint("p", runs)
			w.fill(rt)
			w.checkBoard(rt)
			w.checkBottlenecks(rt)
			w.checkSubtree(rt)
			w.checkGraph(rt)
			w.checkWork(rt)
			w.checkReady(rt)
			w.checkBatches(rt)
			w.checkBlocked(rt)
			w.checkCounts(rt)
			w.checkNetwork(rt)
		})
	})
}

func (w *world) checkBoard(t *rapid.T) {
	b, err := w.s.Reading.Board(ctx, reading.BoardIn{Slug: w.slug})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Columns {
		want, got := []task.ID{}, []task.ID{}
		for i, s := range w.status {
			if s == c.Status {
				want = append(want, w.id(i))
			}
		}
		for _, card := range c.Tasks {
			got = append(got, card.ID)
		}
		w.sort(want, c.Status.Closed())
		slices.SortStableFunc(want, func(a, b task.ID) int { // ready ones first
			return w.readyFirst(a) - w.readyFirst(b)
		})
		if diff := cmp.Diff(want, got); diff != "" || c.Total != len(want) {
			t.Fatalf("column %s, total %d (-want +got):\n%s", c.Status, c.Total, diff)
		}
	}
}

func (w *world) checkBottlenecks(t *rapid.T) {
	out, err := w.s.Reading.Bottlenecks(ctx, reading.ProjectIn{Slug: w.slug})
	if err != nil {
		t.Fatal(err)
	}
	type load struct{ direct, transitive, depth int }
	want := map[task.ID]load{}
	for i := range w.status {
		if w.closed(i) {
			continue
		}
		reached, level, depth := map[int]bool{}, []int{i}, 0
		direct := 0
		for len(level) > 0 {
			next := map[int]bool{}
			for _, v := range level {
				for u := range w.status {
					if !w.closed(u) && slices.Contains(w.before(u), v) {
						next[u] = true
						reached[u] = true
					}
				}
			}
			level = level[:0:0]
			for u := range next {
				level = append(level, u)
			}
			if depth == 0 {
				direct = len(level)
			}
			if len(level) > 0 {
				depth++
			}
		}
		if direct > 0 {
			want[w.id(i)] = load{direct, len(reached), depth}
		}
	}
	if out.Total != len(want) || len(out.Items) != len(want) {
		t.Fatalf("%d bottlenecks of %d, want %d", len(out.Items), out.Total, len(want))
	}
	last := 1 << 30
	for _, it := range out.Items {
		if got := (load{it.Direct, it.Transitive, it.Depth}); got != want[it.Task] {
			t.Fatalf("%s holds up %+v, want %+v", it.Task, got, want[it.Task])
		}
		if it.Transitive > last {
			t.Fatalf("%s comes after one that holds up fewer", it.Task)
		}
		last = it.Transitive
	}
}

func (w *world) checkSubtree(t *rapid.T) {
	root := rapid.IntRange(0, len(w.status)-1).Draw(t, "root")
	out, err := w.s.Picture.Subtree(ctx, core.TaskIn{Task: string(w.id(root))})
	if err != nil {
		t.Fatal(err)
	}
	want, got := []task.ID{}, []task.ID{}
	var counts task.Counts
	var criteria task.Progress
	closed := 0
	for i := range w.status {
		for up := w.parent[i]; up >= 0; up = w.parent[up] {
			if up == root {
				want = append(want, w.id(i))
				*counts.Of(w.status[i])++
				criteria.Total += len(w.ticks[i])
				for _, ticked := range w.ticks[i] {
					if ticked {
						criteria.Checked++
					}
				}
				if w.closed(i) {
					closed++
				}
			}
		}
	}
	todo := slices.Clone(out.Children)
	for len(todo) > 0 {
		n := todo[0]
		todo = append(todo[1:], n.Children...)
		got = append(got, n.ID)
	}
	slices.SortFunc(got, task.CompareIDs)
	if diff := cmp.Diff(want, got); diff != "" || out.Rollup != (picture.Rollup{Total: len(want), ByStatus: counts, Criteria: criteria,
		Progress: closed * 100 / max(len(want), 1)}) {
		t.Fatalf("below %s: %+v (-want +got):\n%s", w.id(root), out.Rollup, diff)
	}
}

func (w *world) checkGraph(t *rapid.T) {
	root := rapid.IntRange(0, len(w.status)-1).Draw(t, "root")
	up, down := rapid.IntRange(0, 4).Draw(t, "up"), rapid.IntRange(0, 4).Draw(t, "down")
	out, err := w.s.Picture.Graph(ctx, picture.GraphIn{Task: string(w.id(root)), Upstream: &up, Downstream: &down})
	if err != nil {
		t.Fatal(err)
	}
	want := map[task.ID]int{w.id(root): 0}
	spread := func(depth, sign int, next func(int) []int) {
		level := []int{root}
		for d := 1; d <= depth; d++ {
			var further []int
			for _, v := range level {
				for _, u := range next(v) {
					if _, ok := want[w.id(u)]; !ok {
						want[w.id(u)] = d * sign
						further = append(further, u)
					}
				}
			}
			level = further
		}
	}
	waitsFor := func(v int) []int { return w.deps[v] }
	waiters := func(v int) (out []int) {
		for u := range w.deps {
			if slices.Contains(w.deps[u], v) {
				out = append(out, u)
			}
		}
		return out
	}
	spread(up, -1, waitsFor)
	spread(down, 1, waiters)
	got := map[task.ID]int{}
	for _, n := range out.Nodes {
		got[n.ID] = n.Depth
		_, num, _ := task.ParseID(string(n.ID))
		further := waitsFor(int(num - 1))
		if n.Depth > 0 {
			further = waiters(int(num - 1))
		}
		if n.Depth == 0 {
			further = append(slices.Clone(further), waiters(root)...)
		}
		hidden := slices.ContainsFunc(further, func(u int) bool { _, shown := want[w.id(u)]; return !shown })
		if n.Truncated != hidden {
			t.Fatalf("%s at %d is truncated: %v, has hidden neighbours: %v", n.ID, n.Depth, n.Truncated, hidden)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("nodes around %s (-want +got):\n%s", w.id(root), diff)
	}
}

func (w *world) checkWork(t *rapid.T) {
	out, err := w.s.Reading.Work(ctx, reading.WorkIn{Slug: w.slug})
	if err != nil {
		t.Fatal(err)
	}
	want := map[task.ID]bool{}
	blocked := 0
	for i := range w.status {
		if w.isReady(i) {
			want[w.id(i)] = true
		}
		if w.status[i] == task.Open && w.waits(i) {
			blocked++
		}
	}
	if len(out.Frontier) != len(want) || out.Totals.Ready != len(want) || out.Totals.Blocked != blocked {
		t.Fatalf("%d ready (%d), want %d; %d blocked, want %d", len(out.Frontier), out.Totals.Ready, len(want), out.Totals.Blocked, blocked)
	}
	seen := map[task.ID]bool{}
	touches := map[task.ID][]string{}
	for _, f := range out.Frontier {
		touches[f.ID] = f.Touches
	}
	for _, b := range out.Batches {
		for i, x := range b.Tasks {
			if !want[x] || seen[x] {
				t.Fatalf("%s is in a batch, ready: %v, twice: %v", x, want[x], seen[x])
			}
			seen[x] = true
			for _, y := range b.Tasks[:i] {
				if why, clash := glob.NewBudget(1<<30).Overlap(ctx, glob.New(touches[x]), glob.New(touches[y])); clash {
					t.Fatalf("%s and %s are to run at once: %s", x, y, why)
				}
			}
		}
	}
	if len(seen) != len(want) {
		t.Fatalf("%d tasks in batches, %d ready", len(seen), len(want))
	}
	for _, b := range out.Blocked {
		if len(b.WaitsFor) == 0 {
			t.Fatalf("%s waits for nothing", b.Task)
		}
	}
}
