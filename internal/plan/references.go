package plan

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// maxOthers is how many stored tasks that a document does not mention are searched for what an unknown reference was
// meant to be.
const maxOthers = 100_000

// Mentions returns what a document mentions: the keys of its tasks, and the keys and ids of other tasks that it refers
// to. Texts that cannot be the key of a stored task are left out.
func (d *Document) Mentions() (keys, refs []string, ids []task.ID) {
	seen := make(map[string]bool, len(d.Tasks))
	add := func(list []string, name string) []string {
		if name == "" || seen[name] || !storable(name) {
			return list
		}
		seen[name] = true
		return append(list, name)
	}
	for i := range d.Tasks {
		keys = add(keys, d.Tasks[i].Key)
	}
	for i := range d.Tasks {
		refs = add(refs, string(d.Tasks[i].Parent.Value))
		for _, ref := range d.Tasks[i].Deps.Value {
			refs = add(refs, ref)
		}
	}
	for _, ref := range refs {
		if project, _, ok := task.ParseID(ref); ok && project == d.Project {
			ids = append(ids, task.ID(ref))
		}
	}
	return keys, refs, ids
}

// storable reports whether every database accepts a text, which is not known for a faulty document.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// references resolves parents and deps to nodes.
func (c *comparer) references() error {
	c.parent = make([]int32, len(c.doc.Tasks))
	c.deps = make([][]int32, len(c.doc.Tasks))
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
	return c.err
}

// resolveAll resolves deps: sorted, each once.
func (c *comparer) resolveAll(i int, refs []string) []int32 {
	nodes := make([]int32, 0, len(refs))
	c.Enter("deps")
	for k, ref := range refs {
		c.EnterAt(k)
		if v := c.resolve(i, ref); v >= 0 {
			nodes = append(nodes, v)
		}
		c.Leave()
	}
	c.Leave()
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// resolve finds what a reference of the document's i-th task names: a key of the document, else a key or an id of the
// project, or an id that it gave before it was renamed or merged. It notes an unknown reference or one to the task itself, and then returns none.
func (c *comparer) resolve(i int, ref string) int32 {
	v := int32(none)
	if k, ok := c.inDoc[ref]; ok {
		v = c.node[k]
	} else if k, ok := c.byKey[ref]; ok {
		v = k
	} else if k, ok := c.byID[task.ID(ref)]; ok {
		v = k
	} else if k, ok := c.byID[c.st.Moved[task.ID(ref)]]; ok {
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

// meant suggests what an unknown reference was meant to be. It looks at every key, so it is called only for faults that
// are shown.
func (c *comparer) meant(ref string) string {
	if c.Full() || c.Count() > 20 {
		return ""
	}
	var names []string
	for i := range c.doc.Tasks {
		names = append(names, c.doc.Tasks[i].Key)
	}
	for _, r := range c.stored() {
		names = append(names, r.Key, string(r.ID))
	}
	return words.Meant(ref, names)
}

// stored returns the tasks of the project, by number.
func (c *comparer) stored() []Ref {
	const page = 1000
	if c.others != nil || c.st.Project == nil || c.err != nil {
		return c.others
	}
	c.others = []Ref{}
	for after := task.ID(""); len(c.others) < maxOthers; {
		some, err := c.st.Rest.After(after, false, page)
		if c.err = err; err != nil || len(some) == 0 {
			break
		}
		c.others, after = append(c.others, some...), some[len(some)-1].ID
	}
	return c.others
}

// warnOfGates warns of a gate that tasks of the document name but that is not defined anywhere.
func (c *comparer) warnOfGates() {
	project := cmp.Or(c.diff.ProjectAfter, c.st.Project)
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

// undefinedGate returns the warning for a gate that tasks have but that is not defined anywhere.
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
