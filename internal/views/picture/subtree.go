package picture

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/strict"
	"tasker/internal/task"
)

// SubtreeOut is everything below a task. Truncated says that it has children that are not shown.
type SubtreeOut struct {
	Task          task.ID `json:"task"`
	Rollup        Rollup  `json:"rollup"`
	Children      []*Node `json:"children"`
	ChildrenTotal int     `json:"childrenTotal"`
	Truncated     bool    `json:"truncated"`
}

// Rollup counts every descendant, shown or not. Progress is the share of closed ones, in percent.
type Rollup struct {
	Total    int           `json:"total"`
	ByStatus task.Counts   `json:"byStatus"`
	Criteria task.Progress `json:"criteria"`
	Progress int           `json:"progress"`
}

// Node is a descendant with its own children, ChildrenTotal of them. Truncated says that some of them are not shown.
type Node struct {
	ID            task.ID       `json:"id"`
	Title         string        `json:"title"`
	Status        task.Status   `json:"status"`
	State         string        `json:"state"`
	Holder        task.Opt      `json:"holder"`
	Criteria      task.Progress `json:"criteria"`
	Children      []*Node       `json:"children"`
	ChildrenTotal int           `json:"childrenTotal"`
	Truncated     bool          `json:"truncated"`
	Due           task.Opt      `json:"due"`
	level         int
}

// Form names the members, because the form of a type that contains itself cannot be derived.
func (Node) Form() strict.Form {
	return strict.Described(strict.Members{
		{Name: "description", Value: "A task below, with its own children nested in it"}, {Name: "type", Value: "object"},
		{Name: "required", Value: []any{"id", "title", "status", "state", "holder", "criteria", "children", "childrenTotal", "truncated", "due"}},
	})
}

// Limits of what an answer shows; the rollup counts every descendant. JSON is read down to 10,000 levels, and each node
// takes two of them.
const (
	shownBelow  = 10_000
	levelsBelow = 4_000
)

// Subtree returns every descendant of a task, counted and nested level by level.
func (s *Service) Subtree(ctx context.Context, in core.TaskIn) (SubtreeOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (SubtreeOut, error) {
		root, err := core.Find(ctx, tx, in.Task)
		if err != nil {
			return SubtreeOut{}, err
		}
		below, err := tx.Below(root.ID)
		if err != nil {
			return SubtreeOut{}, err
		}
		top := &Node{}
		nodes := map[task.ID]*Node{root.ID: top}
		for _, t := range below { // by level: a parent comes before its children
			parent := nodes[task.ID(t.Parent)]
			if parent == nil {
				continue // below a task that is not shown
			}
			parent.ChildrenTotal++
			if len(nodes) > shownBelow || parent.level == levelsBelow {
				parent.Truncated = true
				continue
			}
			n := &Node{ID: t.ID, Title: t.Title, Status: t.Status, State: task.States[t.State()], Due: t.Due,
				Holder: t.Holder(), Criteria: task.ProgressOf(t.Criteria), level: parent.level + 1}
			nodes[t.ID] = n
			parent.Children = append(parent.Children, n)
		}
		return SubtreeOut{
			Task: root.ID, Rollup: rollup(below), Children: top.Children, ChildrenTotal: top.ChildrenTotal, Truncated: top.Truncated,
		}, nil
	})
}

func rollup(tasks []*task.Task) Rollup {
	r := Rollup{Total: len(tasks)}
	for _, t := range tasks {
		*r.ByStatus.Of(t.Status)++
		p := task.ProgressOf(t.Criteria)
		r.Criteria.Checked += p.Checked
		r.Criteria.Total += p.Total
	}
	r.Progress = (r.Total - r.ByStatus.Left()) * 100 / max(r.Total, 1)
	return r
}
