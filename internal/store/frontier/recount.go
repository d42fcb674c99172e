package frontier

import (
	"fmt"
	"slices"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Recount compares every row of every stored order with all tasks of a project, by key. It calls differ with every
// pair of values; t is nil for a row without a task.
func (f *Frontier) Recount(p *Project, tasks map[int64]*task.Task, differ func(t *task.Task, what string, stored, counted any)) error {
	if err := f.Know(p); err != nil {
		return err
	}
	for _, k := range p.orders {
		stored := map[int64][]string{}
		err := f.c.Query(`SELECT route, k1, pref, k2, task FROM frontier WHERE policy=$1`, []any{k.id}, db.Scan5(func(route int64, k1 []byte, pref string,
			k2 []byte, ref int64) error {
			s := fmt.Sprintf("route %d, %x, %q, %x", route, k1, pref, k2)
			stored[ref] = append(stored[ref], s)
			return nil
		}))
		if err != nil {
			return err
		}
		for _, key := range sortedKeys(tasks) {
			t := tasks[key]
			want := ""
			if at := p.PlaceOf(t); at != Nowhere {
				k1, k2 := k.order.SortKey(t)
				want = fmt.Sprintf("route %d, %x, %q, %x", at, k1, string(t.PreferredActor), k2)
			}
			found := stored[key]
			slices.Sort(found)
			got := ""
			if len(found) > 0 {
				got = fmt.Sprint(found)
				if len(found) == 1 {
					got = found[0]
				}
			}
			differ(t, "frontier row by "+k.order.String(), got, want)
			delete(stored, key)
		}
		for _, key := range sortedKeys(stored) {
			differ(nil, fmt.Sprintf("frontier row of the missing task %d by %s", rows.Number(key), k.order), fmt.Sprint(stored[key]), "")
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
