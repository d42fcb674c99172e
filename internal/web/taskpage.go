package web

import (
	"net/http"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/view"
)

// taskBody is a task with everything in its bundle. Beside holds the parts that are shown as the route answers them.
type taskBody struct {
	*core.Bundle
	Beside  map[string]any
	Subtree *view.SubtreeOut // nil where it has no children
	Parts   []part           // the subtree, line by line
	Explain any              // the answer of explain, nil where there is none
}

// part is a line of the subtree.
type part struct {
	*view.Node
	Depth int
}

// deepest is how far lines are indented.
const deepest = 12

// lines is a tree as lines, each parent before its children.
func lines(roots []*view.Node) (out []part) {
	var stack []part
	push := func(nodes []*view.Node, depth int) {
		for i := len(nodes) - 1; i >= 0; i-- {
			stack = append(stack, part{nodes[i], min(depth, deepest)})
		}
	}
	push(roots, 0)
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, p)
		push(p.Children, p.Depth+1)
	}
	return out
}

func (s *site) task(r *http.Request, p *shown) error {
	id := r.PathValue("id")
	b, err := op.Show.Do(r.Context(), s.Ops, core.ShowIn{Task: id})
	if err != nil {
		return err
	}
	p.Title = string(b.Task.ID) + " " + b.Task.Title
	if p.Project, err = op.Project.Do(r.Context(), s.Ops, core.ProjectIn{Slug: b.Task.Project}); err != nil {
		return err
	}
	body := taskBody{Bundle: b, Beside: map[string]any{}}
	for name, part := range map[string]any{"decisions": b.Decisions, "bindings": b.Bindings, "workspace": b.Workspace, "guidance": b.Guidance} {
		if body.Beside[name], err = plainly(part); err != nil {
			return err
		}
	}
	if len(b.Children) > 0 {
		sub, err := op.Subtree.Do(r.Context(), s.Ops, view.TaskIn{Task: string(b.Task.ID)})
		if err != nil {
			return err
		}
		body.Subtree, body.Parts = &sub, lines(sub.Children)
	}
	if body.Explain, _, err = s.ask(r.Context(), "explain", map[string]string{"id": string(b.Task.ID)}, nil); err != nil {
		return err
	}
	p.Body = body
	return nil
}
