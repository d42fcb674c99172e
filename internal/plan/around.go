package plan

import (
	"cmp"
	"slices"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// cycles notes cycles through deps and through parents, in the stored tasks and the document combined. It also finds
// the circles of dependencies and parts: if no task leads back to itself through either, there are none.
//
// The stored tasks have no cycles, so there can be one only if an edge of the document closes it, and a mark changes
// only on a circle with an added or removed edge. The walk through the stored tasks starts and ends at those edges.
func (c *comparer) cycles() error {
	heads, tails, fresh := c.changed()
	circled, err := c.addCircled(&heads, &tails)
	if err != nil || !fresh && !circled { // removing edges can only end circles
		return err
	}
	around, err := between(heads, tails, c.st.Rest.Ties)
	if err != nil || len(around)+len(c.order) == 0 {
		return err
	}
	if err := c.wire(around); err != nil || c.found.None() {
		return err
	}
	for _, k := range c.around.kinds() {
		if err := c.noteCycles(k); err != nil {
			return err
		}
	}
	return nil
}

// changed returns the stored ends of the edges that are added or removed: the tasks that they lead to, and the tasks
// that they come from. An edge leads from a task to its dependency, and from a parent to its child. fresh reports
// whether an edge is added.
func (c *comparer) changed() (heads, tails []task.ID, fresh bool) {
	edge := func(from, to int32) {
		if int(to) < len(c.st.Tasks) {
			heads = append(heads, c.st.Tasks[to].ID)
		}
		if int(from) < len(c.st.Tasks) {
			tails = append(tails, c.st.Tasks[from].ID)
		}
	}
	for i, v := range c.node {
		if v == none {
			continue
		}
		before := &task.Task{}
		if int(v) < len(c.st.Tasks) {
			before = c.st.Tasks[v]
		}
		if c.doc.Tasks[i].Deps.Set && !c.sameDeps(before.Deps, c.deps[i]) {
			had := setOf(before.Deps)
			for _, id := range before.Deps {
				if w, ok := c.byID[id]; !ok || !contains(c.deps[i], w) {
					heads, tails = append(heads, id), append(tails, before.ID)
				}
			}
			for _, w := range c.deps[i] {
				if int(w) >= len(c.st.Tasks) || !had[c.st.Tasks[w].ID] {
					fresh = true
					edge(v, w)
				}
			}
		}
		p := c.parent[i]
		if p == asStored {
			continue
		}
		if up, isNew := c.parentRef(p); isNew == 0 && up == before.Parent {
			continue
		}
		if before.Parent != "" {
			heads, tails = append(heads, before.ID), append(tails, task.ID(before.Parent))
		}
		if p >= 0 {
			fresh = true
			edge(p, v)
		}
	}
	return heads, tails, fresh
}

func contains(sorted []int32, v int32) bool {
	_, ok := slices.BinarySearch(sorted, v)
	return ok
}

// addCircled adds the ends of the paths that already put tasks of the document, and their children, in a circle, so
// that a document that involves a circle gets a warning. It reports whether anything in the project is in one.
func (c *comparer) addCircled(heads, tails *[]task.ID) (bool, error) {
	if c.st.Project == nil {
		return false, nil
	}
	if some, err := c.st.Rest.Circles(); err != nil || !some {
		return false, err
	}
	var parents []task.ID
	for _, v := range c.node {
		if v == none || int(v) >= len(c.st.Tasks) {
			continue
		}
		t := c.st.Tasks[v]
		parents = append(parents, t.ID)
		if t.InCircle {
			*heads, *tails = append(*heads, t.ID), append(*tails, task.ID(t.Parent))
		}
	}
	children, err := c.st.Rest.CircledUnder(parents)
	for _, t := range children {
		*heads, *tails = append(*heads, t.To), append(*tails, t.From)
	}
	return true, err
}

// wire builds a net of stored tasks and tasks to create, with the edges between them as they will be, and looks for
// circles in it. The stored tasks come first, by number, then the new ones, in the same order as the nodes.
func (c *comparer) wire(around map[task.ID]bool) error {
	n := newNet(around)
	for range c.order {
		n.parent, n.marked = append(n.parent, none), append(n.marked, false)
	}
	place := func(v int32) int32 {
		if v < 0 {
			return none
		}
		if int(v) >= len(c.st.Tasks) {
			return int32(len(n.ids)) + v - int32(len(c.st.Tasks))
		}
		if at, ok := n.place[c.st.Tasks[v].ID]; ok {
			return at
		}
		return none
	}
	if err := c.readAround(n); err != nil {
		return err
	}
	for i, v := range c.node {
		at := place(v)
		if at == none {
			continue
		}
		if int(v) < len(c.st.Tasks) {
			n.marked[at] = c.st.Tasks[v].InCircle
		}
		for _, w := range c.deps[i] {
			if to := place(w); to != none {
				n.deps = append(n.deps, graph.Edge{From: at, To: to})
			}
		}
		if c.parent[i] != asStored {
			n.parent[at] = place(c.parent[i])
		}
	}
	if len(n.ids) > 0 { // reads return tasks in any order
		slices.SortFunc(n.deps, func(a, b graph.Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	}
	c.around, c.found = n, circlesOf(n.deps, n.parent)
	return nil
}

// readAround reads the stored edges of a net, except the ones that the document replaces.
func (c *comparer) readAround(n *net) error {
	if len(n.ids) == 0 {
		return nil
	}
	deps, parent := map[task.ID]bool{}, map[task.ID]bool{} // which tasks have new ones in the document
	for i, v := range c.node {
		if v != none && int(v) < len(c.st.Tasks) {
			deps[c.st.Tasks[v].ID] = c.doc.Tasks[i].Deps.Set
			parent[c.st.Tasks[v].ID] = c.parent[i] != asStored
		}
	}
	return n.read(c.st.Rest.Ties, func(t query.Tie) bool { return t.Child && parent[t.To] || !t.Child && deps[t.From] })
}

func (c *comparer) noteCycles(k edgeKind) error {
	for _, cycle := range k.Cycles() {
		if c.Full() {
			c.Note("")
			continue
		}
		keys, err := c.shownKeys(append(cycle, cycle[0]))
		if err != nil {
			return err
		}
		c.Note("%s", k.words(keys))
	}
	return nil
}

// shownKeys returns the keys of a path through the net; the ones that chain leaves out are empty.
func (c *comparer) shownKeys(way []int32) ([]string, error) {
	keys, at := make([]string, len(way)), map[task.ID][]int{}
	var unknown []task.ID
	for i, v := range way {
		if !shownOf(i, len(way)) {
			continue
		}
		if stored := len(c.around.ids); int(v) >= stored {
			keys[i] = c.keyOf(v - int32(stored) + int32(len(c.st.Tasks)))
			continue
		}
		id := c.around.ids[v]
		if known, ok := c.byID[id]; ok {
			keys[i] = c.keyOf(known)
			continue
		}
		if at[id] == nil {
			unknown = append(unknown, id)
		}
		at[id] = append(at[id], i)
	}
	if len(unknown) == 0 {
		return keys, nil
	}
	refs, err := c.st.Rest.Refs(unknown)
	for _, r := range refs {
		for _, i := range at[r.ID] {
			keys[i] = r.Key
		}
	}
	return keys, err
}

func (c *comparer) keyOf(v int32) string {
	if int(v) < len(c.st.Tasks) {
		return c.st.Tasks[v].Key
	}
	return c.doc.Tasks[c.order[int(v)-len(c.st.Tasks)]].Key
}

// circles marks the children that are in a circle with their parents, and removes the mark from children that no longer
// are. It warns of circles of more than two tasks that involve the document.
func (c *comparer) circles() error {
	if c.around == nil {
		return nil
	}
	n, stored := c.around, len(c.around.ids)
	mentioned := make([]bool, len(n.parent))
	for v := range mentioned {
		mentioned[v] = v >= stored
	}
	for _, v := range c.node {
		if int(v) < len(c.st.Tasks) {
			if at, ok := n.place[c.st.Tasks[v].ID]; ok {
				mentioned[at] = true
			}
		}
	}
	for i := range c.diff.Create {
		c.diff.Create[i].Task.InCircle = c.found.Has(int32(stored + i))
	}
	marks, ways, more := n.judge(c.found, func(v int32) bool { return mentioned[v] || mentioned[n.parent[v]] })
	c.diff.Circles = marks
	for _, way := range ways {
		names, err := c.shownKeys(way)
		if err != nil {
			return err
		}
		c.diff.Warnings = append(c.diff.Warnings, CircleWords(names))
	}
	c.diff.Warnings = andMore(c.diff.Warnings, more)
	return nil
}
