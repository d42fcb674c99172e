package store

import (
	"slices"

	"tasker/internal/db"

	"tasker/internal/fault"
	"tasker/internal/store/tx"
	"tasker/internal/task"
)

// Save writes changes one after another, each guarded by the version and fence of its before, with all that follows
// from them: dependents, parents, frontier rows, totals and events.
func (w TaskWriter) Save(changes ...task.Change) error {
	for _, ch := range changes {
		if err := w.save(ch); err != nil {
			return err
		}
	}
	return nil
}

func (w TaskWriter) save(ch task.Change) error {
	p, id, err := w.KeyOf(ch.Before.ID)
	if err != nil {
		return err
	}
	before, after := ch.Before, *ch.After
	if !w.Fresh[id] {
		if before, err = w.again(ch.Before, &after); err != nil {
			return err
		}
	}
	if ch.Whole {
		if err := w.saveWhole(p, id, ch, &after); err != nil {
			return err
		}
	}
	if err := w.Index.Update(id, before, &after, ch.Whole); err != nil {
		return err
	}
	event, err := w.recordAll(p, before.ID, ch.Events)
	if err != nil {
		return err
	}
	if err := w.SaveRow(p, id, before, &after, event); err != nil {
		return err
	}
	if err := w.Relocate(p, before, &after); err != nil {
		return err
	}
	if err := w.follow(p, id, before, &after); err != nil {
		return err
	}
	ch.After.OpenDeps, ch.After.OpenChildren, ch.After.Parts, ch.After.InCircle = after.OpenDeps, after.OpenChildren, after.Parts, after.InCircle
	ch.After.HasBody, ch.After.NoDeps = after.HasBody, after.NoDeps
	expect(w.Member, before, &after)
	ch.After.LastEvent, ch.After.AwaitingSince, ch.After.Lapse, ch.After.UnsupervisedClose = after.LastEvent, after.AwaitingSince, after.Lapse,
		after.UnsupervisedClose
	return nil
}

