package plan

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/task"
)

// changer copies given fields to a task. It clones the task at the first difference, so that a document without changes
// costs nothing.
type changer struct {
	before  *task.Task
	after   *task.Task            // nil while nothing differs
	changes map[string]task.Delta // nil for a new task, whose fields are not changes
}

// own returns the copy to change.
func (c *changer) own() *task.Task {
	if c.after == nil {
		t := *c.before
		c.after = &t
		c.changes = map[string]task.Delta{}
	}
	return c.after
}

// result returns the task after the changes.
func (c *changer) result() *task.Task { return cmp.Or(c.after, c.before) }

func set[V comparable](c *changer, name string, f Field[V], at func(*task.Task) *V) {
	setUnless(c, name, f, at, func(a, b V) bool { return a == b })
}

func setList[V comparable](c *changer, name string, f Field[[]V], at func(*task.Task) *[]V) {
	setUnless(c, name, f, at, slices.Equal[[]V])
}

// setUnless copies a given field, unless the task has the same value.
func setUnless[V any](c *changer, name string, f Field[V], at func(*task.Task) *V, same func(a, b V) bool) {
	if !f.Set || same(*at(c.before), f.Value) {
		return
	}
	p := at(c.own())
	if c.changes != nil {
		c.changes[name] = task.Delta{From: *p, To: f.Value}
	}
	*p = f.Value
}

// fields copies everything except references to other tasks.
func (c *changer) fields(f *Fields) {
	c.plain(f)
	if f.Links.Set && !sameSet(c.before.Links, f.Links.Value) {
		setList(c, "links", Give(once(f.Links.Value)), func(t *task.Task) *[]task.Link { return &t.Links })
	}
	if f.Criteria.Set && !sameTexts(c.before.Criteria, f.Criteria.Value) {
		c.criteria(f.Criteria.Value)
	}
	if c.after != nil {
		c.after.HasBody = c.after.Body != ""
	}
}

// criteria gives the task criteria with these texts; ticks stay with their texts.
func (c *changer) criteria(texts []string) {
	merged := c.before.MergeCriteria(texts)
	if slices.Equal(merged, c.before.Criteria) {
		return
	}
	from := c.before.Criteria
	if c.own().Criteria = merged; c.changes != nil {
		c.changes["criteria"] = task.Delta{From: from, To: merged}
	}
}

// seal updates the fields that every change of the record affects.
func (c *changer) seal(now task.Time) {
	if c.after == nil {
		return
	}
	c.after.Version = c.before.Version + 1
	c.after.UpdatedAt = now
	if task.StalesApprovals(c.before, c.after) {
		c.after.ApprovalEpoch = c.before.ApprovalEpoch + 1
	}
}

// create makes the task that a definition describes, without its references to other tasks. Its status is taken as
// given: this is how history is imported.
func (d *TaskDef) create(project string, a task.Actor, now task.Time) *task.Task {
	t := &task.Task{
		Project: project, Key: d.Key, Status: task.Open, Priority: task.DefaultPriority, Version: 1,
		CreatedBy: a.Full(), CreatedAt: now, UpdatedAt: now,
	}
	c := changer{before: t, after: t}
	c.fields(&d.Fields)
	if s := d.Status.Value; s != "" {
		t.Status, t.DocStatus = s, s
	}
	if t.Status.Closed() {
		t.Recorded, t.ClosedAt, t.ClosedBy = true, now, a.Full()
	}
	if t.Status == task.InReview {
		t.ReviewBy = a.Full()
	}
	return t
}

// sameSet reports whether two lists have the same values, in any order.
func sameSet[V comparable](a, b []V) bool {
	return slices.Equal(a, b) || maps.Equal(setOf(a), setOf(b))
}

func setOf[V comparable](list []V) map[V]bool {
	out := make(map[V]bool, len(list))
	for _, v := range list {
		out[v] = true
	}
	return out
}

func sameTexts(have []task.Criterion, texts []string) bool {
	return slices.EqualFunc(have, texts, func(c task.Criterion, s string) bool { return c.Text == s })
}

// once drops repeated values, and keeps the order.
func once[V comparable](in []V) []V {
	seen := make(map[V]bool, len(in))
	var out []V
	for _, v := range in {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}
