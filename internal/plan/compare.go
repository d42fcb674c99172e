package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/graph"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Compare returns what applying the document would write. The error is Invalid if the document is faulty, in itself or
// against what is stored, and lists every fault; Declined if it asks for something that a may not do, and lists each
// thing; or an error from st.Rest.
func Compare(doc *Document, st State, a task.Actor) (*Diff, error) {
	c := newComparer(doc, st, a)
	c.keys()
	if err := c.references(); err != nil {
		return nil, err
	}
	if err := c.cycles(); err != nil {
		return nil, err
	}
	if err := together(doc.Check(), c.Refuse("the plan")); err != nil {
		return nil, err
	}
	c.project()
	c.tasks()
	if err := c.unmentioned(); err != nil {
		return nil, err
	}
	if err := c.circles(); err != nil {
		return nil, err
	}
	c.warnOfGates()
	return c.diff, c.decline()
}

// together combines the faults of a document in itself and the faults against what is stored into one refusal.
func together(own, against error) error {
	switch {
	case own == nil:
		return against
	case against == nil:
		return own
	}
	a, b := fault.Of(own), fault.Of(against)
	return fault.Bad("the plan is not valid: %d faults", len(a.Missing)+len(b.Missing)).
		WithMissing(a.Missing...).WithMissing(b.Missing...).WithParts(a.HintParts())
}

// comparer holds one comparison. Tasks are nodes: first the mentioned tasks by their index in st.Tasks, then the tasks
// to create by their index in diff.Create. The document's tasks are identified by their index in it, i.
type comparer struct {
	strict.Notes
	doc  *Document
	st   State
	a    task.Actor
	diff *Diff

	byKey  map[string]int32  // stored
	byID   map[task.ID]int32 // stored
	inDoc  map[string]int32  // index in the document by key
	node   []int32           // of i; -1 if its key was given before
	order  []int32           // of the tasks to create, their indexes in the document
	parent []int32           // of i, a node: -1 for none, asStored if the document leaves it out
	deps   [][]int32         // of i, nodes, sorted; nil if the document leaves them out
	around *net              // the tasks with which a changed edge may form a circle; nil if none can
	found  *graph.Circles    // of around
	others []Ref             // the other stored tasks, for suggestions; nil until needed

	evidence map[task.ID]map[task.EvidenceItem]bool // stored evidence, without notes
	theirs   []string                               // what a may not do
	loosened bool
	typed    bool // evidence that has to be run
	ended    bool
	err      error // from st.Rest
}

const (
	none     = -1
	asStored = -2
)

func newComparer(doc *Document, st State, a task.Actor) *comparer {
	c := &comparer{
		doc: doc, st: st, a: a, diff: &Diff{Project: doc.Project},
		byKey: make(map[string]int32, len(st.Tasks)), byID: make(map[task.ID]int32, len(st.Tasks)),
		inDoc: make(map[string]int32, len(doc.Tasks)), node: make([]int32, len(doc.Tasks)),
	}
	for i, t := range st.Tasks {
		c.byKey[t.Key] = int32(i)
		c.byID[t.ID] = int32(i)
	}
	return c
}

// keys finds each task of the document among the stored ones, or adds it to the tasks to create.
func (c *comparer) keys() {
	c.Enter("tasks")
	for i := range c.doc.Tasks {
		key := c.doc.Tasks[i].Key
		if key == "" { // reported as a fault elsewhere
			c.node[i] = none
			continue
		}
		c.EnterAt(i)
		c.Enter("key")
		stored, known := c.byKey[key]
		own := task.ID("")
		if known {
			own = c.st.Tasks[stored].ID
		}
		if task.ReadsLikeID(c.doc.Project, key, own) {
			c.diff.Warnings = append(c.diff.Warnings, likeID(fmt.Sprintf("key %s of tasks[%d]", words.Quoted(key), i), c.doc.Project))
		}
		if first, twice := c.inDoc[key]; twice {
			c.Note("%s is the key of tasks[%d] already", words.Quoted(key), first)
			c.node[i] = none
		} else {
			c.inDoc[key] = int32(i)
			if known {
				c.node[i] = stored
			} else {
				c.node[i] = int32(len(c.st.Tasks) + len(c.order))
				c.order = append(c.order, int32(i))
			}
		}
		c.Leave()
		c.Leave()
	}
	c.Leave()
}

