package web

import (
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
)

// taskBody is a task with everything in its bundle, and the reasons for its state.
type taskBody struct {
	*bundle.Bundle
	Subtree   *picture.SubtreeOut // nil if it has no children
	Parts     []part              // the first lines of the subtree
	Unlisted  int                 // how many tasks below are not in Parts
	Verdicts  []verdict
	InTheWay  []reading.Reason  // what is not met, of the verdicts that matter now
	Free      bool              // all of these verdicts are yes
	Trail     []bundle.Ancestor // from the root down to the parent
	Now       nowBanner
	Commands  []command
	Then      string     // the query that keeps the same moment
	Before    neighbours // what it waits for
	After     neighbours // what waits for it
	Ticks     []tick
	Proofs    []proof
	HandedBy  string // who handed it over for review; "" if it is not in review
	HandedAt  task.Time
	Handover  *task.Note      // for the reviewers
	Notes     []task.Note     // the others
	Questions []task.Question // the questions that the banner does not ask
	Lately    []task.Event    // the newest events; the page says elsewhere what was asked
}

// Runs returns the evidence that was run.
func (b taskBody) Runs() (out []proof) {
	for _, p := range b.Proofs {
		if p.Run != nil {
			out = append(out, p)
		}
	}
	return out
}

// handover adds what a reviewer reads first: who handed the task over, when, and what they wrote then.
func (b *taskBody) handover() {
	t := b.Task
	b.Notes = b.Bundle.Notes
	if t.Status != task.InReview || b.At != nil {
		return
	}
	b.HandedBy, b.HandedAt = t.ReviewBy, t.UpdatedAt
	for _, e := range b.RecentEvents {
		if e.Kind == task.TaskMoved { // the newest is the one that handed it over
			b.HandedAt = e.At
		}
	}
	if b.Handover = t.HandoverNote(b.Bundle.Notes); b.Handover != nil {
		b.Notes = slices.DeleteFunc(slices.Clone(b.Notes), func(n task.Note) bool { return n.ID == b.Handover.ID })
	}
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
	Small bool // it does not matter in the task's state
}

// verdicts words the answers of explain. The rules that are not met come first.
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
		for j, r := range out[i].Reasons {
			out[i].Reasons[j].Why = brief(r)
		}
		slices.SortStableFunc(out[i].Reasons, func(a, b reading.Reason) int { return order(a.OK) - order(b.OK) })
	}
	return out
}

// order puts unmet rules first.
func order(met bool) int {
	if met {
		return 1
	}
	return 0
}

// inTheWay returns the rules that are not met, of the verdicts that matter in the task's state, each once. The list of parts
// above says which of them are open.
func inTheWay(all []verdict) (out []reading.Reason) {
	for _, v := range all {
		for _, r := range v.Reasons {
			same := func(o reading.Reason) bool { return o.Rule == r.Rule && o.Why == r.Why }
			if !v.Small && !r.OK && r.Rule != "parts" && !slices.ContainsFunc(out, same) {
				out = append(out, r)
			}
		}
	}
	return out
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
		for _, n := range slices.Backward(nodes) {
			stack = append(stack, part{n, min(depth, deepest)})
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

func (s *site) task(a *asker, p *shown) any {
	moment := a.at()
	b := ask(a, op.Show, reading.ShowIn{Task: a.r.PathValue("id"), At: moment})
	if a.err != nil {
		return nil
	}
	p.Title = string(b.Task.ID) + " " + b.Task.Title
	p.Project = ask(a, op.Project, core.ProjectIn{Slug: b.Task.Project})
	body := taskBody{Bundle: b, Trail: slices.Clone(b.Ancestors), Then: then(b.At)}
	slices.Reverse(body.Trail)
	body.Proofs = proofs(b.Evidence)
	body.Ticks = ticks(b, body.Proofs)
	body.Questions = b.Questions
	body.Lately = slices.Clone(b.RecentEvents)
	for i := range body.Lately {
		body.Lately[i].Task = "" // the page is about it
		if body.Lately[i].Kind == task.QuestionAsked {
			body.Lately[i].Payload = nil
		}
	}
	body.handover()
	neighboursOf(a, &body, moment)
	a.history(p, b.At)
	if a.err != nil {
		return nil
	}
	if b.At != nil { // only now can anything be done, so only now do the rules matter
		b.Warnings = slices.DeleteFunc(b.Warnings, func(w string) bool { return w == b.Moment }) // the bar above says it
		body.Now = nowBanner{State: task.States[b.Task.State()]}
		return body
	}
	if len(b.Children) > 0 {
		sub := ask(a, op.Subtree, core.TaskIn{Task: string(b.Task.ID)})
		body.Subtree, body.Parts = &sub, lines(sub.Children)
		body.Unlisted = sub.Rollup.Total - len(body.Parts)
	}
	why := ask(a, op.Explain, core.TaskIn{Task: string(b.Task.ID)})
	body.Verdicts = verdicts(why)
	body.InTheWay = inTheWay(body.Verdicts)
	body.Free = !slices.ContainsFunc(body.Verdicts, func(v verdict) bool { return !v.Small && !v.Verdict.Yes })
	var waits inbox.InboxOut
	if !p.Project.Archived {
		waits = ask(a, op.Inbox, inbox.InboxIn{Slug: b.Task.Project, Task: string(b.Task.ID)})
	}
	body.Now = nowOf(b, why, waits.Items, p.Project.Archived, s.Now())
	body.Commands = commands(b, why, body.Now.Commands, p.Project.Archived)
	body.Questions = slices.DeleteFunc(slices.Clone(b.Questions), func(q task.Question) bool { return q.ID == body.Now.Question })
	return body
}

// neighboursOf adds the neighbours of a task with their states. A bundle only has their status, which does not distinguish
// ready from waiting, so the states are read if that can make a difference.
func neighboursOf(a *asker, b *taskBody, moment *int64) {
	states := map[task.ID]string{}
	read := func(in reading.ListIn) {
		in.Project, in.Status, in.At = b.Task.Project, string(task.Open), moment
		for _, t := range ask(a, op.List, in).Tasks {
			states[t.ID] = picture.StateOf(t)
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
