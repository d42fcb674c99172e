package web

import (
	"net/http"
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/picture"
	"tasker/internal/reading"
	"tasker/internal/task"
)

// taskBody is a task with everything in its bundle, and the reasons for its state.
type taskBody struct {
	*bundle.Bundle
	Subtree  *picture.SubtreeOut // nil if it has no children
	Parts    []part              // the first lines of the subtree
	Unlisted int                 // how many tasks below are not in Parts
	Verdicts []verdict
	Trail    []bundle.Ancestor // from the root down to the parent
	Now      nowBanner
	Commands []command
	Then     string     // the query that keeps the same moment
	Before   neighbours // what it waits for
	After    neighbours // what waits for it
}

// neighbours is the tasks on one side of a task: those that matter now, and the closed ones.
type neighbours struct{ Open, Closed []neighbour }

// neighbour is one neighbour of a task, shown in a line.
type neighbour struct {
	ID     task.ID
	Title  string
	Status string // its state
}

// verdict is one answer of explain, with its question in words.
type verdict struct {
	Name, Yes, No string
	reading.Verdict
	Small bool // it does not matter in the task's state: one line is enough
}

// verdicts words the answers of explain. What is satisfied takes one line; what is not comes first.
func verdicts(e reading.ExplainOut) []verdict {
	started := e.Status != task.Open
	out := []verdict{
		{"ready", "It is ready", "It is not ready", e.Ready, started},
		{"claimable", e.Actor + " may claim it", e.Actor + " may not claim it", e.Claimable, started},
		{"closable", e.Actor + " may close it", e.Actor + " may not close it", e.Closable, !started || e.Status.Closed()},
	}
	if e.Status.Closed() {
		out = out[:0] // it is closed: no rule matters until somebody reopens it
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

// Unmet returns how many rules are not met.
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

// Limits of the subtree on a page: how far lines are indented, and how many there are.
const (
	deepest  = 12
	maxLines = 80
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
	a := s.asker(r)
	moment := a.at()
	b := ask(a, op.Show, reading.ShowIn{Task: r.PathValue("id"), At: moment})
	if a.err != nil {
		return a.err
	}
	p.Title = string(b.Task.ID) + " " + b.Task.Title
	p.Project = ask(a, op.Project, core.ProjectIn{Slug: b.Task.Project})
	body := taskBody{Bundle: b, Trail: slices.Clone(b.Ancestors), Then: then(b.At)}
	slices.Reverse(body.Trail)
	neighboursOf(a, &body, moment)
	a.history(p, b.At)
	if a.err != nil {
		return a.err
	}
	if b.At != nil { // only now can anything be done, so only now do the rules matter
		b.Warnings = b.Warnings[1:] // the bar above says which moment it is
		body.Now = nowBanner{State: task.States[b.Task.State()]}
		p.Body = body
		return nil
	}
	if len(b.Children) > 0 {
		sub := ask(a, op.Subtree, core.TaskIn{Task: string(b.Task.ID)})
		body.Subtree, body.Parts = &sub, lines(sub.Children)
		body.Unlisted = sub.Rollup.Total - len(body.Parts)
	}
	why := ask(a, op.Explain, core.TaskIn{Task: string(b.Task.ID)})
	body.Verdicts = verdicts(why)
	body.Now, body.Commands = nowOf(b, why, p.Project.Archived), commands(b, why, p.Project.Archived)
	p.Body = body
	return a.err
}

// neighboursOf adds the neighbours of a task with their states. A bundle only has their status, which does not distinguish
// ready from waiting, so the states are read if that can make a difference.
func neighboursOf(a *asker, b *taskBody, moment *int64) {
	states := map[task.ID]string{}
	read := func(in reading.ListIn) {
		in.Project, in.Status, in.At = b.Task.Project, string(task.Open), moment
		for _, t := range ask(a, op.List, in).Tasks {
			states[t.ID] = stateOf(t)
		}
	}
	add := func(k *neighbours, n neighbour, status task.Status) {
		if n.Status = string(status); status.Closed() {
			k.Closed = append(k.Closed, n)
			return
		}
		if state, ok := states[n.ID]; ok {
			n.Status = state
		}
		k.Open = append(k.Open, n)
	}
	if slices.ContainsFunc(b.Deps, func(d bundle.Dep) bool { return d.Status == task.Open }) {
		read(reading.ListIn{DependencyOf: string(b.Task.ID)})
	}
	for _, d := range b.Deps {
		add(&b.Before, neighbour{ID: d.ID, Title: d.Title}, d.Status)
	}
	open := func(d bundle.Brief) bool { return d.Status == task.Open }
	if !b.Task.Status.Closed() {
		for _, d := range b.Dependents {
			if open(d) {
				states[d.ID] = task.States[task.StateWaiting]
			}
		}
	} else if slices.ContainsFunc(b.Dependents, open) {
		read(reading.ListIn{DependsOn: string(b.Task.ID)})
	}
	for _, d := range b.Dependents {
		add(&b.After, neighbour{ID: d.ID, Title: d.Title}, d.Status)
	}
}
