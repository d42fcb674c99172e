package store

import (
	"errors"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Load returns a task as it counts now, or not found.
func (tx *Tx) Load(id task.ID) (*task.Task, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	t, err := tx.One(p, `SELECT `+rows.TaskColumns+` FROM task WHERE id=$1`, ref)
	if err == nil && t == nil {
		return nil, p.NoTask(id)
	}
	return t, err
}

// One returns the task that a statement selects, or nil. A turn sweeps a lapsed lease first.
func (tx *Tx) One(p *Project, sql string, args ...any) (*task.Task, error) {
	found, err := tx.Some(p, sql, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Some returns the tasks that a statement selects, all of one project, as they count now. A turn sweeps lapsed leases.
func (tx *Tx) Some(p *Project, sql string, args ...any) ([]*task.Task, error) {
	out, _, err := tx.SomeWhile(p, func(*task.Task) bool { return true }, sql, args...)
	return out, err
}

// SomeWhile is Some up to the first task that take rejects; whole reports whether it rejected none.
func (tx *Tx) SomeWhile(p *Project, take func(*task.Task) bool, sql string, args ...any) (out []*task.Task, whole bool, err error) {
	s := rows.Scanner{Slug: p.Rec.Slug}
	err = tx.C.Query(sql, args, func(row db.Row) error {
		t, err := s.Whole(row)
		if err != nil {
			return err
		}
		if !take(t) {
			return ErrEnough
		}
		out = append(out, t)
		return nil
	})
	if whole = err == nil; err != nil && !errors.Is(err, ErrEnough) {
		return nil, false, err
	}
	for i, t := range out {
		if out[i], err = tx.Counted(p, p.KeyOf(t), t); err != nil {
			return nil, false, err
		}
	}
	return out, whole, nil
}

// ErrEnough ends a query when no more rows are wanted.
var ErrEnough = errors.New("enough was read")

// Counted returns a task as it counts now. A turn sweeps a lapsed lease.
func (tx *Tx) Counted(p *Project, ref int64, t *task.Task) (*task.Task, error) {
	if tx.member == nil {
		return t.At(tx.Now()), nil
	}
	tx.Fresh[ref] = true
	if t.Lapsed(tx.Now()) {
		return tx.expire(p, t)
	}
	return t, nil
}
