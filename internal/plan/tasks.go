package plan

import (
	"cmp"
	"fmt"
	"slices"

	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// tasks compares each task of the document with its record.
func (c *comparer) tasks() {
	c.knowEvidence()
	for i := range c.doc.Tasks {
		if v := int(c.node[i]); v < len(c.st.Tasks) {
			c.update(i, c.st.Tasks[v])
		} else {
			c.create(i)
		}
	}
}

func (c *comparer) create(i int) {
	d := &c.doc.Tasks[i]
	n := Create{Index: i, Task: d.create(c.doc.Project, c.a, c.st.Now), Evidence: newEvidence(nil, d.Evidence.Value)}
	c.typedRuns(i, n.Evidence)
	n.Task.Parent, n.NewParent = c.parentRef(c.parent[i])
	n.Task.Deps, n.NewDeps = c.depRefs(c.deps[i])
	c.diff.Create = append(c.diff.Create, n)
}

// update compares one task of the document with its record.
func (c *comparer) update(i int, before *task.Task) {
	d := &c.doc.Tasks[i]
	u := Update{Index: i, Before: before, Evidence: newEvidence(c.evidence[before.ID], d.Evidence.Value)}
	ch := changer{before: before}
	fields, given := c.ours(d, before)
	ch.fields(&fields)
	c.reparent(&ch, &u)
	c.rewire(&ch, &u)
	ch.seal(c.st.Now)
	u.After, u.Changes = ch.result(), ch.changes
	noted := given != "" && given != before.DocStatus
	if noted {
		if ch.after == nil {
			t := *before
			u.After = &t
		}
		u.After.DocStatus = given
		if given != before.Status {
			u.MoveTo = given
		}
	}
	c.weigh(i, &u)
	c.typedRuns(i, u.Evidence)
	ref := Ref{Key: before.Key, ID: before.ID}
	switch {
	case len(u.Changes) > 0 || u.MoveTo != "" || len(u.Evidence) > 0:
		c.diff.Update = append(c.diff.Update, u)
		if before.Claim.Live(c.st.Now) {
			c.diff.Held = append(c.diff.Held, ref)
		}
	case noted:
		c.diff.Noted = append(c.diff.Noted, u)
		c.diff.Unchanged = append(c.diff.Unchanged, ref)
	default:
		c.diff.Unchanged = append(c.diff.Unchanged, ref)
	}
}

// ours returns what a document gives for a task, without the fields that another system owns.
func (c *comparer) ours(d *TaskDef, before *task.Task) (Fields, task.Status) {
	fields, status := d.Fields, d.Status.Value
	foreign := c.st.Foreign[before.ID]
	if len(foreign) == 0 {
		return fields, status
	}
	l := leaver{foreign: foreign}
	leave(&l, "title", &fields.Title, before.Title)
	leave(&l, "body", &fields.Body, before.Body)
	leave(&l, "severity", &fields.Severity, before.Severity)
	leave(&l, "due", &fields.Due, before.Due)
	leave(&l, "priority", &fields.Priority, before.Priority)
	given := Field[task.Status]{Set: status != "" && status != before.DocStatus, Value: status}
	if leave(&l, "status", &given, before.Status); foreign["status"] {
		status = ""
	}
	if len(l.left) > 0 {
		c.diff.Left = append(c.diff.Left, Left{before.ID, l.left})
	}
	return fields, status
}

// leaver drops fields that another system owns, and collects the names of the ones that would have changed.
type leaver struct {
	foreign map[string]bool
	left    []string
}

func leave[V comparable](l *leaver, name string, f *Field[V], have V) {
	if !l.foreign[name] {
		return
	}
	if f.Set && f.Value != have {
		l.left = append(l.left, name)
	}
	f.Set = false
}

// weigh finds what the actor may not do to a task.
func (c *comparer) weigh(i int, u *Update) {
	if len(u.Changes) > 0 {
		edges, err := looseEdges(u.Before, u.After, c.a, c.st.Policy, c.st.Rest.Tasks)
		c.err = cmp.Or(c.err, err)
		for _, less := range append(task.Loosened(u.Before, u.After, c.a, c.st.Policy), edges...) {
			c.loosened = true
			c.theirs = append(c.theirs, fmt.Sprintf("tasks[%d]: %s: %s", i, u.Before.ID, less))
		}
	}
	// Any move of a held task ends its claim: it is in progress, the only status that keeps a claim.
	if u.MoveTo != "" && u.MoveTo != task.InProgress && u.Before.HeldByOther(c.a, c.st.Now) {
		c.ended = true
		c.theirs = append(c.theirs, fmt.Sprintf("tasks[%d].status: %s is %s", i, u.Before.ID, u.Before.Claim))
	}
}

// reparent compares the parent.
func (c *comparer) reparent(ch *changer, u *Update) {
	p := c.parent[u.Index]
	if p == asStored {
		return
	}
	id, fresh := c.parentRef(p)
	if fresh == 0 && id == ch.before.Parent {
		return
	}
	to := id
	if fresh > 0 {
		to = task.Opt(c.keyOf(p))
	}
	ch.own().Parent, u.NewParent = id, fresh
	ch.changes["parent"] = task.Delta{From: ch.before.Parent, To: to}
}

// rewire compares the deps, as sets.
func (c *comparer) rewire(ch *changer, u *Update) {
	if !c.doc.Tasks[u.Index].Deps.Set {
		return
	}
	nodes := c.deps[u.Index]
	if c.sameDeps(ch.before.Deps, nodes) {
		return
	}
	t := ch.own()
	t.Deps, u.NewDeps = c.depRefs(nodes)
	to := make([]string, len(nodes))
	for k, v := range nodes {
		if to[k] = c.keyOf(v); int(v) < len(c.st.Tasks) {
			to[k] = string(c.st.Tasks[v].ID)
		}
	}
	ch.changes["deps"] = task.Delta{From: ch.before.Deps, To: to}
}

func (c *comparer) sameDeps(have []task.ID, nodes []int32) bool {
	return len(have) == len(nodes) && !slices.ContainsFunc(have, func(id task.ID) bool {
		v, ok := c.byID[id]
		return !ok || !contains(nodes, v)
	})
}

// parentRef returns a parent as an id, or as its index in the tasks to create, plus 1.
func (c *comparer) parentRef(v int32) (task.Opt, int) {
	switch {
	case v < 0:
		return "", 0
	case int(v) < len(c.st.Tasks):
		return task.Opt(c.st.Tasks[v].ID), 0
	default:
		return "", int(v) - len(c.st.Tasks) + 1
	}
}

// depRefs returns deps as ids, and as indexes in the tasks to create.
func (c *comparer) depRefs(nodes []int32) (ids []task.ID, fresh []int) {
	for _, v := range nodes {
		if int(v) < len(c.st.Tasks) {
			ids = append(ids, c.st.Tasks[v].ID)
		} else {
			fresh = append(fresh, int(v)-len(c.st.Tasks))
		}
	}
	return ids, fresh
}

func (c *comparer) knowEvidence() {
	c.evidence = map[task.ID]map[task.EvidenceItem]bool{}
	for _, e := range c.st.Evidence {
		if c.evidence[e.Task] == nil {
			c.evidence[e.Task] = map[task.EvidenceItem]bool{}
		}
		c.evidence[e.Task][task.EvidenceItem{Kind: e.Kind, Value: e.Value}] = true
	}
}

// typedRuns notes new evidence of a task of the document whose kind is a command and whose value is not a run of it.
func (c *comparer) typedRuns(i int, items []task.EvidenceItem) {
	for _, e := range items {
		if proven.Types(e.Kind, e.Value) {
			c.theirs = append(c.theirs, fmt.Sprintf("tasks[%d].evidence: %q is a run of that command", i, e.Kind))
			c.typed = true
		}
	}
}

// newEvidence returns the items that are not stored yet, once per kind and value.
func newEvidence(there map[task.EvidenceItem]bool, items []task.EvidenceItem) []task.EvidenceItem {
	seen := make(map[task.EvidenceItem]bool, len(items))
	var out []task.EvidenceItem
	for _, e := range items {
		same := task.EvidenceItem{Kind: e.Kind, Value: e.Value}
		if !there[same] && !seen[same] {
			seen[same] = true
			out = append(out, e)
		}
	}
	return out
}
