package picture

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/strict"
	"tasker/internal/task"
)

// SubtreeOut is everything below a task.
type SubtreeOut struct {
	Task     task.ID `json:"task"`
	Rollup   Rollup  `json:"rollup"`
	Children []*Node `json:"children"`
}

// Rollup counts every descendant, shown or not. Progress is the share of closed ones, in percent.
type Rollup struct {
	Total    int           `json:"total"`
	ByStatus task.Counts   `json:"byStatus"`
	Criteria task.Progress `json:"criteria"`
	Progress int           `json:"progress"`
}

// Node is a descendant with its own children. Truncated says that it has children that are not shown.
type Node struct {
	ID        task.ID       `json:"id"`
	Title     string        `json:"title"`
	Status    task.Status   `json:"status"`
	Holder    task.Opt      `json:"holder"`
	Criteria  task.Progress `json:"criteria"`
	Children  []*Node       `json:"children"`
	Truncated bool          `json:"truncated"`
}

// Form names the members: a form that is nested in itself cannot be derived from the type.
func (Node) Form() strict.Form {
	return strict.Described(strict.Members{
		{Name: "description", Value: "A task below, with its own children nested in it"}, {Name: "type", Value: "object"},
		{Name: "required", Value: []any{"id", "title", "status", "holder", "criteria", "children", "truncated"}},
	})
}

// shownBelow is how many descendants an answer shows; the rollup counts all of them.
const shownBelow = 2000

// Subtree returns every descendant of a task, counted, nested level by level.
func (s *Service) Subtree(ctx context.Context, in core.TaskIn) (SubtreeOut, error) {
	return core.Read(ctx, s.Env, func(tx *core.ReadTx) (SubtreeOut, error) {
		root, err := core.Find(ctx, tx, in.Task)
		if err != nil {
			return SubtreeOut{}, err
		}
		below, err := tx.Graph.Below(root.ID)
		if err != nil {
			return SubtreeOut{}, err
		}
		out := SubtreeOut{Task: root.ID, Rollup: rollup(below)}
		nodes := make(map[task.ID]*Node, min(len(below), shownBelow))
		for i, t := range below { // by level: a parent comes before its children
			parent := nodes[task.ID(t.Parent)]
			if i >= shownBelow {
				if parent != nil {
					parent.Truncated = true
				}
				continue
			}
			n := &Node{ID: t.ID, Title: t.Title, Status: t.Status, Criteria: task.ProgressOf(t.Criteria)}
			if t.Claim != nil {
				n.Holder = task.Opt(t.Claim.Actor)
			}
			nodes[t.ID] = n
			if parent == nil {
				out.Children = append(out.Children, n)
			} else {
				parent.Children = append(parent.Children, n)
			}
		}
		return out, nil
	})
}

func rollup(tasks []*task.Task) Rollup {
	r := Rollup{Total: len(tasks)}
	closed := 0
	for _, t := range tasks {
		*r.ByStatus.Of(t.Status)++
		p := task.ProgressOf(t.Criteria)
		r.Criteria.Checked += p.Checked
		r.Criteria.Total += p.Total
		if t.Status.Closed() {
			closed++
		}
	}
	if r.Total > 0 {
		r.Progress = closed * 100 / r.Total
	}
	return r
}
