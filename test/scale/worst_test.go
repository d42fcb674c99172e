package scale

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// knot is a graph that a careless walk would never leave: its tasks by number, and what each waits for.
type knot struct {
	name string
	n    int
	deps func(i int) []int
	root int // where reads begin
}

// knots returns 24 diamonds in a row, with 2^24 paths through them; a chain; and a task with very many dependents and as
// many dependencies.
func knots(long, wide int) []knot {
	return []knot{
		{"diamonds", 3*24 + 1, func(i int) []int {
			switch {
			case i == 0:
				return nil
			case i%3 == 0: // the lower end waits for both sides
				return []int{i - 2, i - 1}
			default: // a side waits for the upper end
				return []int{(i - 1) / 3 * 3}
			}
		}, 36},
		{"chain", long, func(i int) []int {
			if i == 0 {
				return nil
			}
			return []int{i - 1}
		}, long / 2},
		{"fan", 2*wide + 1, func(i int) []int {
			switch {
			case i < wide:
				return nil
			case i == wide: // waits for all before it
				out := make([]int, wide)
				for d := range out {
					out[d] = d
				}
				return out
			default:
				return []int{wide}
			}
		}, wide},
	}
}

func tie(t *testing.T, s *store.Store, slug string, k knot) {
	t.Helper()
	by := task.By{Actor: task.Actor{Name: "maker"}}
	err := s.Write(context.Background(), by, func(w *store.Tx) error { return w.CreateProject(&task.Project{Slug: slug}) })
	if err != nil {
		t.Fatal(err)
	}
	by.Alone = true
	err = s.Write(context.Background(), by, func(w *store.Tx) error {
		list := make([]task.NewTask, k.n)
		for i := range list {
			list[i] = task.NewTask{Task: &task.Task{
				Key: fmt.Sprint("k", i), Title: fmt.Sprint("The task ", i), Status: task.Open, Priority: 2, Version: 1, CreatedBy: "maker",
				CreatedAt: w.Now(), UpdatedAt: w.Now(),
			}, Event: task.Draft{Kind: task.TaskCreated}, NewDeps: k.deps(i)}
		}
		return w.CreateTasks(slug, list)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestKnotsAreReadWithBoundedWork reads every view of graphs with very many paths, levels or neighbours of a task. The
// work of a read is bounded for any graph; reads that weigh the whole graph read each edge once.
func TestKnotsAreReadWithBoundedWork(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		long, wide := size(8_000, 100_000), size(4_000, 50_000)
		s := open(t, db)
		m := metered(s)
		services := services.New(core.Env{Store: m.Store, Settings: &fixed{}})
		for _, k := range knots(long, wide) {
			t.Run(k.name, func(t *testing.T) {
				slug := k.name
				tie(t, s, slug, k)
				w := &walker{
					t:        t,
					m:        m,
					services: services,
					local:    op.NewLocal(services.All()...),
					slug:     slug,
					root:     string(task.MakeID(slug, int64(k.root+1))),
				}
				w.boundedReads()
				w.wholeReads(k)
				w.rewire(k)
			})
		}
	})
}

// walker reads one knot.
type walker struct {
	t        *testing.T
	m        *meter
	services *services.Set
	local    op.Local
	slug     string
	root     string
}

// maxCost is how many statements a bounded read may send, and how many rows it may get. Pages have 50 tasks, a graph has
// up to 5,000 nodes and 100,000 edges in each direction, and a chain of waiting tasks is followed for 200 steps. A record
// names everything that its task waits for: 50,000 in a fan.
var maxCost = cost{statements: 500, rows: 56_000}

func (w *walker) read(name string, fn func() error) {
	w.t.Helper()
	w.m.cost = cost{}
	if err := fn(); err != nil {
		w.t.Fatalf("%s of %s: %v", name, w.slug, err)
	}
	w.t.Logf("%s of %s: %+v", name, w.slug, w.m.cost)
	if w.m.statements > maxCost.statements || w.m.rows > maxCost.rows {
		w.t.Errorf("%s of %s sent %d statements and got %d rows", name, w.slug, w.m.statements, w.m.rows)
	}
}

func (w *walker) boundedReads() {
	in, eight := reading.ProjectIn{Slug: w.slug}, 8
	w.read("the bundle", func() error { _, err := op.Show.Do(ctx, w.local, reading.ShowIn{Task: w.root}); return err })
	w.read("the graph", func() error {
		out, err := op.Graph.Do(ctx, w.local, picture.GraphIn{Task: w.root, Upstream: &eight, Downstream: &eight})
		if err == nil && len(out.Nodes) > 5000 {
			return fmt.Errorf("%d nodes are shown", len(out.Nodes))
		}
		return err
	})
	w.read("the board", func() error { _, err := op.Board.Do(ctx, w.local, reading.BoardIn{Slug: w.slug}); return err })
	w.read("the preview", func() error { _, err := op.Peek.Do(ctx, w.local, work.PeekIn{Project: w.slug}); return err })
	w.read("the work", func() error { _, err := op.Work.Do(ctx, w.local, reading.WorkIn{Slug: in.Slug}); return err })
	w.read("the inbox", func() error { _, err := op.Inbox.Do(ctx, w.local, inbox.InboxIn{Slug: w.slug, All: true}); return err })
	w.read("the explanation", func() error { _, err := op.Explain.Do(ctx, w.local, core.TaskIn{Task: w.root}); return err })
}

// wholeReads are the reads that weigh the whole graph: they read it once, and then answer from the cached count.
func (w *walker) wholeReads(k knot) {
	edges := 0
	for i := range k.n {
		edges += len(k.deps(i))
	}
	in := reading.ProjectIn{Slug: w.slug}
	for turn := range 2 {
		w.m.cost = cost{}
		out, err := op.Bottlenecks.Do(ctx, w.local, in)
		if err != nil {
			w.t.Fatal(err)
		}
		bound := int64(k.n + edges + 200)
		if turn == 1 {
			bound = 200
		}
		if w.m.rows > bound || w.m.statements > 20 {
			w.t.Errorf("the bottlenecks of %s, read %d times: %+v", w.slug, turn+1, w.m.cost)
		}
		worst := map[string]reading.Bottleneck{
			"diamonds": {Transitive: 72, Direct: 2, Depth: 48},
			"chain":    {Transitive: k.n - 1, Direct: 1, Depth: k.n - 1},
			"fan":      {Transitive: (k.n - 1) / 2, Direct: (k.n - 1) / 2, Depth: 1},
		}[k.name]
		if k.name == "fan" { // each earlier task holds up the middle and everything behind it
			worst = reading.Bottleneck{Transitive: (k.n-1)/2 + 1, Direct: 1, Depth: 2}
		}
		if got := out.Items[0]; got.Transitive != worst.Transitive || got.Direct != worst.Direct || got.Depth != worst.Depth {
			w.t.Errorf("the worst bottleneck of %s is %+v, want %+v", w.slug, got, worst)
		}
	}
	w.m.cost = cost{}
	front, err := w.services.Picture.Network(ctx, picture.NetworkIn{Slug: w.slug})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(front.Nodes) > 240 || w.m.rows > int64(k.n+edges+2000) {
		w.t.Errorf("the picture of %s has %d nodes: %+v", w.slug, len(front.Nodes), w.m.cost)
	}
}

// maxRewired is how many statements a turn that adds one edge may send: a bounded number for single tasks, and past it a
// few hundred for everything that 100,000 tasks depend on.
const maxRewired = 1_500

// rewire adds an edge in the middle, far from both ends, and one that would close a cycle.
func (w *walker) rewire(k knot) {
	edit := func(task, dep int) error {
		w.m.cost = cost{}
		deps := make([]string, 0, 2)
		for _, d := range append(k.deps(task), dep) {
			deps = append(deps, fmt.Sprintf("%q", w.id(d)))
		}
		change, err := plan.DecodeEdit([]byte(`{"deps":[` + strings.Join(deps, ",") + `]}`))
		if err != nil {
			w.t.Fatal(err)
		}
		_, err = op.Edit.Do(ctx, w.local, planning.EditIn{Task: w.id(task), Edit: change})
		w.t.Logf("one edge of %s: %+v", w.slug, w.m.cost)
		if w.m.statements > maxRewired {
			w.t.Errorf("one edge of %s takes %d statements", w.slug, w.m.statements)
		}
		return err
	}
	if k.name != "chain" {
		return
	}
	if err := edit(k.n/2, k.n/2-k.n/8); err != nil {
		w.t.Error(err)
	}
	if err := edit(k.n/2, k.n/2+k.n/8); !fault.Is(err, fault.Invalid) {
		w.t.Errorf("a cycle is answered with %v", err)
	}
}

// id returns the id of a task of the knot.
func (w *walker) id(i int) string { return string(task.MakeID(w.slug, int64(i+1))) }
