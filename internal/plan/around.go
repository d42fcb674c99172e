package plan

import (
	"cmp"
	"slices"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// cycles notes cycles through deps and through parents, among what is stored and what the document says together, and
// finds the circles of dependencies and parts by the way: where no task leads back to itself by either, there are none.
//
// What is stored has no cycles, so there is one only where an edge of the document closes it, and a mark changes only on
// a circle with an edge that comes or goes. Those edges are where the walk through the stored ones begins and ends.
func (c *comparer) cycles() error {
	heads, tails, fresh := c.changed()
	circled, err := c.addCircled(&heads, &tails)
	if err != nil || !fresh && !circled { // what is taken away can only end circles
		return err
	}
	around := map[task.ID]bool{}
	if len(heads) > 0 && len(tails) > 0 {
		around, err = graph.Between(heads, tails, tiesAtOnce, ends(c.st.Rest.From, func(t query.Tie) task.ID { return t.To }),
			ends(c.st.Rest.To, func(t query.Tie) task.ID { return t.From }))
		if err != nil {
			return err
		}
	}
	if len(around)+c.news == 0 {
		return nil
	}
	if err := c.wire(around); err != nil {
		return err
	}
	if c.found.None() {
		return nil
	}
	if err := c.noteCycles("deps", "wait for each other", c.around.deps); err != nil {
		return err
	}
	return c.noteCycles("parents", "are each other's parents", parentEdges(c.around.parent))
}

// changed returns the stored ends of the edges that come or go: what they lead to, and what from. An edge leads from a task
// to what it depends on, and from a parent to its child. fresh reports whether one comes.
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
			had := make(map[task.ID]bool, len(before.Deps))
			for _, id := range before.Deps {
				had[id] = true
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

// addCircled adds the ends of the ways by which tasks of the document, and children of them, stand in a circle already: a
// document that has to do with a circle is told of it. It reports whether anything of the project stands in one.
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

// wire makes a net of stored tasks and of those to create, with the edges among them as they will be, and looks for circles
// in it. The stored ones stand there by number, then the new ones, as among the nodes.
func (c *comparer) wire(around map[task.ID]bool) error {
	n := newNet(around)
	for range c.news {
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
	if len(n.ids) > 0 { // what is read comes in any order
		slices.SortFunc(n.deps, func(a, b graph.Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	}
	c.around, c.found = n, circlesOf(n.deps, n.parent)
	return nil
}

// readAround reads the stored edges of a net, but for those in whose place the document gives others.
func (c *comparer) readAround(n *net) error {
	if len(n.ids) == 0 {
		return nil
	}
	deps, parent := map[task.ID]bool{}, map[task.ID]bool{} // whose are given
	for i, v := range c.node {
		if v != none && int(v) < len(c.st.Tasks) {
			deps[c.st.Tasks[v].ID] = c.doc.Tasks[i].Deps.Set
			parent[c.st.Tasks[v].ID] = c.parent[i] != asStored
		}
	}
	return n.read(c.st.Rest.Ties, func(t query.Tie) bool { return t.Child && parent[t.To] || !t.Child && deps[t.From] })
}

func parentEdges(parents []int32) []graph.Edge {
	var edges []graph.Edge
	for v, p := range parents {
		if p >= 0 {
			edges = append(edges, graph.Edge{From: int32(v), To: p})
		}
	}
	return edges
}

func (c *comparer) noteCycles(through, what string, edges []graph.Edge) error {
	for _, cycle := range graph.New(len(c.around.parent), edges).Cycles() {
		if c.Full() {
			c.Note("")
			continue
		}
		keys, err := c.shownKeys(append(cycle, cycle[0]))
		if err != nil {
			return err
		}
		c.Note("a cycle through %s: %s %s", through, chain(keys, " -> "), what)
	}
	return nil
}

// shownKeys returns the keys of a way through the net, those that chain leaves out as empty texts.
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

// circles marks the children that stand in a circle with their parents, and takes the mark from those that do not any
// more. It warns of circles of more than two that the document has to do with.
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
	var warnings []string
	more := 0
	for i, before := range n.marked {
		v := int32(i)
		is := c.found.Has(v)
		switch {
		case i >= stored:
			c.diff.Create[i-stored].Task.InCircle = is
		case is != before:
			c.diff.Circles = append(c.diff.Circles, query.CircleMark{Child: n.ids[i], In: is})
		}
		if !is || before && !mentioned[v] && !mentioned[n.parent[v]] {
			continue
		}
		switch {
		case c.found.Smallest(v):
		case len(warnings) == maxCircles:
			more++
		default:
			names, err := c.shownKeys(c.found.Way(v))
			if err != nil {
				return err
			}
			warnings = append(warnings, CircleWords(names))
		}
	}
	c.diff.Warnings = append(c.diff.Warnings, andMore(warnings, more)...)
	return nil
}
