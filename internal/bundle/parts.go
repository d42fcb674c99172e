package bundle

import (
	"slices"
	"strings"

	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
)

// part is a part of a bundle that may be cut, in units: elements of a list, or a long text.
type part struct {
	name  string
	units int
	unit  func(i int) any        // what the i-th cut removes
	cut   func(b *Bundle, n int) // removes the first n units from a copy, without touching what the copy shares
	fetch func(n int) hint.Call  // fetches what the first n cuts removed
}

// short is the length, in bytes, up to which a text is not worth a cut of its own.
const short = 200

// parts lists what may be cut from a bundle, the least needed first. Anything else is never cut: the task, its criteria,
// its gate and what it lacks, required and missing approvals, questions and their answers, the notes in keep, and
// warnings.
func (b *Bundle) parts(keep []int64) []part {
	id := b.Task.ID
	events := func(kind task.Kind) hint.Call { return hint.EventsOfKind(id, kind) }
	notes := slices.DeleteFunc(slices.Clone(b.Notes), func(n task.Note) bool { return slices.Contains(keep, n.ID) })
	body := func(a *Ancestor) *task.Opt { return &a.Body }
	bodies := long(b.Ancestors, body)
	slices.Reverse(bodies) // the farthest first
	output := func(e *task.Evidence) *task.Opt { return &e.Output }
	printed := long(b.Evidence, output)
	paths := store.One(b.Changed != nil && len(strings.Join(b.Changed.Paths, ",")) >= short)
	vision := store.One(len(b.Project.Vision) >= short)
	return []part{
		{
			name: "evidence.output", units: len(printed), unit: func(i int) any { return b.Evidence[printed[i]].Output }, fetch: always(hint.Whole(id)),
			cut: func(c *Bundle, n int) { c.Evidence = without(c.Evidence, printed[:n], output) },
		},
		front("recentEvents", b.RecentEvents, func(b *Bundle) *[]task.Event { return &b.RecentEvents }, hint.Events(id)),
		{
			name: "notes", units: len(notes), unit: func(i int) any { return notes[i] }, fetch: always(events(task.NoteAdded)),
			cut: func(c *Bundle, n int) {
				gone := make(map[int64]bool, n)
				for _, note := range notes[:n] {
					gone[note.ID] = true
				}
				c.Notes = slices.DeleteFunc(slices.Clone(c.Notes), func(have task.Note) bool { return gone[have.ID] })
			},
		},
		{
			name: "ancestors.body", units: len(bodies), unit: func(i int) any { return b.Ancestors[bodies[i]].Body },
			cut: func(c *Bundle, n int) { c.Ancestors = without(c.Ancestors, bodies[:n], body) },
			fetch: func(n int) hint.Call {
				ids := make([]task.ID, 0, n)
				for _, at := range bodies[max(0, n-5):n] { // the nearest of them
					ids = append(ids, b.Ancestors[at].ID)
				}
				return hint.ShowAll(ids)
			},
		},
		{
			name: "changed.paths", units: paths, unit: func(int) any { return b.Changed.Paths }, fetch: always(hint.Whole(id)),
			cut: func(c *Bundle, _ int) { c.Changed = &task.ChangedPaths{Total: b.Changed.Total} },
		},
		back("links", b.Links, func(b *Bundle) *[]task.Link { return &b.Links }, hint.Whole(id)), // the task lists them too
		back("dependents", b.Dependents, func(b *Bundle) *[]Brief { return &b.Dependents }, hint.Dependents(id)),
		front("evidence", without(b.Evidence, printed, output), func(b *Bundle) *[]task.Evidence { return &b.Evidence }, events(task.EvidenceAdded)), // what they printed is gone already
		back("guidance", b.Guidance, func(b *Bundle) *[]Guidance { return &b.Guidance }, hint.Whole(id)),
		{
			name: "project.vision", units: vision, unit: func(int) any { return b.Project.Vision },
			cut:   func(c *Bundle, _ int) { c.Project.Vision = "" },
			fetch: always(hint.Project(b.Project.Slug)),
		},
		back("children", b.Children, func(b *Bundle) *[]Brief { return &b.Children }, hint.Children(id)),
		front("bindings", b.Bindings, func(b *Bundle) *[]task.Binding { return &b.Bindings }, hint.Whole(id)),
		front("approvals.given", b.Approvals.Given, func(b *Bundle) *[]task.Approval { return &b.Approvals.Given }, events(task.ApprovalGiven)),
		back("ancestors", without(b.Ancestors, bodies, body), func(b *Bundle) *[]Ancestor { return &b.Ancestors }, hint.Show(b.Task.Parent)),
		front("decisions", b.Decisions, func(b *Bundle) *[]task.Decision { return &b.Decisions }, events(task.DecisionRecorded)),
		back("deps", b.Deps, func(b *Bundle) *[]Dep { return &b.Deps }, hint.Deps(id)),
	}
}

// long lists the items with a text that is worth a cut of its own.
func long[T any](list []T, text func(*T) *task.Opt) (at []int) {
	for i := range list {
		if len(*text(&list[i])) >= short {
			at = append(at, i)
		}
	}
	return at
}

// without returns a copy of a list in which some items have lost their text.
func without[T any](list []T, at []int, text func(*T) *task.Opt) []T {
	out := slices.Clone(list)
	for _, i := range at {
		*text(&out[i]) = ""
	}
	return out
}

func always(fetch hint.Call) func(int) hint.Call { return func(int) hint.Call { return fetch } }

// front is a list that is cut from its beginning, where the oldest items are.
func front[T any](name string, all []T, field func(*Bundle) *[]T, fetch hint.Call) part {
	return part{
		name: name, units: len(all), fetch: always(fetch), unit: func(i int) any { return all[i] },
		cut: func(c *Bundle, n int) { *field(c) = (*field(c))[n:] },
	}
}

// back is a list that is cut from its end, where the farthest and newest tasks are.
func back[T any](name string, all []T, field func(*Bundle) *[]T, fetch hint.Call) part {
	return part{
		name: name, units: len(all), fetch: always(fetch), unit: func(i int) any { return all[len(all)-1-i] },
		cut: func(c *Bundle, n int) { *field(c) = (*field(c))[:len(*field(c))-n] },
	}
}
