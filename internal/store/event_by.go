package store

import (
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/task"
)

// eventsBy reads what an actor did: under exactly its name where it has an instance, else under any instance of it.
// The log lies by actor, so it is read as one stream for each name, and costs what is answered and a seek for each.
func (r *Reader) eventsBy(q task.EventQuery) ([]task.Event, error) {
	projects, err := r.logsOf(q.Project)
	if err != nil {
		return nil, err
	}
	m := eventMerge{r: r, q: q, newest: q.SinceID == nil}
	for _, p := range projects {
		names, err := r.instances(p, q.By)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			m.streams = append(m.streams, &eventStream{project: p, actor: name})
		}
	}
	ids, err := m.take(q.Limit)
	if err != nil {
		return nil, err
	}
	found, err := r.EventsByID(ids)
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	out := make([]task.Event, len(ids))
	for i, id := range ids {
		out[i] = found[id]
	}
	return out, nil
}

// logsOf are the projects whose log is read: one, or all that may be seen, and with all of them what is of none.
func (r *Reader) logsOf(slug string) ([]int64, error) {
	if slug != "" {
		p, err := r.project(slug)
		if err != nil {
			return nil, err
		}
		return []int64{p.id}, nil
	}
	c, args, err := r.visible(`id`, 0)
	if err != nil {
		return nil, err
	}
	sql, out := `SELECT id FROM project`, []int64{}
	if c != "" {
		sql += ` WHERE ` + c
	} else {
		out = append(out, 0)
	}
	return out, r.c.Query(sql+` ORDER BY id`, args, func(row db.Row) error {
		out = append(out, row.Int(0))
		return nil
	})
}

// instances are the names under which an actor wrote to a project: a seek for each.
func (r *Reader) instances(project int64, actor string) ([]string, error) {
	out := []string{actor}
	if strings.Contains(actor, "/") {
		return out, nil
	}
	for after := actor + "/"; ; {
		next := ""
		err := r.c.Query(`SELECT MIN(actor) FROM event WHERE project=$1 AND actor>$2 AND actor<$3`, []any{project, after, actor + "0"}, func(row db.Row) error {
			if !row.Null(0) {
				next = row.Text(0)
			}
			return nil
		})
		if err != nil || next == "" {
			return out, err
		}
		out, after = append(out, next), next
	}
}

// eventMerge takes the events of several streams in the order of the log, or newest first.
type eventMerge struct {
	r       *Reader
	q       task.EventQuery
	newest  bool
	streams []*eventStream
}

// eventStream is the events of one name in one project.
type eventStream struct {
	project int64
	actor   string
	ids     []int64
	last    int64
	begun   bool
	done    bool
}

// take gives the first ids, at most n of them where n is above 0.
func (m *eventMerge) take(n int) ([]int64, error) {
	chunk := 512
	if n > 0 {
		chunk = min(chunk, 1+2*n/max(len(m.streams), 1))
	}
	var out []int64
	for n == 0 || len(out) < n {
		var best *eventStream
		for _, s := range m.streams {
			if err := m.fill(s, chunk); err != nil {
				return nil, err
			}
			if len(s.ids) > 0 && (best == nil || (s.ids[0] > best.ids[0]) == m.newest) {
				best = s
			}
		}
		if best == nil {
			break
		}
		out = append(out, best.ids[0])
		best.ids = best.ids[1:]
	}
	return out, nil
}

// fill reads on when nothing is left of a stream.
func (m *eventMerge) fill(s *eventStream, chunk int) error {
	if len(s.ids) > 0 || s.done {
		return nil
	}
	w, q := logWalk{newest: m.newest}, m.q
	w.along(`project`, s.project)
	w.along(`actor`, s.actor)
	if q.Kind != "" {
		w.cond, w.args = []string{`kind=$1`}, []any{q.Kind}
	}
	q.Limit = chunk
	if s.begun && m.newest {
		q.BeforeID = &s.last
	} else if s.begun {
		q.SinceID = &s.last
	}
	sql, args := w.statement(q, `id`, db.ByStatistics(m.r.c))
	err := m.r.c.Query(sql, args, func(row db.Row) error {
		s.last = row.Int(0)
		s.ids = append(s.ids, s.last)
		return nil
	})
	s.begun, s.done = true, len(s.ids) < chunk
	return err
}
