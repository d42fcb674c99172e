package recount

import (
	"slices"

	"tasker/internal/db"
	"tasker/internal/graph"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// wired is what the edges of a project add up to. It stores tasks by their index in recount.refs, as numbers: a task
// takes a few dozen bytes, where its record would take thousands.
type wired struct {
	waits                         []bool // whether it waits for anything, open or not
	openDeps, openChildren, parts []int32
	circles                       *graph.Circles
}

// place returns the index of a task in refs.
func (c *recount) place(ref int64) (int32, bool) {
	i, ok := slices.BinarySearch(c.refs, ref)
	return int32(i), ok
}

// wire numbers the tasks of a project. It counts open dependencies, open children and parts, and finds the children
// that stand in a circle with their parents.
func (c *recount) wire() error {
	c.refs, c.acknowledged = nil, map[int64]int64{}
	var closed []bool
	var ups []int64 // the keys of parents
	lo, hi := c.p.Span()
	err := c.r.C.Query(`SELECT id, parent, status, acknowledged FROM task WHERE id BETWEEN $1 AND $2 ORDER BY id`, []any{lo, hi},
		db.Scan4(func(ref int64, parent *int64, status string, acknowledged int64) error {
			c.refs, closed = append(c.refs, ref), append(closed, task.Status(status).Closed())
			if parent == nil {
				parent = new(int64)
			}
			ups = append(ups, *parent)
			if acknowledged > 0 {
				c.acknowledged[ref] = acknowledged
			}
			return nil
		}))
	if err != nil {
		return err
	}
	n := len(c.refs)
	w := wired{waits: make([]bool, n), openDeps: make([]int32, n), openChildren: make([]int32, n), parts: make([]int32, n)}
	var all []graph.Edge
	err = c.r.C.Query(`SELECT task, on_task FROM dep WHERE task BETWEEN $1 AND $2`, []any{lo, hi}, db.Each2(func(ref, on int64) {
		from, ok := c.place(ref)
		if !ok {
			return
		}
		w.waits[from] = true
		if to, ok := c.place(on); ok {
			w.openDeps[from] += int32(store.One(!closed[to]))
			all = append(all, graph.Edge{From: from, To: to})
		}
	}))
	if err != nil {
		return err
	}
	parent := make([]int32, n)
	for i, up := range ups {
		parent[i] = -1
		if at, ok := c.place(up); ok {
			parent[i] = at
			all = append(all, graph.Edge{From: at, To: int32(i)})
		}
	}
	w.circles = graph.FindCircles(graph.New(n, all), parent)
	for i := range c.refs {
		if parent[i] >= 0 && !closed[i] {
			w.openChildren[parent[i]]++
			w.parts[parent[i]] += int32(store.One(!w.circles.Has(int32(i))))
		}
	}
	c.wired = w
	return nil
}

// edges compares what follows from the edges of a task.
func (c *recount) edges(ref int64, t *task.Task) {
	w := c.wired
	i, _ := c.place(ref)
	c.column(ref, "dependencies, open or not", "has_deps", !t.NoDeps, w.waits[i])
	c.column(ref, "open dependencies", "open_deps", t.OpenDeps, int(w.openDeps[i]))
	c.column(ref, "open children", "open_children", t.OpenChildren, int(w.openChildren[i]))
	c.column(ref, "circle with its parent", "in_circle", t.InCircle, w.circles.Has(i))
	c.column(ref, "parts", "parts", t.Parts, int(w.parts[i]))
	t.OpenDeps, t.Parts = int(w.openDeps[i]), int(w.parts[i])
	if t.Claim != nil && t.Status != task.InProgress { // only a person can tell which of the two is wrong
		c.check = query.CheckRecords
		c.differ(t, "status of a held task", t.Status, task.InProgress)
		c.check = query.CheckCounts
	}
}
