package store

import (
	"slices"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Save writes changes one after another, each guarded by its before's version and fence, with everything that
// follows from it: dependents, parents, frontier rows, totals and events.
func (w *Writer) Save(changes ...task.Change) error {
	for _, ch := range changes {
		if err := w.save(ch); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) save(ch task.Change) error {
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
	if err := w.indexAgain(id, before, &after, ch.Whole); err != nil {
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
	ch.After.LastEvent, ch.After.AwaitingSince, ch.After.Lapse, ch.After.UnsupervisedClose = after.LastEvent, after.AwaitingSince, after.Lapse, after.UnsupervisedClose
	return nil
}

// recordAll records the events of a change and gives the one that tells of it: the last. Without any the record
// changes silently, and the newest event before stays the one.
func (w *Writer) recordAll(p *project, id task.ID, events []task.Draft) (last int64, err error) {
	for _, d := range events {
		if last, err = w.record(p.rec.Slug, id, d); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// again reads a task that was loaded before this turn, or whose counters changed since, and carries over what the
// guard does not cover: counters, and a lease that its holder's writes have extended.
func (w *Writer) again(before, after *task.Task) (*task.Task, error) {
	now, err := w.Task(before.ID)
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
func (w *Writer) saveWhole(p *project, id int64, ch task.Change, after *task.Task) error {
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
		WHERE dep.task=$1 AND t.status<>'done' AND t.status<>'cancelled'`, []any{id}, func(row Row) error {
		after.OpenDeps = int(row.Int(0))
		return nil
	})
}

func (w *Writer) saveBody(id int64, body string) error {
	if body == "" {
		return w.c.Exec(Any, `DELETE FROM task_body WHERE task=$1`, id)
	}
	return w.c.Exec(1, `INSERT INTO task_body (task, body) VALUES ($1,$2) ON CONFLICT (task) DO UPDATE SET body=excluded.body`, id, body)
}

// saveRow writes the row: what moves often alone, where nothing else changed. event tells of the change; 0 where
// nothing does.
func (w *Writer) saveRow(p *project, id int64, before, after *task.Task, event int64) error {
	if event != 0 {
		after.LastEvent = event
	}
	if err := w.saveEvents(id, before, after); err != nil {
		return err
	}
	if !coldEqual(before, after) {
		args, err := taskArgs(id, after)
		if err != nil {
			return err
		}
		if err := w.c.Exec(1, `UPDATE task SET key=$2, title=$3, parent=$4, priority=$5, severity=$6, due=$7, gate=$8,
			autonomy=$9, preferred_actor=$10, may_execute=$11, touches=$12, criteria=$13, links=$14, sprint=$15, rank=$16,
			has_body=$17, doc_status=$18, recorded=$19, has_deps=$20, due_at=$21 WHERE id=$1`, append(coldArgs(id, args), dueAt(after.Due))...); err != nil {
			return err
		}
	}
	var c task.Claim
	var holder any
	if after.Claim != nil {
		c, holder = *after.Claim, after.Claim.Actor
	}
	err := w.c.Exec(1, `UPDATE task SET status=$4, open_deps=$5, attempts=$6, version=$7, approval_epoch=$8, updated_at=$9,
		closed_by=$10, closed_at=$11, fence=$12, fence_ended=$13, holder=$14, claim_version=$15, claimed_at=$16,
		renewed_at=$17, expires_at=$18, lease_ms=$19, stirred=$20 WHERE id=$1 AND version=$2 AND fence=$3`,
		id, before.Version, before.Fence, string(after.Status), after.OpenDeps, after.Attempts, after.Version, after.ApprovalEpoch,
		int64(after.UpdatedAt), after.ClosedBy, int64(after.ClosedAt), after.Fence, after.FenceEnded, holder, c.Version,
		int64(c.ClaimedAt), int64(c.RenewedAt), int64(c.ExpiresAt), c.LeaseMs, after.LastEvent)
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
func (w *Writer) saveEvents(id int64, before, after *task.Task) error {
	for _, event := range []*int64{&after.AwaitingSince, &after.Lapse, &after.UnsupervisedClose} {
		if *event == task.ThisEvent {
			*event = after.LastEvent
		}
	}
	if before.AwaitingSince == after.AwaitingSince && before.Lapse == after.Lapse && before.UnsupervisedClose == after.UnsupervisedClose {
		return nil
	}
	return w.c.Exec(1, `UPDATE task SET awaiting=$2, lapsed=$3, unwatched=$4 WHERE id=$1`, id, after.AwaitingSince, after.Lapse, after.UnsupervisedClose)
}

// cold are the columns that claims and moves leave alone, by their place in taskCols.
var cold = []int{1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 28, 29, 50}

// coldEqual tells that the cold columns of two records are the same.
func coldEqual(a, b *task.Task) bool {
	return a.Key == b.Key && a.Title == b.Title && a.Parent == b.Parent && a.Priority == b.Priority &&
		a.Severity == b.Severity && a.Due == b.Due && a.Gate == b.Gate && a.Autonomy == b.Autonomy &&
		a.PreferredActor == b.PreferredActor && slices.Equal(a.MayExecute, b.MayExecute) && slices.Equal(a.Touches, b.Touches) &&
		slices.Equal(a.Criteria, b.Criteria) && slices.Equal(a.Links, b.Links) && a.Sprint == b.Sprint && a.Rank == b.Rank &&
		a.HasBody == b.HasBody && a.NoDeps == b.NoDeps && a.DocStatus == b.DocStatus && a.Recorded == b.Recorded
}

func coldArgs(id int64, args []any) []any {
	out := []any{id}
	for _, c := range cold {
		out = append(out, args[c])
	}
	return out
}

// follow carries a change on to the tasks that wait for this one and to parents.
func (w *Writer) follow(p *project, id int64, before, after *task.Task) error {
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
func (w *Writer) dependents(p *project, id int64, closed bool, parents kin) error {
	by, crossing := 1, 1
	if closed {
		by, crossing = -1, 0
	}
	if err := w.c.Exec(Any, `UPDATE task SET open_deps=open_deps+$2, stirred=$3 WHERE id IN (SELECT task FROM dep WHERE on_task=$1)`,
		id, by, w.turn.LastEvent); err != nil {
		return err
	}
	clear(w.fresh)
	crossed, err := w.some(p, `SELECT `+taskColsT+` FROM dep JOIN task t ON t.id=dep.task
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

func (w *Writer) parents(p *project, changes kin) error {
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
			if was, err = w.Task(id); err != nil {
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
func (w *Writer) noteUnblocked(was, now *task.Task) {
	if now.Ready() && !was.Ready() {
		w.unblocked = append(w.unblocked, now.ID)
	}
}

// Unblocked gives the ids that became ready by the changes of this member, by number.
func (w *Writer) Unblocked() []task.ID {
	out := slices.Clone(w.unblocked)
	slices.SortFunc(out, task.CompareIDs)
	return slices.Compact(out)
}

// Extend moves the end of a live claim, without an event.
func (w *Writer) Extend(t *task.Task, claim task.Claim) error {
	_, id, err := w.refOf(t.ID)
	if err != nil {
		return err
	}
	return w.c.Exec(1, `UPDATE task SET renewed_at=$3, expires_at=$4 WHERE id=$1 AND fence=$2 AND holder IS NOT NULL`,
		id, t.Fence, int64(claim.RenewedAt), int64(claim.ExpiresAt))
}
