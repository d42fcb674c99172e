package tx

import (
	"errors"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Load returns a task as it counts now, or not found.
func (r *Tx) Load(id task.ID) (*task.Task, error) {
	p, ref, err := r.KeyOf(id)
	if err != nil {
		return nil, err
	}
	t, err := r.One(p, `SELECT `+rows.TaskColumns+` FROM task WHERE id=$1`, ref)
	if err == nil && t == nil {
		return nil, p.NoTask(id)
	}
	return t, err
}

// One returns the task of a statement, or nil. In a turn a lapsed lease is swept first.
func (r *Tx) One(p *Project, sql string, args ...any) (*task.Task, error) {
	found, err := r.Some(p, sql, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Some returns the tasks of a statement, all of one project, as they count now. In a turn lapsed leases are swept.
func (r *Tx) Some(p *Project, sql string, args ...any) ([]*task.Task, error) {
	out, _, err := r.SomeWhile(p, func(*task.Task) bool { return true }, sql, args...)
	return out, err
}

// SomeWhile is Some up to the first task that take does not want; whole reports that there was none.
func (r *Tx) SomeWhile(p *Project, take func(*task.Task) bool, sql string, args ...any) (out []*task.Task, whole bool, err error) {
	s := rows.Scanner{Slug: p.Rec.Slug}
	err = r.C.Query(sql, args, func(row db.Row) error {
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
		if out[i], err = r.Counted(p, p.KeyOf(t), t); err != nil {
			return nil, false, err
		}
	}
	return out, whole, nil
}

// ErrEnough ends a query whose further rows nobody wants.
var ErrEnough = errors.New("enough was read")

// Counted returns a task as it counts now. In a turn a lapsed lease is swept.
func (r *Tx) Counted(p *Project, ref int64, t *task.Task) (*task.Task, error) {
	if r.Member == nil {
		return t.At(r.Now()), nil
	}
	r.Member.Fresh[ref] = true
	if t.Lapsed(r.Now()) {
		return r.Member.expire(p, t)
	}
	return t, nil
}
