package store

import (
	"slices"

	"tasker/internal/db"

	"tasker/internal/fault"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Save writes changes one after another, each guarded by its before's version and fence, with everything that
// follows from it: dependents, parents, frontier rows, totals and events.
func (w TaskWriter) Save(changes ...task.Change) error {
	for _, ch := range changes {
		if err := w.save(ch); err != nil {
			return err
		}
	}
	return nil
}

func (w TaskWriter) save(ch task.Change) error {
	p, id, err := w.refOf(ch.Before.ID)
	if err != nil {
		return err
	}
	before, after := ch.Before, *ch.After
	if !w.fresh[id] {
		if before, err = w.again(ch.Before, &after); err != nil {
			return err
		}
	}
	if ch.Whole {
		if err := w.saveWhole(p, id, ch, &after); err != nil {
			return err
		}
	}
	if err := w.index.Update(id, before, &after, ch.Whole); err != nil {
		return err
	}
	event, err := w.recordAll(p, before.ID, ch.Events)
	if err != nil {
		return err
	}
	if err := w.saveRow(p, id, before, &after, event); err != nil {
		return err
	}
	if err := w.relocate(p, before, &after); err != nil {
		return err
	}
	if err := w.follow(p, id, before, &after); err != nil {
		return err
	}
	ch.After.OpenDeps, ch.After.OpenChildren, ch.After.LiveChildren = after.OpenDeps, after.OpenChildren, after.LiveChildren
	ch.After.HasBody, ch.After.NoDeps = after.HasBody, after.NoDeps
	w.expect(before, &after)
	ch.After.LastEvent, ch.After.AwaitingSince, ch.After.Lapse, ch.After.UnsupervisedClose = after.LastEvent, after.AwaitingSince, after.Lapse, after.UnsupervisedClose
	return nil
}

// recordAll records the events of a change and gives the one that tells of it: the last. Without any the record
// changes silently, and the newest event before stays the one.
func (w TaskWriter) recordAll(p *project, id task.ID, events []task.Draft) (last int64, err error) {
	for _, d := range events {
		if last, err = w.record(p.rec.Slug, id, d); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// again reads a task that was loaded before this turn, or whose counters changed since, and carries over what the
// guard does not cover: counters, and a lease that its holder's writes have extended.
func (w TaskWriter) again(before, after *task.Task) (*task.Task, error) {
	now, err := w.task(before.ID)
	if err != nil {
		return nil, err
	}
	if now.Version != before.Version || now.Fence != before.Fence || (now.Claim == nil) != (before.Claim == nil) {
		return nil, fault.Stale("%s was changed by somebody else in between", before.ID).WithHint("read it again and retry")
	}
	now.Body, now.Deps = before.Body, before.Deps
	after.OpenDeps, after.OpenChildren, after.LiveChildren = now.OpenDeps, now.OpenChildren, now.LiveChildren
	after.Questions, after.Notes, after.Evidences, after.Approvals = now.Questions, now.Notes, now.Evidences, now.Approvals
	after.Decisions, after.QuestionCount, after.BindingCount, after.NoDeps = now.Decisions, now.QuestionCount, now.BindingCount, now.NoDeps
	if before.AwaitingSince != now.AwaitingSince && !after.Status.Closed() { // asking for approvals moves no version
		after.AwaitingSince = now.AwaitingSince
	}
	if after.Claim != nil && now.Claim != nil && after.Claim.Fence == now.Claim.Fence && after.Claim.ExpiresAt == before.Claim.ExpiresAt {
		claim := *now.Claim
		after.Claim = &claim
	}
	return now, nil
}

// saveWhole writes body and dependencies, and recounts the open ones.
func (w TaskWriter) saveWhole(p *project, id int64, ch task.Change, after *task.Task) error {
	if ch.Before.Body != after.Body {
		after.HasBody = after.Body != ""
		if err := w.saveBody(id, string(after.Body)); err != nil {
			return err
		}
	}
	if slices.Equal(ch.Before.Deps, after.Deps) {
		return nil
	}
	after.NoDeps = len(after.Deps) == 0
	w.touch(p)
	p.rec.GraphVersion++
	p.rec.FlowVersion++
	for _, d := range ch.Before.Deps {
		if slices.Contains(after.Deps, d) {
			continue
		}
		_, on, err := w.refOf(d)
		if err != nil {
			return err
		}
		if err := w.c.Exec(1, `DELETE FROM dep WHERE task=$1 AND on_task=$2`, id, on); err != nil {
			return err
		}
	}
	for _, d := range after.Deps {
		if slices.Contains(ch.Before.Deps, d) {
			continue
		}
		_, on, err := w.refOf(d)
		if err != nil {
			return err
		}
		if err := w.c.Exec(1, `INSERT INTO dep (task, on_task) VALUES ($1,$2)`, id, on); err != nil {
			return err
		}
	}
	return w.c.Query(`SELECT COUNT(*) FROM dep JOIN task t ON t.id=dep.on_task
		WHERE dep.task=$1 AND t.status<>'done' AND t.status<>'cancelled'`, []any{id}, db.Scan1(func(open int64) error {
		after.OpenDeps = int(open)
		return nil
	}))
}

func (w TaskWriter) saveBody(id int64, body string) error {
	if body == "" {
		return w.c.Exec(db.Any, `DELETE FROM task_body WHERE task=$1`, id)
	}
	return w.c.Exec(1, `INSERT INTO task_body (task, body) VALUES ($1,$2) ON CONFLICT (task) DO UPDATE SET body=excluded.body`, id, body)
}

// saveRow writes the row: what moves often alone, where nothing else changed. event tells of the change; 0 where
// nothing does.
func (w *member) saveRow(p *project, id int64, before, after *task.Task, event int64) error {
	if event != 0 {
		after.LastEvent = event
	}
	if err := w.saveEvents(id, before, after); err != nil {
		return err
	}
	if !rows.SameTaskDefinition(before, after) {
		args, err := rows.TaskDefinitionArgs(id, after)
		if err != nil {
			return err
		}
		if err := w.c.Exec(1, rows.UpdateTaskDefinition, args...); err != nil {
			return err
		}
	}
	err := w.c.Exec(1, rows.UpdateTaskState, rows.TaskStateArgs(id, before, after)...)
	w.daily(p, before, after)
	if err != nil || before.Status == after.Status {
		return err
	}
	w.touch(p)
	*p.rec.Tasks.Of(before.Status)--
	*p.rec.Tasks.Of(after.Status)++
	return nil
}

// saveEvents writes which events a task waits for people since, where that changed.
func (w *member) saveEvents(id int64, before, after *task.Task) error {
	for _, event := range []*int64{&after.AwaitingSince, &after.Lapse, &after.UnsupervisedClose} {
		if *event == task.ThisEvent {
			*event = after.LastEvent
		}
	}
	if rows.SameTaskWaits(before, after) {
		return nil
	}
	return w.c.Exec(1, rows.UpdateTaskWaits, rows.TaskWaitsArgs(id, after)...)
}

// follow carries a change on to the tasks that wait for this one and to parents.
func (w TaskWriter) follow(p *project, id int64, before, after *task.Task) error {
	parents := kin{}
	closedBefore, closedAfter := before.Status.Closed(), after.Status.Closed()
	if closedBefore != closedAfter {
		w.touch(p)
		p.rec.FlowVersion++
		if err := w.dependents(p, id, closedAfter, parents); err != nil {
			return err
		}
	}
	if before.Parent != after.Parent {
		w.touch(p)
		p.rec.GraphVersion++
	}
	if before.Parent != "" {
		parents.add(before.Parent, -one(!closedBefore), -one(before.Live()))
	}
	if after.Parent != "" {
		parents.add(after.Parent, one(!closedAfter), one(after.Live()))
	}
	return w.parents(p, parents)
}

// dependents moves the count of open dependencies of all that wait for a task, in one statement, and looks after
// those alone that became live by it, or ceased to be.
func (w TaskWriter) dependents(p *project, id int64, closed bool, parents kin) error {
	by, crossing := 1, 1
	if closed {
		by, crossing = -1, 0
	}
	if err := w.c.Exec(db.Any, `UPDATE task SET open_deps=open_deps+$2, stirred=$3 WHERE id IN (SELECT task FROM dep WHERE on_task=$1)`,
		id, by, w.turn.LastEvent); err != nil {
		return err
	}
	clear(w.fresh)
	crossed, err := w.some(p, `SELECT `+rows.TaskColumnsT+` FROM dep JOIN task t ON t.id=dep.task
		WHERE dep.on_task=$1 AND t.open_deps=$2 AND t.status<>'done' AND t.status<>'cancelled' ORDER BY t.id`, id, crossing)
	if err != nil {
		return err
	}
	for _, now := range crossed {
		was := *now
		was.OpenDeps -= by
		if now.Parent != "" {
			parents.add(now.Parent, 0, -by)
		}
		if err := w.relocate(p, &was, now); err != nil {
			return err
		}
		w.noteUnblocked(&was, now)
	}
	return nil
}

// kin are the changes of parents' counts.
type kin map[task.ID]struct{ open, live int }

func (k kin) add(parent task.Opt, open, live int) {
	d := k[task.ID(parent)]
	d.open += open
	d.live += live
	k[task.ID(parent)] = d
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (w TaskWriter) parents(p *project, changes kin) error {
	for _, id := range sortedKeys(changes) {
		d := changes[id]
		if d.open == 0 && d.live == 0 {
			continue
		}
		_, ref, err := w.refOf(id)
		if err != nil {
			return err
		}
		var was *task.Task
		if d.live != 0 {
			if was, err = w.task(id); err != nil {
				return err
			}
		}
		if err := w.c.Exec(1, `UPDATE task SET open_children=open_children+$2, live_children=live_children+$3, stirred=$4 WHERE id=$1`,
			ref, d.open, d.live, w.turn.LastEvent); err != nil {
			return err
		}
		delete(w.fresh, ref)
		if was == nil {
			continue
		}
		now := *was
		now.LiveChildren += d.live
		if err := w.relocate(p, was, &now); err != nil {
			return err
		}
		w.noteUnblocked(was, &now)
	}
	return nil
}

// noteUnblocked keeps what became ready by somebody else's change.
func (w *member) noteUnblocked(was, now *task.Task) {
	if now.Ready() && !was.Ready() {
		w.unblocked = append(w.unblocked, now.ID)
	}
}

// Unblocked returns the ids that became ready by the changes of this member, by number.
func (w TaskWriter) Unblocked() []task.ID {
	out := slices.Clone(w.unblocked)
	slices.SortFunc(out, task.CompareIDs)
	return slices.Compact(out)
}

// Extend moves the end of a live claim, without an event.
func (w TaskWriter) Extend(t *task.Task, claim task.Claim) error {
	_, id, err := w.refOf(t.ID)
	if err != nil {
		return err
	}
	return w.c.Exec(1, `UPDATE task SET renewed_at=$3, expires_at=$4 WHERE id=$1 AND fence=$2 AND holder IS NOT NULL`,
		id, t.Fence, int64(claim.RenewedAt), int64(claim.ExpiresAt))
}
