package picture

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/graph"
	"tasker/internal/task"
)

// maxWay limits how many tasks are visited in search of a way between two tasks if one is closed: each is a separate
// read.
const maxWay = 3_000

// between shows a shortest way along edges from one task to another, in either direction, including tasks that no other
// picture shows. A part leads to its parent.
func (n *network) between(ctx context.Context, from, to string) error {
	var ends [2]*task.Task
	for i, name := range []string{from, to} {
		if name == "" {
			return fault.Bad("a way has two ends, and one is missing").WithMissing(fault.Parameter("from"), fault.Parameter("to")).
				WithHint("give two tasks as from and to")
		}
		t, err := core.Find(ctx, n.View, name)
		if err != nil {
			return err
		}
		if t.Project != n.Project.Slug {
			return fault.Missing("%s is not a task of %s", t.ID, n.Project.Slug).WithHint("name two tasks of one project")
		}
		ends[i] = t
	}
	n.out.From, n.out.To, n.out.Total = ends[0].ID, ends[1].ID, len(n.flow.open.Numbers)
	next := n.stepsOn
	if !ends[0].Status.Closed() && !ends[1].Status.Closed() {
		next = func(id task.ID) ([]task.ID, error) { return n.flow.waiting(id), nil }
	}
	way, err := graph.Way([]task.ID{ends[0].ID}, ends[1].ID, next)
	if err == nil && way == nil {
		way, err = graph.Way([]task.ID{ends[1].ID}, ends[0].ID, next)
	}
	if err != nil {
		return err
	}
	if n.out.NoWay = way == nil; n.out.NoWay {
		way = []task.ID{ends[0].ID, ends[1].ID}
	}
	if err := n.take(way); err != nil {
		return err
	}
	return n.tieAmong(way)
}

// stepsOn returns the tasks that wait for a task, and its parent.
func (n *network) stepsOn(id task.ID) ([]task.ID, error) {
	if n.looked++; n.looked > maxWay {
		return nil, fault.Decline("a way between the two was not found among %d tasks", maxWay).
			WithHint("show the steps around one of them: focus")
	}
	edges, err := n.View.EdgesTo([]task.ID{id}, maxWay)
	if err != nil {
		return nil, err
	}
	var out []task.ID
	for _, e := range edges {
		out = append(out, e.From)
	}
	t, err := n.View.Task(id)
	if err == nil && t.Parent != "" {
		out = append(out, task.ID(t.Parent))
	}
	return out, err
}
