package store

import (
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

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
	err = db.Batches(keys, func(run []any) error {
		return tx.C.Exec(db.Any, `UPDATE task SET open_deps=open_deps+$1, stirred=$2 WHERE id IN `+db.In(3, len(run)),
			append([]any{by, tx.Turn.LastEvent}, run...)...)
	})
	if err != nil {
		return err
	}
	var crossed []*task.Task
	err = db.Batches(keys, func(run []any) error {
		some, err := tx.Some(p, `SELECT `+rows.TaskColumns+` FROM task WHERE open_deps=$1 AND status<>'done' AND status<>'cancelled' AND id IN `+
			db.In(2, len(run))+` ORDER BY id`, append([]any{crossing}, run...)...)
		crossed = append(crossed, some...)
		return err
	})
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
			if was, err = tx.Load(id); err != nil {
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
		was, err := tx.Load(m.Child)
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
