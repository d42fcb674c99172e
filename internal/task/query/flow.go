package query

import (
	"slices"

	"tasker/internal/graph"
	"tasker/internal/task"
)

// Flow is what the open tasks of a project wait for. It names tasks by their index: making a million ids takes longer than
// everything else that is done with them.
type Flow struct {
	Project string
	Numbers []int64      // of the tasks, ascending
	Deps    []graph.Edge // from a task to one that it depends on
	Parts   []graph.Edge // from a parent to a part of it, unless it depends on that as well
}

// NewFlow returns the flow of tasks that are given by their ids, by number. Edges from or to other tasks are left out.
func NewFlow(project string, ids []task.ID, deps, parts []Edge) Flow {
	f := Flow{Project: project, Numbers: make([]int64, len(ids))}
	at := make(map[task.ID]int32, len(ids))
	for i, id := range ids {
		_, f.Numbers[i], _ = task.ParseID(string(id))
		at[id] = int32(i)
	}
	for _, list := range []struct {
		of []Edge
		to *[]graph.Edge
	}{{deps, &f.Deps}, {parts, &f.Parts}} {
		for _, e := range list.of {
			from, a := at[e.From]
			to, b := at[e.To]
			if a && b {
				*list.to = append(*list.to, graph.Edge{From: from, To: to})
			}
		}
	}
	return f
}

// ID returns the id of a task.
func (f *Flow) ID(i int32) task.ID { return task.MakeID(f.Project, f.Numbers[i]) }

// Find returns the index of a task; false if it is not an open task of the project.
func (f *Flow) Find(id task.ID) (int32, bool) {
	project, number, ok := task.ParseID(string(id))
	if !ok || project != f.Project {
		return 0, false
	}
	i, found := slices.BinarySearch(f.Numbers, number)
	return int32(i), found
}

// IDs returns the ids of all tasks, by number.
func (f *Flow) IDs() []task.ID {
	out := make([]task.ID, len(f.Numbers))
	for i := range out {
		out[i] = f.ID(int32(i))
	}
	return out
}

// Waits returns what each task waits for: dependencies and parts.
func (f *Flow) Waits() []graph.Edge { return slices.Concat(f.Deps, f.Parts) }

// Behind returns the edges of Waits the other way round: from a task to one that waits for it.
func (f *Flow) Behind() []graph.Edge {
	out := f.Waits()
	for i, e := range out {
		out[i] = graph.Edge{From: e.To, To: e.From}
	}
	return out
}

// Named returns edges by the ids of their tasks.
func (f *Flow) Named(edges []graph.Edge) []Edge {
	out := make([]Edge, len(edges))
	for i, e := range edges {
		out[i] = Edge{From: f.ID(e.From), To: f.ID(e.To)}
	}
	return out
}
