package planning

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/event/undo"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/policy"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// invert undoes one event, or records why it cannot be undone.
func (u *undoing) invert(inv undo.Inverse) error {
	t, err := whole(u.tx, inv.Task)
	switch {
	case fault.Is(err, fault.NotFound):
		u.clash(inv, undo.Clash{Field: "task", Why: "the task is gone"})
		return nil
	case err != nil:
		return err
	case inv.Decision != nil:
		return u.redecide(inv, t)
	case inv.Question != 0:
		return u.unask(inv)
	case t.HeldByOther(u.a, u.tx.Now()):
		u.clash(inv, undo.Clash{Field: "claim", Now: t.Claim.Actor, Why: "somebody holds it"})
		return nil
	}
	clashes, err := inv.Clashes(t)
	if err != nil {
		return err
	}
	for _, c := range clashes {
		u.clash(inv, c)
	}
	switch {
	case inv.Fields != nil:
		return u.editBack(inv.Without(clashes), t)
	case len(clashes) > 0:
		return nil
	case inv.Move != nil:
		return u.moveBack(inv, t, inv.Move.Back)
	case inv.Tick != nil:
		return u.untick(inv, t)
	}
	return nil
}

func (u *undoing) clash(inv undo.Inverse, c undo.Clash) {
	u.out.Conflicts = append(u.out.Conflicts, UndoConflict{Event: inv.Event, Task: task.Opt(inv.Task), Field: c.Field, Now: c.Now, Why: c.Why})
}

// refused records that the rules decline to undo an event. It returns any other error.
func (u *undoing) refused(inv undo.Inverse, field string, now any, err error) error {
	if !byTheRules(err) {
		return err
	}
	u.clash(inv, undo.Clash{Field: field, Now: now, Why: whyNot(err)})
	return nil
}

// byTheRules reports whether an error means that the rules forbid a change, not that something broke.
func byTheRules(err error) bool { return fault.Is(err, fault.Declined) || fault.Is(err, fault.Invalid) }

// whyNot says why the rules decline something.
func whyNot(err error) string {
	e := fault.Of(err)
	return strings.Join(append([]string{e.Message}, e.Missing...), "; ")
}

func (u *undoing) undone(inv undo.Inverse, changes map[string]task.Delta) {
	u.out.Undone = append(u.out.Undone, Undone{Event: inv.Event, Task: task.Opt(inv.Task), Changes: changes})
}

// redecide withdraws a decision, or records a withdrawn one again.
func (u *undoing) redecide(inv undo.Inverse, t *task.Task) error {
	d := inv.Decision
	if d.ID == 0 {
		u.undone(inv, map[string]task.Delta{"decision": {To: d.Title}})
		_, err := u.tx.AddDecision(t, d.Title, d.Rationale, inv.Event)
		return err
	}
	there, err := u.tx.WithdrawDecision(t, task.Decision{ID: d.ID, Title: d.Title, Rationale: d.Rationale}, inv.Event)
	if there {
		u.undone(inv, map[string]task.Delta{"decision": {From: d.Title}})
	} else {
		u.clash(inv, undo.Clash{Field: "decision", Why: "it was withdrawn already"})
	}
	return err
}

// unask withdraws a question that nobody has answered.
func (u *undoing) unask(inv undo.Inverse) error {
	q, err := u.tx.Question(inv.Question)
	switch {
	case err != nil:
		return err
	case q.AnsweredAt != 0:
		u.clash(inv, undo.Clash{Field: "question", Now: q.Answer, Why: string(q.AnsweredBy) + " has answered it since"})
		return nil
	case q.Withdrawn:
		u.clash(inv, undo.Clash{Field: "question", Why: "it was withdrawn already"})
		return nil
	}
	u.undone(inv, map[string]task.Delta{"question": {From: q.Text}})
	return u.tx.WithdrawQuestion(q, inv.Event)
}

// naming returns the drafts, each naming the event that it undoes.
func naming(event int64, drafts ...task.Draft) []task.Draft {
	for i := range drafts {
		drafts[i].Payload["undoes"] = event
	}
	return drafts
}