// recordAll records the events of a change and returns the last of them, which stands for the change. It returns 0 if
// there are none: then the task's newest event stays the same.
func (w TaskWriter) recordAll(p *tx.Project, id task.ID, events []task.Draft) (last int64, err error) {
	for _, d := range events {
		if last, err = w.Append(p.Rec.Slug, id, d); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// again reads a task anew that was loaded before this turn, or whose counters have changed since. It carries over what
// the guard does not cover: counters, and a lease that its holder's writes have extended.
func (w TaskWriter) again(before, after *task.Task) (*task.Task, error) {
	now, err := w.Load(before.ID)
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
	if after.Claim != nil && now.Claim != nil && after.Claim.Fence == now.Claim.Fence && after.Claim.ExpiresAt == before.Claim.ExpiresAt {
		claim := *now.Claim
		after.Claim = &claim
	}
	return now, nil
}

// saveWhole writes body and dependencies, and recounts the open ones.
func (w TaskWriter) saveWhole(p *tx.Project, id int64, ch task.Change, after *task.Task) error {
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
	w.Touch(p)
	p.Rec.GraphVersion++
	p.Rec.FlowVersion++
	for _, d := range ch.Before.Deps {
		if slices.Contains(after.Deps, d) {
			continue
		}
		_, on, err := w.KeyOf(d)
		if err != nil {
			return err
		}
		if err := w.C.Exec(1, `DELETE FROM dep WHERE task=$1 AND on_task=$2`, id, on); err != nil {
			return err
		}
	}
	on := make([]int64, len(after.Deps))
	for i, d := range after.Deps {
		var err error
		if _, on[i], err = w.KeyOf(d); err != nil {
			return err
		}
		if slices.Contains(ch.Before.Deps, d) {
			continue
		}
		if err := w.C.Exec(1, `INSERT INTO dep (task, on_task) VALUES ($1,$2)`, id, on[i]); err != nil {
			return err
		}
	}
	after.OpenDeps = 0
	return db.Batches(on, func(run []any) error {
		return w.C.Query(`SELECT COUNT(*) FROM task WHERE status<>'done' AND status<>'cancelled' AND id IN `+db.In(1, len(run)), run,
			db.Scan1(func(open int64) error {
				after.OpenDeps += int(open)
				return nil
			}))
	})
}

func (w TaskWriter) saveBody(id int64, body string) error {
	if body == "" {
		return w.C.Exec(db.Any, `DELETE FROM task_body WHERE task=$1`, id)
	}
	return w.C.Exec(1, `INSERT INTO task_body (task, body) VALUES ($1,$2) ON CONFLICT (task) DO UPDATE SET body=excluded.body`, id, body)
}

// follow updates the tasks that depend on this one, and its parents.
func (w TaskWriter) follow(p *tx.Project, id int64, before, after *task.Task) error {
	parents := kin{}
	closedBefore, closedAfter := before.Status.Closed(), after.Status.Closed()
	if closedBefore != closedAfter {
		w.Touch(p)
		p.Rec.FlowVersion++
		if err := w.dependents(p, id, closedAfter, parents); err != nil {
			return err
		}
	}
	if before.Parent != after.Parent {
		w.Touch(p)
		p.Rec.GraphVersion++
	}
	if before.Parent != "" {
		parents.add(before.Parent, -tx.One(!closedBefore), -tx.One(before.Live()))
	}
	if after.Parent != "" {
		parents.add(after.Parent, tx.One(!closedAfter), tx.One(after.Live()))
	}
	return w.parents(p, parents)
}

// dependents changes the count of open dependencies of all dependents, and then looks only at those that became live by
// it, or ceased to be. The tasks are named by their keys: PostgreSQL, asked to join, may walk every task of the database
// where its statistics are old.
func (w TaskWriter) dependents(p *tx.Project, id int64, closed bool, parents kin) error {
	by, crossing := 1, 1
	if closed {
		by, crossing = -1, 0
	}
	var keys []int64
	err := w.C.Query(`SELECT task FROM dep WHERE on_task=$1 ORDER BY task`, []any{id}, db.Scan1(func(key int64) error {
		keys = append(keys, key)
		return nil
	}))
	if err != nil || len(keys) == 0 {
		return err
	}
	err = db.Batches(keys, func(run []any) error {
		return w.C.Exec(db.Any, `UPDATE task SET open_deps=open_deps+$1, stirred=$2 WHERE id IN `+db.In(3, len(run)),
			append([]any{by, w.Turn.LastEvent}, run...)...)
	})
	if err != nil {
		return err
	}
	clear(w.Fresh)
	var crossed []*task.Task
	err = db.Batches(keys, func(run []any) error {
		some, err := w.Some(p, `SELECT `+rows.TaskColumns+` FROM task WHERE open_deps=$1 AND status<>'done' AND status<>'cancelled' AND id IN `+
			db.In(2, len(run))+` ORDER BY id`, append([]any{crossing}, run...)...)
		crossed = append(crossed, some...)
		return err
	})
	if err != nil {
		return err
	}
	for _, now := range crossed {
		was := *now
		was.OpenDeps -= by
		if now.Parent != "" {
			parents.add(now.Parent, 0, -by)
		}
		if err := w.Relocate(p, &was, now); err != nil {
			return err
		}
		w.NoteUnblocked(&was, now)
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

func (w TaskWriter) parents(p *tx.Project, changes kin) error {
	for _, id := range slices.Sorted(maps.Keys(changes)) {
		d := changes[id]
		if d.open == 0 && d.live == 0 {
			continue
		}
		_, ref, err := w.KeyOf(id)
		if err != nil {
			return err
		}
		var was *task.Task
		if d.live != 0 {
			if was, err = w.Load(id); err != nil {
				return err
			}
		}
		if err := w.C.Exec(1, `UPDATE task SET open_children=open_children+$2, live_children=live_children+$3, stirred=$4 WHERE id=$1`,
			ref, d.open, d.live, w.Turn.LastEvent); err != nil {
			return err
		}
		delete(w.Fresh, ref)
		if was == nil {
			continue
		}
		now := *was
		now.LiveChildren += d.live
		if err := w.Relocate(p, was, &now); err != nil {
			return err
		}
		w.NoteUnblocked(was, &now)
	}
	return nil
}

// Unblocked returns the ids of the tasks that became ready by this member's changes, by number.
func (w TaskWriter) Unblocked() []task.ID {
	out := slices.Clone(w.Member.Unblocked)
	slices.SortFunc(out, task.CompareIDs)
	return slices.Compact(out)
}

// Extend changes the end of a live claim, without an event.
func (w TaskWriter) Extend(t *task.Task, claim task.Claim) error {
	_, id, err := w.KeyOf(t.ID)
	if err != nil {
		return err
	}
	return w.C.Exec(1, `UPDATE task SET renewed_at=$3, expires_at=$4 WHERE id=$1 AND fence=$2 AND holder IS NOT NULL`,
		id, t.Fence, int64(claim.RenewedAt), int64(claim.ExpiresAt))
}
