package bundle

import (
	"slices"
	"strings"

	"tasker/internal/task"
)

// part is a part of a bundle that may be cut, in units: elements of a list, or a long text.
type part struct {
	name    string
	units   int
	unit    func(i int) any        // what the i-th cut takes away
	cut     func(b *Bundle, n int) // takes the first n units out of a copy, without touching what the copy shares
	command func(n int) string     // fetches what the first n cuts took
}

// short is the length, in bytes, of a text that is not worth a cut of its own.
const short = 200

// whole is a budget under which nothing is cut: it fetches what no other command shows.
const whole = " --budget 1000000000"

// parts lists what may be cut from a bundle, the least needed first. What is not here is never cut: the task, its
// criteria, its gate and what that misses, required and missing approvals, questions and their answers, the notes in
// keep, warnings.
func (b *Bundle) parts(keep []int64) []part {
	id := string(b.Task.ID)
	events := func(kind string) string { return "tasker events --task " + id + kind }
	notes := slices.DeleteFunc(slices.Clone(b.Notes), func(n task.Note) bool { return slices.Contains(keep, n.ID) })
	bodies := b.bodies()
	above := slices.Clone(b.Ancestors) // when these go, their bodies are gone
	for _, at := range bodies {
		above[at].Body = ""
	}
	vision := 0
	if len(b.Project.Vision) >= short {
		vision = 1
	}
	return []part{
		front("recentEvents", b.RecentEvents, func(b *Bundle) *[]task.Event { return &b.RecentEvents }, events("")),
		{
			name: "notes", units: len(notes), unit: func(i int) any { return notes[i] }, command: always(events(" --kind note.added")),
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
			cut: func(c *Bundle, n int) {
				c.Ancestors = slices.Clone(c.Ancestors)
				for _, at := range bodies[:n] {
					c.Ancestors[at].Body = ""
				}
			},
			command: func(n int) string {
				ids := make([]string, 0, n)
				for _, at := range bodies[max(0, n-5):n] { // the nearest of them
					ids = append(ids, string(b.Ancestors[at].ID))
				}
				return "tasker show " + strings.Join(ids, " ")
			},
		},
		back("links", b.Links, func(b *Bundle) *[]task.Link { return &b.Links }, "tasker show "+id+whole), // the task lists them too
		back("dependents", b.Dependents, func(b *Bundle) *[]Brief { return &b.Dependents }, "tasker list --depends-on "+id),
		front("evidence", b.Evidence, func(b *Bundle) *[]task.Evidence { return &b.Evidence }, events(" --kind evidence.added")),
		back("guidance", b.Guidance, func(b *Bundle) *[]Guidance { return &b.Guidance }, "tasker show "+id+whole),
		{
			name: "project.vision", units: vision, unit: func(int) any { return b.Project.Vision },
			cut:     func(c *Bundle, _ int) { c.Project.Vision = "" },
			command: always("tasker project show " + b.Project.Slug),
		},
		back("children", b.Children, func(b *Bundle) *[]Brief { return &b.Children }, "tasker list --parent "+id),
		front("bindings", b.Bindings, func(b *Bundle) *[]task.Binding { return &b.Bindings }, "tasker show "+id+whole),
		front("approvals.given", b.Approvals.Given, func(b *Bundle) *[]task.Approval { return &b.Approvals.Given }, events(" --kind approval.given")),
		back("ancestors", above, func(b *Bundle) *[]Ancestor { return &b.Ancestors }, "tasker show "+string(b.Task.Parent)),
		front("decisions", b.Decisions, func(b *Bundle) *[]task.Decision { return &b.Decisions }, events(" --kind decision.recorded")),
		back("deps", b.Deps, func(b *Bundle) *[]Brief { return &b.Deps }, "tasker list --dependency-of "+id),
	}
}

// bodies lists the ancestors that have a body worth a cut, the farthest first.
func (b *Bundle) bodies() []int {
	var out []int
	for i, a := range slices.Backward(b.Ancestors) {
		if len(a.Body) >= short {
			out = append(out, i)
		}
	}
	return out
}

func always(command string) func(int) string { return func(int) string { return command } }

// front is a list that is cut from its beginning, where the oldest stand.
func front[T any](name string, all []T, field func(*Bundle) *[]T, command string) part {
	return part{
		name: name, units: len(all), command: always(command), unit: func(i int) any { return all[i] },
		cut: func(c *Bundle, n int) { *field(c) = (*field(c))[n:] },
	}
}

// back is a list that is cut from its end, where the farthest and the latest numbers stand.
func back[T any](name string, all []T, field func(*Bundle) *[]T, command string) part {
	return part{
		name: name, units: len(all), command: always(command), unit: func(i int) any { return all[len(all)-1-i] },
		cut: func(c *Bundle, n int) { *field(c) = (*field(c))[:len(*field(c))-n] },
	}
}
