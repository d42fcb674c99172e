package plan

import (
	"slices"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// memory is a store of one project, as simple as it can be.
type memory struct {
	project  *task.Project
	tasks    []*task.Task
	evidence []task.Evidence
	policy   task.Policy
	now      task.Time
}

func (m *memory) state() State {
	return State{Project: m.project, Tasks: m.tasks, Evidence: m.evidence, Policy: m.policy, Now: m.now}
}

// apply writes what Compare tells. A transition is carried out without its rules.
func (m *memory) apply(doc *Document, a task.Actor) (*Diff, error) {
	m.now += 1000
	diff, err := Compare(doc, m.state(), a)
	if err != nil {
		return nil, err
	}
	if diff.ProjectAfter != nil {
		m.project = diff.ProjectAfter
	}
	base := int64(len(m.tasks))
	id := func(place int) task.ID { return task.MakeID(diff.Project, base+int64(place)+1) }
	wire := func(t *task.Task, newParent int, newDeps []int) {
		if newParent > 0 {
			t.Parent = task.Opt(id(newParent - 1))
		}
		for _, place := range newDeps {
			t.Deps = append(t.Deps, id(place))
		}
	}
	for i, c := range diff.Create {
		c.Task.ID = id(i)
		wire(c.Task, c.NewParent, c.NewDeps)
		m.tasks = append(m.tasks, c.Task)
		m.prove(c.Task.ID, c.Evidence)
	}
	for _, u := range slices.Concat(diff.Update, diff.Noted) {
		at := slices.Index(m.tasks, u.Before)
		after := *u.After
		after.Deps = slices.Clone(after.Deps)
		wire(&after, u.NewParent, u.NewDeps)
		if u.MoveTo != "" {
			after.Status = u.MoveTo
			after.Version++
		}
		m.tasks[at] = &after
		m.prove(after.ID, u.Evidence)
	}
	for _, mark := range diff.Circles {
		at := slices.IndexFunc(m.tasks, func(t *task.Task) bool { return t.ID == mark.Child })
		after := *m.tasks[at]
		after.InCircle = mark.In
		m.tasks[at] = &after
	}
	return diff, nil
}

// wires are the edges of the store.
func (m *memory) wires() *wires {
	w := &wires{deps: map[task.ID][]task.ID{}, parent: map[task.ID]task.ID{}, marks: map[task.ID]bool{}}
	for _, t := range m.tasks {
		w.deps[t.ID], w.marks[t.ID] = t.Deps, t.InCircle
		if t.Parent != "" {
			w.parent[t.ID] = task.ID(t.Parent)
		}
	}
	return w
}

func (m *memory) prove(id task.ID, items []task.EvidenceItem) {
	for _, e := range items {
		m.evidence = append(m.evidence, task.Evidence{Task: id, Kind: e.Kind, Value: e.Value, Note: e.Note})
	}
}

func (m *memory) task(key string) *task.Task {
	i := slices.IndexFunc(m.tasks, func(t *task.Task) bool { return t.Key == key })
	if i < 0 {
		return nil
	}
	return m.tasks[i]
}

// scene is for creating and editing single tasks of the store.
func (m *memory) scene(a task.Actor) Scene {
	return Scene{Project: m.project.Slug, Actor: a, Policy: m.policy, Now: m.now, Find: func(ref string) (task.ID, error) {
		for _, t := range m.tasks {
			if t.Key == ref || string(t.ID) == ref {
				return t.ID, nil
			}
		}
		return "", fault.Missing("there is no %s", ref)
	}}
}

var (
	ada   = task.Actor{Name: "ada", Human: true, Declared: true}
	robot = task.Actor{Name: "robot", Declared: true}
)

// decoded reads a plan that must be sound.
func decoded(t testing.TB, src string) *Document {
	t.Helper()
	doc, err := Decode([]byte(src))
	if err != nil {
		t.Fatalf("%v: %q", err, fault.Of(err).Missing)
	}
	return doc
}

// applied is a store in which plans were applied, one after another.
func applied(t testing.TB, plans ...string) *memory {
	t.Helper()
	m := &memory{now: 1_000_000}
	for _, src := range plans {
		if _, err := m.apply(decoded(t, src), ada); err != nil {
			t.Fatalf("%v: %q", err, fault.Of(err).Missing)
		}
	}
	return m
}
