package plan

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/words"
)

// references resolves parents and deps to nodes.
func (c *comparer) references() {
	c.parent = make([]int32, len(c.doc.Tasks))
	c.deps = make([][]int32, len(c.doc.Tasks))
	total := 0
	for i := range c.doc.Tasks {
		total += len(c.doc.Tasks[i].Deps.Value)
	}
	c.arena = make([]int32, 0, total)
	c.Enter("tasks")
	for i := range c.doc.Tasks {
		d := &c.doc.Tasks[i]
		c.EnterAt(i)
		c.parent[i] = asStored
		if d.Parent.Set {
			c.parent[i] = none
			if ref := string(d.Parent.Value); ref != "" {
				c.Enter("parent")
				c.parent[i] = c.resolve(i, ref)
				c.Leave()
			}
		}
		if d.Deps.Set {
			c.deps[i] = c.resolveAll(i, d.Deps.Value)
		}
		c.Leave()
	}
	c.Leave()
}

// resolveAll resolves deps: sorted, each once.
func (c *comparer) resolveAll(i int, refs []string) []int32 {
	from := len(c.arena)
	c.Enter("deps")
	for k, ref := range refs {
		c.EnterAt(k)
		if v := c.resolve(i, ref); v >= 0 {
			c.arena = append(c.arena, v)
		}
		c.Leave()
	}
	c.Leave()
	part := c.arena[from:len(c.arena):len(c.arena)]
	slices.Sort(part)
	return slices.Compact(part)
}

// resolve finds what a reference of the document's i-th task names: a key of the document, else a key, else an id,
// of the project. It notes a reference to nothing or to the task itself, and gives none.
func (c *comparer) resolve(i int, ref string) int32 {
	v := int32(none)
	if k, ok := c.inDoc[ref]; ok {
		v = c.node[k]
	} else if k, ok := c.byKey[ref]; ok {
		v = k
	} else if k, ok := c.byID[task.ID(ref)]; ok {
		v = k
	}
	switch {
	case v == none:
		c.Note("%s is neither a key nor an id here%s", words.Quoted(ref), c.meant(ref))
	case v == c.node[i]:
		c.Note("%s is the task itself", words.Quoted(ref))
		return none
	}
	return v
}

// meant suggests what an unknown reference was meant to be. It looks at every key, so it is asked only for faults
// that are shown.
func (c *comparer) meant(ref string) string {
	if c.Full() || c.Count() > 20 {
		return ""
	}
	if near := words.NearestIn(ref, c.names()); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

func (c *comparer) names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range c.doc.Tasks {
			if !yield(c.doc.Tasks[i].Key) {
				return
			}
		}
		for _, t := range c.st.Tasks {
			if !yield(t.Key) || !yield(string(t.ID)) {
				return
			}
		}
	}
}

// cycles notes cycles through deps and through parents, among what is stored and what the document says together, and
// finds the circles of dependencies and parts by the way: where no task leads back to itself by either, there are none.
func (c *comparer) cycles() {
	if !c.givesEdges() && !slices.ContainsFunc(c.st.Tasks, func(t *task.Task) bool { return t.InCircle }) {
		return
	}
	deps := c.depEdges()
	c.up = c.parents()
	c.found = circlesOf(deps, c.up)
	if c.found.None() {
		return
	}
	c.noteCycles("deps", "wait for each other", deps)
	c.noteCycles("parents", "are each other's parents", parentEdges(c.up))
}

// givesEdges reports whether the document says anything of deps or parents.
func (c *comparer) givesEdges() bool {
	for i := range c.doc.Tasks {
		if c.doc.Tasks[i].Deps.Set || c.doc.Tasks[i].Parent.Set {
			return true
		}
	}
	return false
}

func (c *comparer) noteCycles(through, what string, edges []graph.Edge) {
	for _, cycle := range graph.New(len(c.st.Tasks)+c.news, edges).Cycles() {
		keys := make([]string, 0, len(cycle)+1)
		for _, v := range cycle {
			keys = append(keys, c.keyOf(v))
		}
		keys = append(keys, keys[0])
		c.Note("a cycle through %s: %s %s", through, chain(keys, " -> "), what)
	}
}

