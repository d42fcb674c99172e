package web

import (
	"fmt"
	"slices"

	"tasker/internal/core"
	"tasker/internal/links"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// conflictsBody is what the systems disagree about, by task.
type conflictsBody struct {
	Total int
	Tasks []disputed
}

// disputed is a task on which the systems disagree.
type disputed struct {
	Task   task.ID
	Title  string
	Fields []conflict
}

// conflict is one field of it.
type conflict struct {
	links.Conflict
	First, Rest []settling // the two ways that settle it at once, and the others
}

// settling is a way to settle a conflict.
type settling struct{ Command, Effect string }

// conflicts shows what the systems disagree about, and how to resolve each conflict.
func (s *site) conflicts(a *asker, _ *shown) any {
	out := ask(a, op.Conflicts, core.ProjectIn{Slug: a.slug()})
	return conflictsBody{Total: out.Total, Tasks: byTask(out.Items)}
}

// byTask groups conflicts by their tasks, in the order of the first one of each.
func byTask(items []links.Conflict) (out []disputed) {
	for _, c := range items {
		one := conflict{Conflict: c}
		for _, r := range c.Resolutions {
			way := settling{fmt.Sprintf("tasker resolve %d %s%s", c.ID, r.Name, words.When(r.Name == merge.SetValue, " --value VALUE")), r.Effect}
			if r.Name == merge.KeepLocal || r.Name == merge.TakeRemote {
				one.First = append(one.First, way)
			} else {
				one.Rest = append(one.Rest, way)
			}
		}
		at := slices.IndexFunc(out, func(d disputed) bool { return d.Task == c.Task })
		if at < 0 {
			at = len(out)
			out = append(out, disputed{Task: c.Task, Title: c.Title})
		}
		out[at].Fields = append(out[at].Fields, one)
	}
	return out
}
