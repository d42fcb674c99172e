package frontier

import (
	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Pages are an optimisation: a lane with several places is merged by its keys first, and then the tasks of a page are
// read at once. Read along the way, many tasks of each place would not be on the page: without pages, "GET ready" of
// make bench, whose tasks have seven route classes, takes 27 % more processor time and allocates 30 % more (PostgreSQL:
// 12 % and 27 %). To remove them, make pages report false.

// pages reports whether a walk may be read in pages. Walks in a turn and walks without a limit are not.
func (f *Frontier) pages(q query.Frontier) bool { return f.turn == nil && q.Limit > 0 }

// keysForm makes a walk read only keys.
const keysForm query.Form = -1

// keysOf returns the first steps of a lane with only their keys, except that lapsed tasks come with their record.
func (f *Frontier) keysOf(p *Project, q query.Frontier, k storedOrder, lapsed []*task.Task) ([]*step, error) {
	q.Form = keysForm
	m, err := f.streams(p, q, k, lapsed, false)
	if err != nil {
		return nil, err
	}
	return m.head(p, q.Limit, lapsed)
}

// head returns the first steps of a lane whose streams read only keys. A row's place is right for every task except the
// lapsed ones, which are known and come with their record from where they are now.
func (m *merged) head(p *Project, limit int, lapsed []*task.Task) ([]*step, error) {
	gone := make(map[int64]bool, len(lapsed))
	for _, t := range lapsed {
		gone[p.key(t)] = true
	}
	steps := make([]*step, 0, min(limit, 50))
	for len(steps) < limit {
		s, err := m.next()
		if err != nil || s == nil {
			return steps, err
		}
		if s.rec != nil || !gone[s.task] {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

// page yields the tasks of a lane with several streams, page by page. It merges keys first and then reads only the
// tasks of the page; read along the way, most tasks of each stream would not be on it.
func (f *Frontier) page(p *Project, q query.Frontier, m *merged, lapsed []*task.Task, yield func(*task.Task) bool) error {
	for {
		steps, err := m.head(p, q.Limit, lapsed)
		if err != nil || len(steps) == 0 {
			return err
		}
		var refs []int64
		for _, s := range steps {
			if s.rec == nil {
				refs = append(refs, s.task)
			}
		}
		found, err := f.inForm(p, q.Form, refs)
		if err != nil {
			return err
		}
		for _, s := range steps {
			if s.rec == nil {
				s.rec = found[s.task]
				s.rec.PreferredActor = task.Opt(s.pref)
			}
			if !yield(s.rec) {
				return nil
			}
		}
	}
}

// inForm reads tasks of a project in a form, without their preferred actor.
func (f *Frontier) inForm(p *Project, as query.Form, refs []int64) (map[int64]*task.Task, error) {
	form, scan := &forms[as], rows.Scanner{Slug: p.Rec.Slug, Limit: len(refs)}
	out := make(map[int64]*task.Task, len(refs))
	return out, db.EachIn(f.c, `SELECT `+form.cols+` FROM task t`+form.join+` WHERE t.id IN KEYS`, refs, func(row db.Row) error {
		t := scan.Task()
		out[rows.Ref(row)] = t
		return form.scan(&scan, row, t)
	})
}