// moveBack moves a task to a status, under the same rules as any move.
func (u *undoing) moveBack(inv undo.Inverse, t *task.Task, to task.Status) error {
	m, err := policy.Move(u.tx, u.a, u.pol, policy.Asked{Task: t, Move: task.Move{To: to}})
	if err != nil {
		return u.refused(inv, "status", t.Status, err)
	}
	if !m.Changed {
		return nil
	}
	u.undone(inv, map[string]task.Delta{"status": {From: t.Status, To: to}})
	if err := u.tx.Save(task.Change{Before: t, After: m.After, Events: naming(inv.Event, core.MoveEvents(t, m)...)}); err != nil {
		return err
	}
	return u.tx.RestoreChanged(m.After)
}

// untick removes a tick, or restores one.
func (u *undoing) untick(inv undo.Inverse, t *task.Task) error {
	was := inv.Tick.Undone(t)
	now := t.Criteria[was.Index-1]
	if err := t.CheckWork(u.a, u.pol, u.tx.Now()); err != nil {
		return u.refused(inv, "criteria", nil, err)
	}
	if was == now {
		return nil
	}
	u.undone(inv, map[string]task.Delta{fmt.Sprintf("criterion %d", was.Index): {From: now.Checked, To: was.Checked}})
	after := t.WithCriterion(was, u.tx.Now())
	return u.tx.Save(task.Change{Before: t, After: after, Events: naming(inv.Event, core.Returning(core.TickEvent(now, was), t, after))})
}

// editBack restores the former values of fields, under the same rules as any edit. A field that the rules keep counts as
// a conflict, and the others are restored.
func (u *undoing) editBack(inv undo.Inverse, t *task.Task) error {
	scene, err := u.s.scene(u.ctx, u.tx, u.p)
	if err != nil {
		return err
	}
	var after *task.Task
	var changes map[string]task.Delta
	var circles plan.Circles
	inv, err = u.allowed(inv, func(inv undo.Inverse) (err error) {
		if after, changes, err = edited(inv, t, scene); err == nil {
			circles, err = rewire(u.tx, u.p, t, after, scene)
		}
		return err
	})
	if err != nil || inv.Empty() || len(changes) == 0 {
		return err
	}
	u.undone(inv, changes)
	return saveWired(u.tx, t, after, circles, naming(inv.Event, updatedEvent(changes))...)
}

// edited returns a task with its former values.
func edited(inv undo.Inverse, t *task.Task, scene plan.Scene) (*task.Task, map[string]task.Delta, error) {
	src, err := inv.Edit()
	if err != nil {
		return nil, nil, err
	}
	edit, err := plan.DecodeEdit(src)
	if err != nil {
		return nil, nil, err
	}
	after, changes, err := edit.Apply(t, scene)
	if err != nil {
		return nil, nil, err
	}
	return after, changes, inv.Reticked(t, after)
}

// allowed tries to undo the fields of an event together and, if the rules decline that, adds one field at a time: a
// declined field is recorded as a conflict. It returns the rest of the inverse. Unless that is empty, it is what try was
// last called with.
func (u *undoing) allowed(inv undo.Inverse, try func(undo.Inverse) error) (undo.Inverse, error) {
	if inv.Empty() {
		return inv, nil
	}
	err := try(inv)
	if err == nil || !byTheRules(err) {
		return inv, err
	}
	var kept []string
	for _, field := range inv.Names() {
		err := try(inv.Only(append(kept, field)...))
		switch {
		case err == nil:
			kept = append(kept, field)
		case !byTheRules(err):
			return inv, err
		default:
			u.clash(inv, undo.Clash{Field: field, Now: inv.Fields[field].To, Why: whyNot(err)})
		}
	}
	if inv = inv.Only(kept...); inv.Empty() {
		return inv, nil
	}
	return inv, try(inv)
}

