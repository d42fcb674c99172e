package recount

import (
	"tasker/internal/db"
	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// edges recounts open dependencies, open children, which of them stand in a circle with their parents, and parts.
func (c *recount) edges() error {
	openDeps, waits := map[int64]int{}, map[int64]bool{}
	at := make(map[int64]int32, len(c.refs))
	for i, ref := range c.refs {
		at[ref] = int32(i)
	}
	lo, hi := c.p.Span()
	var all []graph.Edge
	err := c.r.C.Query(`SELECT task, on_task FROM dep WHERE task BETWEEN $1 AND $2`, []any{lo, hi}, db.Scan2(func(ref, on int64) error {
		waits[ref] = true
		if on := c.byRef[on]; on != nil && !on.Status.Closed() {
			openDeps[ref]++
		}
		if from, ok := at[ref]; ok {
			if to, ok := at[on]; ok {
				all = append(all, graph.Edge{From: from, To: to})
			}
		}
		return nil
	}))
	if err != nil {
		return err
	}
	parent := make([]int32, len(c.refs))
	for i, ref := range c.refs {
		parent[i] = -1
		if up := c.byRef[ref].Parent; up != "" {
			_, n, _ := task.ParseID(string(up))
			parent[i] = at[c.p.Ref(n)]
			all = append(all, graph.Edge{From: parent[i], To: int32(i)})
		}
	}
	circles := graph.FindCircles(graph.New(len(c.refs), all), parent)
	openChildren, parts := make([]int, len(c.refs)), make([]int, len(c.refs))
	for i, ref := range c.refs {
		if parent[i] < 0 || c.byRef[ref].Status.Closed() {
			continue
		}
		openChildren[parent[i]]++
		if !circles.Has(int32(i)) {
			parts[parent[i]]++
		}
	}
	for i, ref := range c.refs {
		t := c.byRef[ref]
		c.column(ref, "dependencies, open or not", "has_deps", !t.NoDeps, waits[ref])
		c.column(ref, "open dependencies", "open_deps", t.OpenDeps, openDeps[ref])
		c.column(ref, "open children", "open_children", t.OpenChildren, openChildren[i])
		c.column(ref, "circle with its parent", "in_circle", t.InCircle, circles.Has(int32(i)))
		c.column(ref, "parts", "parts", t.Parts, parts[i])
		if t.Claim != nil && t.Status != task.InProgress { // which of the two is wrong, nobody but a person can tell
			c.check = query.CheckRecords
			c.differ(t, "status of a held task", t.Status, task.InProgress)
			c.check = query.CheckCounts
		}
	}
	return nil
}