// project compares what the document says about the project itself.
func (c *comparer) project() {
	before := c.st.Project
	after := &task.Project{Slug: c.doc.Project, CreatedAt: c.st.Now}
	if before != nil {
		p := *before
		after = &p
	} else {
		c.diff.ProjectCreated = true
		before = &task.Project{}
	}
	changes := map[string]task.Delta{}
	describe := func(name string, f Field[task.Opt], of *task.Opt) {
		if f.Set && f.Value != *of {
			changes[name] = task.Delta{From: *of, To: f.Value}
			*of = f.Value
		}
	}
	describe("name", c.doc.Name, &after.Name)
	describe("vision", c.doc.Vision, &after.Vision)
	if gates := c.gates(before.Gates); !maps.EqualFunc(gates, before.Gates, slices.Equal) {
		changes["gates"] = task.Delta{From: orEmpty(before.Gates), To: gates}
		after.Gates = gates
		if less := task.LoosenedGates(before.Gates, gates, c.st.Gated, c.a, c.st.Policy); len(less) > 0 && !c.diff.ProjectCreated {
			c.loosened = true
			c.theirs = append(c.theirs, less...)
		}
	}
	if len(changes) > 0 || c.diff.ProjectCreated {
		after.UpdatedAt = c.st.Now
		after.Gates = orEmpty(after.Gates)
		c.diff.ProjectAfter, c.diff.ProjectChanges = after, changes
	}
}

// gates returns the project's gates after the document's were merged in by name.
func (c *comparer) gates(before map[string][]string) map[string][]string {
	f := c.doc.Gates
	if f.Set && f.Value == nil {
		return map[string][]string{}
	}
	out := orEmpty(maps.Clone(before))
	maps.Copy(out, f.Value)
	return out
}

func orEmpty(gates map[string][]string) map[string][]string {
	if gates == nil {
		return map[string][]string{}
	}
	return gates
}

// unmentioned counts the open tasks that the document leaves out, and lists the first of them.
func (c *comparer) unmentioned() error {
	c.diff.LeftOut = c.st.Open
	for _, v := range c.node {
		if int(v) < len(c.st.Tasks) && !c.st.Tasks[v].Status.Closed() {
			c.diff.LeftOut--
		}
	}
	want := min(c.diff.LeftOut, MaxUnmentioned)
	for after := task.ID(""); len(c.diff.Unmentioned) < want; { // skips the document's own tasks
		page, err := c.st.Rest.After(after, true, min(want-len(c.diff.Unmentioned)+len(c.node), 4*MaxUnmentioned))
		if err != nil || len(page) == 0 {
			return err
		}
		for _, r := range page {
			if _, mentioned := c.inDoc[r.Key]; !mentioned && len(c.diff.Unmentioned) < want {
				c.diff.Unmentioned = append(c.diff.Unmentioned, r)
			}
		}
		after = page[len(page)-1].ID
	}
	return nil
}

// decline combines everything that a may not do into one refusal.
func (c *comparer) decline() error {
	if c.err != nil || len(c.theirs) == 0 {
		return c.err
	}
	var why, do []string
	for _, of := range []struct {
		found   bool
		why, do string
	}{
		{c.loosened, "loosens what only a human may loosen here", c.st.Policy.Have("apply it, or keep what is named")},
		{c.ended, "would end a claim of somebody else", "wait for the holder, or leave the status out"},
		{c.typed, "types evidence that has to be run", "leave the evidence out, and run the command for the task"},
	} {
		if of.found {
			why, do = append(why, of.why), append(do, of.do)
		}
	}
	e := fault.Decline("the plan %s", strings.Join(why, " and "))
	if len(c.theirs) == 1 {
		e.Message += ": " + c.theirs[0]
	}
	e.WithMissing(c.theirs[:min(len(c.theirs), strict.MaxListed)]...)
	if more := len(c.theirs) - strict.MaxListed; more > 0 {
		e.WithMissing(fmt.Sprintf("and %d more", more))
	}
	return e.WithHint("%s; nothing was written", strings.Join(do, "; "))
}