// uncreate removes the created tasks that nobody touched, and cancels the others.
func (u *undoing) uncreate(created []task.ID) error {
	touched := map[task.ID]bool{}
	var there []task.ID
	for _, id := range created {
		_, err := u.tx.Task(id)
		if fault.Is(err, fault.NotFound) {
			continue // it was removed already
		}
		if err == nil {
			touched[id], err = u.touched(id)
		}
		if err != nil {
			return err
		}
		there = append(there, id)
	}
	gone, err := undo.Removable(there, touched, func(id task.ID) ([]task.ID, error) {
		children, err := u.tx.Children(id)
		if err != nil {
			return nil, err
		}
		dependents, err := u.tx.Dependents(id)
		return append(children, dependents...), err
	})
	if err != nil {
		return err
	}
	var remove []*task.Task
	for _, id := range there {
		inv := undo.Inverse{Event: u.made[id], Task: id}
		if !gone[id] {
			if err := u.cancel(inv); err != nil {
				return err
			}
			continue
		}
		t, err := u.untie(id)
		if err != nil {
			return err
		}
		remove = append(remove, t)
	}
	for _, t := range remove {
		draft := task.Draft{Kind: task.TaskRemoved, Payload: task.Payload{"key": t.Key, "title": t.Title}}
		if err := u.tx.RemoveTask(t, naming(u.made[t.ID], draft)...); err != nil {
			return err
		}
		u.undone(undo.Inverse{Event: u.made[t.ID], Task: t.ID}, map[string]task.Delta{"task": {From: t.ID}})
	}
	u.out.Left = slices.DeleteFunc(u.out.Left, func(l Left) bool { return gone[task.ID(l.Task)] })
	return nil
}

// touched reports whether a task has any event outside the batch that created it.
func (u *undoing) touched(id task.ID) (bool, error) {
	from := u.made[id] - 1
	events, err := u.tx.Events(query.Events{Task: id, SinceID: &from, Limit: undoPage})
	if err != nil || len(events) == undoPage {
		return true, err
	}
	return slices.ContainsFunc(events, func(ev task.Event) bool { return ev.Batch != events[0].Batch }), nil
}

// cancel cancels a created task that somebody has touched.
func (u *undoing) cancel(inv undo.Inverse) error {
	t, err := u.tx.Task(inv.Task)
	switch {
	case err != nil:
		return err
	case t.Status.Closed():
		u.clash(inv, undo.Clash{Field: "status", Now: t.Status, Why: "it was closed since"})
		return nil
	case t.HeldByOther(u.a, u.tx.Now()):
		u.clash(inv, undo.Clash{Field: "claim", Now: t.Claim.Actor, Why: "somebody holds it"})
		return nil
	}
	return u.moveBack(inv, t, task.Cancelled)
}

// untie removes a task's parent and dependencies.
func (u *undoing) untie(id task.ID) (*task.Task, error) {
	t, err := whole(u.tx, id)
	if err != nil || t.Parent == "" && len(t.Deps) == 0 {
		return t, err
	}
	after := *t
	after.Parent, after.Deps = "", nil
	circles, err := plan.Rewire(t, &after, tiesOf(u.tx, u.p))
	if err != nil {
		return nil, err
	}
	return &after, saveWired(u.tx, t, &after, circles)
}

// consequences finds the consequences of the undo: who built on the changes, what waits again, and which commits to
// revert.
func (u *undoing) consequences(events []task.Event, reopened []task.ID) error {
	first := map[task.ID]task.Event{}
	for _, ev := range events {
		if _, seen := first[task.ID(ev.Task)]; ev.Task != "" && !seen {
			first[task.ID(ev.Task)] = ev
		}
	}
	seen := map[task.ID]bool{"": true} // changes of the project have no task
	for _, done := range u.out.Undone {
		id := task.ID(done.Task)
		if seen[id] || len(u.out.BuiltOn) == maxBuiltOn {
			continue
		}
		seen[id] = true
		from := first[id]
		later, err := u.tx.Events(query.Events{Task: id, SinceID: &from.ID, Limit: maxBuiltOn})
		if err != nil {
			return err
		}
		for _, ev := range later {
			if ev.Actor != from.Actor && ev.ID <= u.last && ev.Via.Face != "server" && len(u.out.BuiltOn) < maxBuiltOn {
				u.out.BuiltOn = append(u.out.BuiltOn, BuiltOn{ev.ID, id, ev.Kind, ev.Actor})
			}
		}
	}
	for _, id := range reopened {
		waiting, err := u.tx.Dependents(id)
		if err != nil {
			return err
		}
		tasks, err := u.tx.TasksByID(waiting)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			if !t.Status.Closed() && !slices.Contains(u.out.Waiting, t.ID) {
				u.out.Waiting = append(u.out.Waiting, t.ID)
			}
		}
		evidence, err := u.tx.Evidence(id)
		if err != nil {
			return err
		}
		for _, e := range slices.Backward(evidence) {
			if e.Kind == "commit" {
				u.out.Commits = append(u.out.Commits, Commit{id, e.Value})
			}
		}
	}
	return nil
}
