package store

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// eventsBy returns the events of an actor: under exactly its name if it has an instance, else under every instance. The
// index is by project and actor, so each name is read as one stream: one seek for each, plus the rows returned.
func (tx *Tx) eventsBy(q query.Events) ([]task.Event, error) {
	projects, err := tx.logsOf(q.Project)
	if err != nil {
		return nil, err
	}
	m := eventMerge{tx: tx, q: q, newest: q.SinceID == nil}
	for _, p := range projects {
		names, err := tx.instances(p, q.By)
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
	slugs, err := tx.SlugsByID()
	if err != nil {
		return nil, err
	}
	direction := ``
	if m.newest {
		direction = ` DESC`
	}
	var out []task.Event
	taken := query.Page{Records: q.Limit, Bytes: q.Bytes}.Taken()
	for len(ids) > 0 {
		some := ids
		if n := taken.Run(); n > 0 {
			some = ids[:min(len(ids), n)]
		}
		ids = ids[len(some):]
		err := db.Batches(some, func(run []any) error {
			found, whole, err := tx.eventsWhile(slugs, taken, `SELECT `+rows.EventColumns+` FROM event WHERE id IN `+db.In(1, len(run))+
				` ORDER BY id`+direction, run)
			if out = append(out, found...); err == nil && !whole {
				return ErrEnough
			}
			return err
		})
		if errors.Is(err, ErrEnough) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if m.newest {
		slices.Reverse(out)
	}
	return out, nil
}

// logsOf returns the ids of the projects whose log is read: one, or all visible ones. If all projects are visible, it
// includes 0, for events that belong to no project.
func (tx *Tx) logsOf(slug string) ([]int64, error) {
	if slug != "" {
		project, err := tx.projectKey(slug)
		return []int64{project}, err
	}
	ids, all, err := tx.visible()
	if err != nil || !all {
		return ids, err
	}
	slugs, err := tx.SlugsByID()
	return append([]int64{0}, slices.Sorted(maps.Keys(slugs))...), err
}

// instances returns the names that an actor used in a project, with one seek for each.
func (tx *Tx) instances(project int64, actor string) ([]string, error) {
	out := []string{actor}
	if strings.Contains(actor, "/") {
		return out, nil
	}
	for after := actor + "/"; ; {
		next, err := db.Value[string](tx.C, `SELECT MIN(actor) FROM event WHERE project=$1 AND actor>$2 AND actor<$3`, project, after, actor+"0")
		if err != nil || next == "" {
			return out, err
		}
		out, after = append(out, next), next
	}
}

// eventMerge merges streams of events by id, ascending or descending.
type eventMerge struct {
	tx      *Tx
	q       query.Events
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

// take returns the next ids, up to n of them if n is above 0.
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

// fill reads the next chunk of an exhausted stream.
func (m *eventMerge) fill(s *eventStream, chunk int) error {
	if len(s.ids) > 0 || s.done {
		return nil
	}
	w, q := logWalk{newest: m.newest}, m.q
	w.along(`project`, s.project)
	w.along(`actor`, s.actor)
	if q.Kind != "" {
		w.cond = []string{`kind=` + w.args.add(q.Kind)}
	}
	q.Limit = chunk
	if s.begun && m.newest {
		q.BeforeID = &s.last
	} else if s.begun {
		q.SinceID = &s.last
	}
	sql, args := w.statement(q, `id`, m.tx.C.ByStatistics())
	ids, err := db.Values[int64](m.tx.C, sql, args...)
	s.ids, s.begun, s.done = ids, true, len(ids) < chunk
	if len(ids) > 0 {
		s.last = ids[len(ids)-1]
	}
	return err
}
