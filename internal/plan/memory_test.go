package plan

import (
	"slices"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// memory is the simplest possible store of one project.
type memory struct {
	project  *task.Project
	tasks    []*task.Task
	evidence []task.Evidence
	policy   task.Policy
	now      task.Time
}

// state returns what a document is compared with: what it mentions, and a way to read the rest.
func (m *memory) state(doc *Document) State {
	st := State{Project: m.project, Evidence: m.evidence, Policy: m.policy, Now: m.now, Rest: m.rest()}
	keys, names, ids := doc.Mentions()
	for _, t := range m.tasks {
		if !t.Status.Closed() {
			st.Open++
		}
		switch {
		case slices.Contains(keys, t.Key):
			st.Tasks = append(st.Tasks, t)
		case slices.Contains(names, t.Key) || slices.Contains(ids, t.ID):
			st.Tasks = append(st.Tasks, &task.Task{ID: t.ID, Key: t.Key})
		}
	}
	return st
}

func (m *memory) rest() Rest {
	return Rest{
		Ties: m.wires().ties(),
		CircledUnder: func(parents []task.ID) (out []query.Tie, err error) {
			for _, t := range m.tasks {
				if t.InCircle && slices.Contains(parents, task.ID(t.Parent)) {
					out = append(out, query.Tie{From: task.ID(t.Parent), To: t.ID, Child: true, InCircle: true})
				}
			}
			return out, nil
		},
		Refs: func(ids []task.ID) (out []Ref, err error) {
			for _, t := range m.tasks {
				if slices.Contains(ids, t.ID) {
					out = append(out, Ref{Key: t.Key, ID: t.ID})
				}
			}
			return out, nil
		},
		After: func(after task.ID, open bool, limit int) (out []Ref, err error) {
			for _, t := range m.tasks {
				if len(out) < limit && (after == "" || task.CompareIDs(t.ID, after) > 0) && !(open && t.Status.Closed()) {
					out = append(out, Ref{Key: t.Key, ID: t.ID})
				}
			}
			return out, nil
		},
	}
}

// apply writes what Compare returns. A transition is carried out without its rules.
func (m *memory) apply(doc *Document, a task.Actor) (*Diff, error) {
	m.now += 1000
	diff, err := Compare(doc, m.state(doc), a)
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

// wires returns the edges of the store.
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

// scene returns what creating and editing single tasks of the store needs.
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

// decoded reads a plan that must be valid.
func decoded(t testing.TB, src string) *Document {
	t.Helper()
	doc, err := Decode([]byte(src))
	if err != nil {
		t.Fatalf("%v: %q", err, fault.Of(err).Missing)
	}
	return doc
}

// applied returns a store in which plans were applied, one after another.
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
