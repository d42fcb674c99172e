package frontier

import (
	"bytes"

	"tasker/internal/task"
)

// spot is one frontier row of a task under one order.
type spot struct {
	route  int64
	k1, k2 []byte
	pref   string
}

// level reports whether two spots have the same sort key, whatever their routes.
func (s spot) level(o spot) bool {
	return s.pref == o.pref && bytes.Equal(s.k1, o.k1) && bytes.Equal(s.k2, o.k2)
}

// Move moves the rows of a task to its new place, after the events of the change, and returns both places. before must
// be the record that the rows were written from: if a row is not found, the write fails, because the frontier is wrong.
func (f *Frontier) Move(p *Project, before, after *task.Task) (from, to Place, err error) {
	from = Nowhere
	if before != nil {
		if from, err = f.place(p, before); err != nil {
			return from, to, err
		}
	}
	if to, err = f.place(p, after); err != nil || from == Nowhere && to == Nowhere {
		return from, to, err
	}
	if err := f.Know(p); err != nil {
		return from, to, err
	}
	id := p.key(after)
	f.cursor.moved(f, id, to)
	for _, k := range p.orders {
		var old, now spot
		if from != Nowhere {
			old = spotOf(k, from, before)
		}
		if to != Nowhere {
			now = spotOf(k, to, after)
		}
		level := old.level(now)
		if from == to && level {
			continue
		}
		switch {
		case to == Nowhere:
			err = f.c.Exec(1, `DELETE FROM frontier WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, old.route, old.k1, old.pref, old.k2, id)
		case from == Nowhere:
			err = f.c.Exec(1, `INSERT INTO frontier (policy, route, k1, pref, k2, task) VALUES ($1,$2,$3,$4,$5,$6)`,
				k.id, now.route, now.k1, now.pref, now.k2, id)
		case level:
			err = f.c.Exec(1, `UPDATE frontier SET route=$7
				WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, old.route, old.k1, old.pref, old.k2, id, now.route)
		default:
			err = f.c.Exec(1, `UPDATE frontier SET route=$7, k1=$8, pref=$9, k2=$10
				WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, old.route, old.k1, old.pref, old.k2, id, now.route, now.k1, now.pref, now.k2)
		}
		if err != nil {
			return from, to, err
		}
	}
	return from, to, nil
}

// Insert writes the rows of new tasks and returns the place of each.
func (f *Frontier) Insert(p *Project, tasks []task.NewTask, keys []int64) ([]Place, error) {
	if err := f.Know(p); err != nil {
		return nil, err
	}
	places := make([]Place, len(tasks))
	var standing [][]any
	for i := range tasks {
		t := tasks[i].Task
		var err error
		if places[i], err = f.place(p, t); err != nil {
			return nil, err
		}
		if places[i] == Nowhere {
			continue
		}
		for _, k := range p.orders {
			standing = append(standing, frontierRow(k, places[i], keys[i], t))
		}
	}
	return places, f.c.Bulk("frontier", frontierCols, len(standing), func(i int) []any { return standing[i] })
}

func spotOf(k storedOrder, route int64, t *task.Task) spot {
	k1, k2 := k.order.SortKey(t)
	return spot{route: route, k1: k1, k2: k2, pref: string(t.PreferredActor)}
}
