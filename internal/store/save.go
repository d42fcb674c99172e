package store

import (
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Save writes changes one after another, each guarded by the version and fence of its before, with everything that
// follows from them: dependents, parents, frontier rows, totals and events.
func (tx *Tx) Save(changes ...task.Change) error {
	for _, ch := range changes {
		if err := tx.save(ch); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) save(ch task.Change) error {
	p, id, err := tx.KeyOf(ch.Before.ID)
	if err != nil {
		return err
	}
	before, after := ch.Before, *ch.After
	if !tx.Fresh[id] {
		if before, err = tx.again(ch.Before, &after); err != nil {
			return err
		}
	}
	if ch.Whole {
		if err := tx.saveWhole(p, id, ch, &after); err != nil {
			return err
		}
	}
	if err := tx.reindex(id, before, &after, ch.Whole); err != nil {
		return err
	}
	event, err := tx.AppendAll(p.Rec.Slug, before.ID, ch.Events) // the last one stands for the change
	if err != nil {
		return err
	}
	if after.HeldSince == task.ThisEvent { // the claim's own, where a close follows it: ids have no gaps
		at := slices.IndexFunc(ch.Events, func(d task.Draft) bool { return d.Kind == task.TaskClaimed })
		after.HeldSince = event - int64(len(ch.Events)-1-max(at, 0))
	}
	if err := tx.SaveRow(p, id, before, &after, event); err != nil {
		return err
	}
	if err := tx.Relocate(p, before, &after); err != nil {
		return err
	}
	if err := tx.follow(p, id, before, &after); err != nil {
		return err
	}
	if before.Status == task.InReview && after.Status == task.Done {
		if err := tx.closeChanged(p, id, &after); err != nil {
			return err
		}
	}
	if after.Claim != nil && after.Fence != before.Fence {
		tx.saveOrigin(id, after.Fence)
	}
	expect(tx, before, &after)
	*ch.After = after
	return nil
}

// again reloads a task that was loaded before this turn, or whose counters have changed since. It carries over what the
// guard does not cover: counters, and a lease that its holder's writes have extended.
func (tx *Tx) again(before, after *task.Task) (*task.Task, error) {
	now, err := tx.Task(before.ID)
	if err != nil {
		return nil, err
	}
	if now.Version != before.Version || now.Fence != before.Fence || (now.Claim == nil) != (before.Claim == nil) {
		return nil, fault.Stale("%s was changed by somebody else in between", before.ID).WithHint("read it again and retry")
	}
	now.Body, now.Deps = before.Body, before.Deps
	after.OpenDeps, after.OpenChildren, after.Parts, after.InCircle = now.OpenDeps, now.OpenChildren, now.Parts, now.InCircle
	after.Questions, after.Notes, after.Evidences, after.Approvals = now.Questions, now.Notes, now.Evidences, now.Approvals
	after.Decisions, after.QuestionCount, after.BindingCount, after.NoDeps = now.Decisions, now.QuestionCount, now.BindingCount, now.NoDeps
	if before.AwaitingSince != now.AwaitingSince && !after.Status.Closed() { // a request for approvals does not change the version
		after.AwaitingSince = now.AwaitingSince
	}
	if before.Returned != now.Returned && after.Returned == before.Returned { // nor does evidence, which answers a return
		after.Returned = now.Returned
	}
	if before.Acknowledged != now.Acknowledged { // neither does an acknowledgement
		after.Acknowledged, after.Failures = now.Acknowledged, max(0, after.Failures-before.Failures)
		if after.Failures < task.FailingAt {
			after.Failing = 0
		}
	}
	if after.Claim != nil && now.Claim != nil && after.Claim.Fence == now.Claim.Fence && after.Claim.ExpiresAt == before.Claim.ExpiresAt {
		claim := *now.Claim
		after.Claim = &claim
	}
	return now, nil
}

// saveWhole writes the body and the dependencies, and recounts the open dependencies.
func (tx *Tx) saveWhole(p *Project, id int64, ch task.Change, after *task.Task) error {
	if ch.Before.Body != after.Body {
		after.HasBody = after.Body != ""
		tx.saveBody(id, string(after.Body))
	}
	if slices.Equal(ch.Before.Deps, after.Deps) {
		return nil
	}
	after.NoDeps = len(after.Deps) == 0
	tx.Touch(p)
	p.Rec.GraphVersion++
	p.Rec.FlowVersion++
	was, err := tx.Keys(ch.Before.Deps)
	if err != nil {
		return err
	}
	on, err := tx.Keys(after.Deps)
	if err != nil {
		return err
	}
	for _, key := range without(was, on) {
		tx.Exec(1, `DELETE FROM dep WHERE task=$1 AND on_task=$2`, id, key)
	}
	for _, key := range without(on, was) {
		tx.Exec(1, `INSERT INTO dep (task, on_task) VALUES ($1,$2)`, id, key)
	}
	after.OpenDeps = 0
	return db.EachIn(tx.C, `SELECT COUNT(*) FROM task WHERE status<>'done' AND status<>'cancelled' AND id IN KEYS`, on, db.Scan1(func(open int) error {
		after.OpenDeps += open
		return nil
	}))
}

func (tx *Tx) saveBody(id int64, body string) {
	if body == "" {
		tx.Exec(db.Any, `DELETE FROM task_body WHERE task=$1`, id)
		return
	}
	tx.Exec(1, `INSERT INTO task_body (task, body) VALUES ($1,$2) ON CONFLICT (task) DO UPDATE SET body=excluded.body`, id, body)
}

// Unblocked returns the ids of the tasks that this member's changes made ready, by number.
func (tx *Tx) Unblocked() []task.ID {
	out := slices.Clone(tx.unblocked)
	slices.SortFunc(out, task.CompareIDs)
	return slices.Compact(out)
}

// Extend changes the end of a live claim, without an event.
func (tx *Tx) Extend(t *task.Task, claim task.Claim) error {
	_, id, err := tx.KeyOf(t.ID)
	if err != nil {
		return err
	}
	return tx.C.Exec(1, `UPDATE task SET renewed_at=$3, expires_at=$4 WHERE id=$1 AND fence=$2 AND holder IS NOT NULL`,
		id, t.Fence, int64(claim.RenewedAt), int64(claim.ExpiresAt))
}

// SaveRow writes the groups of columns that have changed. event is the event of the change, or 0.
func (tx *Tx) SaveRow(p *Project, id int64, before, after *task.Task, event int64) error {
	if event != 0 {
		after.LastEvent = event
	}
	tx.saveEvents(id, before, after)
	if !rows.SameTaskDefinition(before, after) {
		args, err := rows.TaskDefinitionArgs(id, after)
		if err != nil {
			return err
		}
		tx.Exec(1, rows.UpdateTaskDefinition, args...)
	}
	if before.Claim != nil && after.Claim == nil {
		tx.Exec(db.Any, `DELETE FROM agent_session WHERE task=$1`, id)
	}
	err := tx.C.Exec(1, rows.UpdateTaskState, rows.TaskStateArgs(id, before, after)...)
	tx.Daily(p, before, after)
	if err != nil || before.Status == after.Status {
		return err
	}
	tx.Touch(p)
	*p.Rec.Tasks.Of(before.Status)--
	*p.Rec.Tasks.Of(after.Status)++
	return nil
}

// saveEvents stores since which events a task waits for people, if they have changed.
func (tx *Tx) saveEvents(id int64, before, after *task.Task) {
	for _, event := range []*int64{&after.AwaitingSince, &after.Lapse, &after.UnsupervisedClose, &after.UnheldSince, &after.Failing, &after.Returned, &after.SentBack, &after.HeldSince} {
		if *event == task.ThisEvent {
			*event = after.LastEvent
		}
	}
	if !rows.SameTaskWaits(before, after) {
		tx.Exec(1, rows.UpdateTaskWaits, rows.TaskWaitsArgs(id, after)...)
	}
}

// NoteUnblocked notes a task that became ready because another one changed.
func (tx *Tx) NoteUnblocked(was, now *task.Task) {
	if now.Ready() && !was.Ready() {
		tx.unblocked = append(tx.unblocked, now.ID)
	}
}

// One returns 1 for true and 0 for false.
func One(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// follow updates the tasks that depend on this one, and its parents.
func (tx *Tx) follow(p *Project, id int64, before, after *task.Task) error {
	closedBefore, closedAfter := before.Status.Closed(), after.Status.Closed()
	if closedBefore != closedAfter {
		tx.Touch(p)
		p.Rec.FlowVersion++
		if err := tx.dependents(p, id, closedAfter); err != nil {
			return err
		}
	}
	if before.Parent != after.Parent {
		tx.Touch(p)
		p.Rec.GraphVersion++
		p.Rec.FlowVersion++
	}
	parents := parentCounts{}
	parents.add(before, -1)
	parents.add(after, 1)
	return tx.parents(p, parents)
}

// dependents changes the count of open dependencies of all dependents, and then looks only at those whose last open
// dependency was closed, or whose first one was opened. It names the tasks by their keys, because PostgreSQL may answer
// a join by walking every task of the database when its statistics are old.
func (tx *Tx) dependents(p *Project, id int64, closed bool) error {
	by, crossing := 1, 1
	if closed {
		by, crossing = -1, 0
	}
	keys, err := db.Values[int64](tx.C, `SELECT task FROM dep WHERE on_task=$1 ORDER BY task`, id)
	if err != nil || len(keys) == 0 {
		return err
	}
	_ = db.Batches(keys, func(run []any) error { // the connection keeps the error
		return tx.C.Exec(db.Any, `UPDATE task SET open_deps=open_deps+$1, stirred=$2 WHERE id IN `+db.In(3, len(run)),
			append([]any{by, tx.Turn.LastEvent}, run...)...)
	})
	crossed, err := tx.someIn(p, `SELECT `+rows.TaskColumns+` FROM task WHERE open_deps=$1 AND status<>'done' AND status<>'cancelled' AND id IN KEYS ORDER BY id`,
		keys, crossing)
	clear(tx.Fresh) // including the rows read here: a member that saves them next holds an older copy
	if err != nil {
		return err
	}
	for _, now := range crossed {
		was := *now
		was.OpenDeps -= by
		if err := tx.Relocate(p, &was, now); err != nil {
			return err
		}
		tx.NoteUnblocked(&was, now)
	}
	return nil
}

// parentCounts are the changes to parents' counts: open children, and how many of those are parts.
type parentCounts map[task.ID]struct{ open, parts int }

// add adds a child to its parent's counts, or removes it if by is -1.
func (k parentCounts) add(child *task.Task, by int) {
	if child.Parent == "" {
		return
	}
	d := k[task.ID(child.Parent)]
	d.open += by * One(!child.Status.Closed())
	d.parts += by * One(child.Part())
	k[task.ID(child.Parent)] = d
}

func (tx *Tx) parents(p *Project, changes parentCounts) error {
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		d := changes[id]
		if d.open == 0 && d.parts == 0 {
			continue
		}
		_, ref, err := tx.KeyOf(id)
		if err != nil {
			return err
		}
		var was *task.Task
		if d.parts != 0 {
			if was, err = tx.Task(id); err != nil {
				return err
			}
		}
		tx.Exec(1, `UPDATE task SET open_children=open_children+$2, parts=parts+$3, stirred=$4 WHERE id=$1`,
			ref, d.open, d.parts, tx.Turn.LastEvent)
		delete(tx.Fresh, ref)
		if was == nil {
			continue
		}
		now := *was
		now.Parts += d.parts
		if err := tx.Relocate(p, was, &now); err != nil {
			return err
		}
		tx.NoteUnblocked(was, &now)
	}
	return nil
}

// MarkCircles stores which children stand in a circle with their parents, and counts them as parts accordingly. Call it
// after edges have changed.
func (tx *Tx) MarkCircles(marks []query.CircleMark) error {
	for _, m := range marks {
		p, ref, err := tx.KeyOf(m.Child)
		if err != nil {
			return err
		}
		was, err := tx.Task(m.Child)
		if err != nil {
			return err
		}
		if was.InCircle == m.In {
			continue
		}
		tx.Exec(1, `UPDATE task SET in_circle=$2 WHERE id=$1`, ref, One(m.In))
		delete(tx.Fresh, ref)
		tx.Touch(p)
		p.Rec.FlowVersion++
		now, parents := *was, parentCounts{}
		now.InCircle = m.In
		parents.add(was, -1)
		parents.add(&now, 1)
		if err := tx.parents(p, parents); err != nil {
			return err
		}
	}
	return nil
}
