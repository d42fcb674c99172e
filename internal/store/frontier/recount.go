package frontier

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Recount compares every row of every stored order with the tasks of a project, which it gets one by one. It holds one
// checksum per row, and reads again the rows that differ.
type Recount struct {
	f      *Frontier
	p      *Project
	stored []map[int64]uint64  // by order: the checksum of the rows of each task that was not added yet
	wrong  []map[int64]correct // by order: the tasks whose rows differ
}

// correct is the row that a task should have, as text; empty if it should have none.
type correct struct {
	id  task.ID
	row string
}

// NewRecount reads the rows of a project.
func (f *Frontier) NewRecount(p *Project) (*Recount, error) {
	if err := f.Know(p); err != nil {
		return nil, err
	}
	r := &Recount{f: f, p: p}
	for _, k := range p.orders {
		sums := map[int64]uint64{}
		err := f.rows(k, func(ref int64, s spot) { sums[ref] += s.sum() })
		if err != nil {
			return nil, err
		}
		r.stored, r.wrong = append(r.stored, sums), append(r.wrong, map[int64]correct{})
	}
	return r, nil
}

// rows reads the rows of an order. Their keys are valid until row returns.
func (f *Frontier) rows(k storedOrder, row func(ref int64, s spot)) error {
	return f.c.Query(`SELECT route, k1, pref, k2, task FROM frontier WHERE policy=$1`, []any{k.id}, db.Scan5(func(route int64, k1 []byte, pref string,
		k2 []byte, ref int64) error {
		row(ref, spot{route: route, k1: k1, k2: k2, pref: pref})
		return nil
	}))
}

// sum returns the checksum of a row.
func (s spot) sum() uint64 {
	h := fnv.New64a()
	var b []byte
	b = binary.AppendVarint(b, s.route)
	for _, part := range [][]byte{s.k1, []byte(s.pref), s.k2} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	_, _ = h.Write(b) // a hash never fails to write
	return h.Sum64()
}

// String returns the row as text.
func (s spot) String() string {
	return fmt.Sprintf("route %d, %x, %q, %x", s.route, s.k1, s.pref, s.k2)
}

// Add compares the rows of a task.
func (r *Recount) Add(key int64, t *task.Task) {
	at := r.p.PlaceOf(t)
	for i, k := range r.p.orders {
		is, want, row := r.stored[i][key], uint64(0), ""
		delete(r.stored[i], key)
		if at != Nowhere {
			s := spotOf(k, at, t)
			if want = s.sum(); is != want {
				row = s.String()
			}
		}
		if is != want {
			r.wrong[i][key] = correct{t.ID, row}
		}
	}
}

// Mend repairs the rows of a task under one order, in a turn. t is the task as it is then, or nil if it does not exist.
type Mend func(f *Frontier, p *Project, t *task.Task) error

// End calls differ for each difference; the id is empty for a row without a task.
func (r *Recount) End(differ func(id task.ID, key int64, what string, stored, counted any, mend Mend)) error {
	for i, k := range r.p.orders {
		wrong, missing := r.wrong[i], r.stored[i]
		if len(wrong)+len(missing) == 0 {
			continue
		}
		stored := map[int64][]spot{}
		err := r.f.rows(k, func(ref int64, s spot) {
			_, isWrong := wrong[ref]
			if _, isMissing := missing[ref]; isWrong || isMissing {
				s.k1, s.k2 = slices.Clone(s.k1), slices.Clone(s.k2)
				stored[ref] = append(stored[ref], s)
			}
		})
		if err != nil {
			return err
		}
		for _, key := range sortedKeys(wrong) {
			found := said(stored[key])
			got := ""
			if len(found) > 0 {
				got = fmt.Sprint(found)
				if len(found) == 1 {
					got = found[0]
				}
			}
			differ(wrong[key].id, key, "frontier row by "+k.order.String(), got, wrong[key].row, replacing(k, key, stored[key]))
		}
		for _, key := range sortedKeys(missing) {
			differ("", key, fmt.Sprintf("frontier row of the missing task %d by %s", rows.Number(key), k.order), fmt.Sprint(said(stored[key])), "",
				replacing(k, key, stored[key]))
		}
	}
	return nil
}

// said returns rows as text, in order.
func said(rows []spot) []string {
	out := make([]string, len(rows))
	for i, s := range rows {
		out[i] = s.String()
	}
	slices.Sort(out)
	return out
}

// replacing returns a Mend that replaces the rows found by a recount with the one row that a task should have. Whatever
// was written since, the row follows from the task as it is now.
func replacing(k storedOrder, key int64, found []spot) Mend {
	return func(f *Frontier, p *Project, t *task.Task) error {
		if err := f.Know(p); err != nil {
			return err
		}
		if !slices.ContainsFunc(p.orders, func(o storedOrder) bool { return o.id == k.id && o.order.Same(k.order) }) {
			return nil // another order has taken its place, with its own rows
		}
		to := Nowhere
		if t != nil {
			var err error
			if to, err = f.place(p, t); err != nil {
				return err
			}
		}
		f.cursor.moved(f, key, to)
		gone := found
		if to != Nowhere {
			gone = append(slices.Clone(found), spotOf(k, to, t))
		}
		for _, s := range gone {
			db.Exec(f.c, db.Any, `DELETE FROM frontier WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, s.route, s.k1, s.pref, s.k2, key)
		}
		if to == Nowhere {
			return nil
		}
		now := gone[len(gone)-1]
		return f.c.Exec(1, `INSERT INTO frontier (policy, route, k1, pref, k2, task) VALUES ($1,$2,$3,$4,$5,$6)`,
			k.id, now.route, now.k1, now.pref, now.k2, key)
	}
}

// Rebuild writes the rows of every stored order of a project again, in a turn.
func (f *Frontier) Rebuild(p *Project) error {
	if err := f.Know(p); err != nil {
		return err
	}
	for _, k := range p.orders {
		db.Exec(f.c, db.Any, `DELETE FROM frontier WHERE policy=$1`, k.id)
		if err := f.build(p, k); err != nil {
			return err
		}
	}
	return nil
}
