package web

import (
	"net/http"
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/core/picture"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/task"
)

// taskBody is a task with everything in its bundle, and why it stands where it stands.
type taskBody struct {
	*bundle.Bundle
	Subtree  *picture.SubtreeOut // nil where it has no children
	Parts    []part              // the subtree, line by line, the first of them
	Unlisted int                 // how many tasks below are not among them
	Verdicts []verdict
	Trail    []bundle.Ancestor // from the outermost down to the parent
	Now      nowBanner
	Commands []command
	Then     string // how an address asks for the same moment
}

// verdict is one answer of explain, with its question in words.
type verdict struct {
	Name, Yes, No string
	reading.Verdict
	Small bool // it does not matter as the task stands: one line is enough
}

// verdicts words the answers of explain. What holds is said in one line; what does not leads.
func verdicts(e reading.ExplainOut) []verdict {
	started := e.Status != task.Open
	out := []verdict{
		{"ready", "It is ready", "It is not ready", e.Ready, started},
		{"claimable", e.Actor + " may claim it", e.Actor + " may not claim it", e.Claimable, started},
		{"closable", e.Actor + " may close it", e.Actor + " may not close it", e.Closable, !started || e.Status.Closed()},
	}
	if e.Status.Closed() {
		out = out[:0] // it is over: no rule matters before somebody opens it again
	}
	for i := range out {
		out[i].Reasons = slices.Clone(out[i].Reasons)
		slices.SortStableFunc(out[i].Reasons, func(a, b reading.Reason) int {
			switch {
			case a.OK == b.OK:
				return 0
			case b.OK:
				return -1
			}
			return 1
		})
	}
	return out
}

// Unmet returns how many rules say no.
func (v verdict) Unmet() (n int) {
	for _, r := range v.Reasons {
		if !r.OK {
			n++
		}
	}
	return n
}

// part is a line of the subtree.
type part struct {
	*picture.Node
	Depth int
}

// Bounds of the subtree on a page: how far lines are indented, and how many there are.
const (
	deepest  = 12
	maxLines = 2000
)

// lines returns the first nodes of a tree, each parent before its children.
func lines(roots []*picture.Node) (out []part) {
	var stack []part
	push := func(nodes []*picture.Node, depth int) {
		for i := len(nodes) - 1; i >= 0; i-- {
			stack = append(stack, part{nodes[i], min(depth, deepest)})
		}
	}
	push(roots, 0)
	for len(stack) > 0 && len(out) < maxLines {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, p)
		push(p.Children, p.Depth+1)
	}
	return out
}

func (s *site) task(r *http.Request, p *shown) error {
	id := r.PathValue("id")
	moment, err := at(r)
	if err != nil {
		return err
	}
	b, err := op.Show.Do(r.Context(), s.Ops, reading.ShowIn{Task: id, At: moment})
	if err != nil {
		return err
	}
	p.Title = string(b.Task.ID) + " " + b.Task.Title
	if p.Project, err = op.Project.Do(r.Context(), s.Ops, core.ProjectIn{Slug: b.Task.Project}); err != nil {
		return err
	}
	body := taskBody{Bundle: b, Trail: slices.Clone(b.Ancestors), Then: then(b.At)}
	slices.Reverse(body.Trail)
	if err := s.history(r, p, b.At); err != nil {
		return err
	}
	if b.At != nil { // what can be done, and by which rules, is a matter of now
		b.Warnings = b.Warnings[1:] // the bar above says which moment it is
		body.Now = nowBanner{State: task.States[b.Task.State()]}
		p.Body = body
		return nil
	}
	if len(b.Children) > 0 {
		sub, err := op.Subtree.Do(r.Context(), s.Ops, core.TaskIn{Task: string(b.Task.ID)})
		if err != nil {
			return err
		}
		body.Subtree, body.Parts = &sub, lines(sub.Children)
		body.Unlisted = sub.Rollup.Total - len(body.Parts)
	}
	why, err := op.Explain.Do(r.Context(), s.Ops, core.TaskIn{Task: string(b.Task.ID)})
	if err != nil {
		return err
	}
	body.Verdicts = verdicts(why)
	body.Now, body.Commands = nowOf(b, why, p.Project.Archived), commands(b, why, p.Project.Archived)
	p.Body = body
	return nil
}
