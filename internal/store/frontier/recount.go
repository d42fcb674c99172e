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

// Recount compares every row of every stored order with the tasks of a project, which it is given one by one. Of the rows it
// holds a sum each, and reads those again that differ.
type Recount struct {
	f      *Frontier
	p      *Project
	stored []map[int64]uint64  // by order: of each task that has rows and was not given yet, the sum of them
	wrong  []map[int64]correct // by order: the tasks whose rows differ
}

// correct is the row that a task should have, in words; empty for none.
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
		err := f.rows(k, func(route int64, k1 []byte, pref string, k2 []byte, ref int64) { sums[ref] += sum(route, k1, pref, k2) })
		if err != nil {
			return nil, err
		}
		r.stored, r.wrong = append(r.stored, sums), append(r.wrong, map[int64]correct{})
	}
	return r, nil
}

// rows reads the rows of an order.
func (f *Frontier) rows(k storedOrder, row func(route int64, k1 []byte, pref string, k2 []byte, ref int64)) error {
	return f.c.Query(`SELECT route, k1, pref, k2, task FROM frontier WHERE policy=$1`, []any{k.id}, db.Scan5(func(route int64, k1 []byte, pref string,
		k2 []byte, ref int64) error {
		row(route, k1, pref, k2, ref)
		return nil
	}))
}

// sum makes one number of a row.
func sum(route int64, k1 []byte, pref string, k2 []byte) uint64 {
	h := fnv.New64a()
	var b []byte
	b = binary.AppendVarint(b, route)
	for _, part := range [][]byte{k1, []byte(pref), k2} {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	_, _ = h.Write(b) // a hash takes everything
	return h.Sum64()
}

// inWords says what a row holds.
func inWords(route int64, k1 []byte, pref string, k2 []byte) string {
	return fmt.Sprintf("route %d, %x, %q, %x", route, k1, pref, k2)
}

// Add compares the rows of a task.
func (r *Recount) Add(key int64, t *task.Task) {
	at := r.p.PlaceOf(t)
	for i, k := range r.p.orders {
		is, want, row := r.stored[i][key], uint64(0), ""
		delete(r.stored[i], key)
		if at != Nowhere {
			k1, k2 := k.order.SortKey(t)
			if want = sum(at, k1, string(t.PreferredActor), k2); is != want {
				row = inWords(at, k1, string(t.PreferredActor), k2)
			}
		}
		if is != want {
			r.wrong[i][key] = correct{t.ID, row}
		}
	}
}

// End calls differ with what differs; the id is empty for a row without a task.
func (r *Recount) End(differ func(id task.ID, what string, stored, counted any)) error {
	for i, k := range r.p.orders {
		wrong, missing := r.wrong[i], r.stored[i]
		if len(wrong)+len(missing) == 0 {
			continue
		}
		stored := map[int64][]string{}
		err := r.f.rows(k, func(route int64, k1 []byte, pref string, k2 []byte, ref int64) {
			_, isWrong := wrong[ref]
			if _, isMissing := missing[ref]; isWrong || isMissing {
				stored[ref] = append(stored[ref], inWords(route, k1, pref, k2))
			}
		})
		if err != nil {
			return err
		}
		for _, key := range sortedKeys(wrong) {
			found := stored[key]
			slices.Sort(found)
			got := ""
			if len(found) > 0 {
				got = fmt.Sprint(found)
				if len(found) == 1 {
					got = found[0]
				}
			}
			differ(wrong[key].id, "frontier row by "+k.order.String(), got, wrong[key].row)
		}
		for _, key := range sortedKeys(missing) {
			differ("", fmt.Sprintf("frontier row of the missing task %d by %s", rows.Number(key), k.order), fmt.Sprint(stored[key]), "")
		}
	}
	return nil
}

// Rebuild writes the rows of every stored order of a project anew, in a turn.
func (f *Frontier) Rebuild(p *Project) error {
	if err := f.Know(p); err != nil {
		return err
	}
	for _, k := range p.orders {
		if err := f.c.Exec(db.Any, `DELETE FROM frontier WHERE policy=$1`, k.id); err != nil {
			return err
		}
		if err := f.build(p, k); err != nil {
			return err
		}
	}
	return nil
}