func (c *comparer) keyOf(v int32) string {
	if int(v) < len(c.st.Tasks) {
		return c.st.Tasks[v].Key
	}
	return c.doc.Tasks[c.order[int(v)-len(c.st.Tasks)]].Key
}

// depEdges are all dependencies as they will be.
func (c *comparer) depEdges() []graph.Edge {
	given := make([]bool, len(c.st.Tasks)+c.news)
	edges := make([]graph.Edge, 0, 2*len(c.arena))
	for i, deps := range c.deps {
		v := c.node[i]
		if v == none || !c.doc.Tasks[i].Deps.Set {
			continue
		}
		given[v] = true
		for _, w := range deps {
			edges = append(edges, graph.Edge{From: v, To: w})
		}
	}
	for v, t := range c.st.Tasks {
		if given[v] {
			continue
		}
		for _, id := range t.Deps {
			if w, ok := c.byID[id]; ok {
				edges = append(edges, graph.Edge{From: int32(v), To: w})
			}
		}
	}
	return edges
}

// parents gives every node's parent as it will be.
func (c *comparer) parents() []int32 {
	up := make([]int32, len(c.st.Tasks)+c.news)
	for v := range up {
		up[v] = none
		if v < len(c.st.Tasks) {
			if w, ok := c.byID[task.ID(c.st.Tasks[v].Parent)]; ok {
				up[v] = w
			}
		}
	}
	for i, p := range c.parent {
		if v := c.node[i]; v != none && p != asStored {
			up[v] = p
		}
	}
	return up
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

// circles marks the children that stand in a circle with their parents, and takes the mark from those that do not any
// more. It warns of circles of more than two that the document has to do with.
func (c *comparer) circles() {
	if c.found == nil {
		return
	}
	mentioned := make([]bool, len(c.up))
	for _, v := range c.node {
		mentioned[v] = true
	}
	var warnings []string
	more := 0
	for i := range c.up {
		v, before := int32(i), false
		is := c.found.Has(v)
		if stored := len(c.st.Tasks); i < stored {
			before = c.st.Tasks[i].InCircle
			if is != before {
				c.diff.Circles = append(c.diff.Circles, query.CircleMark{Child: c.st.Tasks[i].ID, In: is})
			}
		} else {
			c.diff.Create[i-stored].Task.InCircle = is
		}
		if !is || before && !mentioned[v] && !mentioned[c.up[v]] {
			continue
		}
		way := c.found.Way(v)
		switch {
		case len(way) == smallest:
		case len(warnings) == maxCircles:
			more++
		default:
			names := make([]string, len(way))
			for k, u := range way {
				names[k] = c.keyOf(u)
			}
			warnings = append(warnings, CircleWords(names))
		}
	}
	c.diff.Warnings = append(c.diff.Warnings, andMore(warnings, more)...)
}

// warnOfGates: a gate that tasks of the document name and that is defined nowhere.
func (c *comparer) warnOfGates() {
	project := c.diff.ProjectAfter
	if project == nil {
		project = c.st.Project
	}
	named := map[task.Opt][]string{}
	for i := range c.doc.Tasks {
		gate := c.doc.Tasks[i].Gate.Value
		if v := int(c.node[i]); !c.doc.Tasks[i].Gate.Set && v < len(c.st.Tasks) {
			gate = c.st.Tasks[v].Gate
		}
		if gate == "" {
			continue
		}
		if _, here := project.Gates[string(gate)]; !here && !c.st.Policy.DefinesGate(string(gate)) {
			named[gate] = append(named[gate], c.doc.Tasks[i].Key)
		}
	}
	for _, gate := range slices.Sorted(maps.Keys(named)) {
		c.diff.Warnings = append(c.diff.Warnings, undefinedGate(gate, several(named[gate])))
	}
}

// undefinedGate is the warning of a gate that tasks have and that is defined nowhere.
func undefinedGate(gate task.Opt, tasks string) string {
	return "gate " + string(gate) + " is defined nowhere; until it is, " + tasks + " cannot be done"
}

// several joins the first few names.
func several(names []string) string {
	const limit = 5
	if len(names) <= limit {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:limit], ", ") + " and others"
}
