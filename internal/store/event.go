package store

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// Record adds events to a project and a task; either may be empty.
func (w *Writer) Record(slug string, id task.ID, ev ...task.Draft) error {
	for _, d := range ev {
		if _, err := w.record(slug, id, d); err != nil {
			return err
		}
	}
	return nil
}

// record adds one event and gives its id.
func (w *Writer) record(slug string, id task.ID, d task.Draft) (int64, error) {
	n, err := w.recordAs(w.by.Actor.Full(), w.via, slug, id, d)
	if err != nil || slug == "" || d.Kind == task.TaskClaimed || d.Kind == task.ClaimRenewed {
		return n, err
	}
	p, err := w.loaded(slug)
	if err != nil {
		return n, err
	}
	return n, w.acted(p, n)
}

func (w *Writer) recordAs(actor, via, slug string, id task.ID, d task.Draft) (int64, error) {
	args, err := w.eventArgs(actor, via, slug, id, d)
	if err != nil {
		return 0, err
	}
	n := w.turn.LastEvent
	if err := w.c.Exec(1, `INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9)`, args...); err != nil {
		return 0, err
	}
	return n, w.indexEvent(args[2].(int64), n, actor, d.Kind, args[6].(string))
}

const eventColumns = `id, at, project, task, actor, kind, payload, batch, via`

var eventCols = []string{"id", "at", "project", "task", "actor", "kind", "payload", "batch", "via"}

// eventArgs gives an event the next id of the turn, and its row.
func (w *Writer) eventArgs(actor, via, slug string, id task.ID, d task.Draft) ([]any, error) {
	var project, ref int64
	if slug != "" {
		p, err := w.loaded(slug) // a sweep records for projects that the writer does not see
		if err != nil {
			return nil, err
		}
		project = p.id
		if id != "" {
			_, n, _ := task.ParseID(string(id))
			ref = p.ref(n)
		}
	}
	payload, err := d.Payload.Encode()
	if err != nil {
		return nil, err
	}
	w.turn.LastEvent++
	n := w.turn.LastEvent
	if w.batch == 0 {
		w.batch = n
	}
	return []any{n, int64(w.Now()), project, ref, actor, string(d.Kind), string(payload), w.batch, via}, nil
}

// Events reads the log, oldest first: past SinceID or Since, else the newest; and only what is before BeforeID.
func (r *Reader) Events(q task.EventQuery) ([]task.Event, error) {
	if err := r.sinceID(&q); err != nil {
		return nil, err
	}
	if q.By != "" && q.Task == "" {
		return r.eventsBy(q)
	}
	w := logWalk{newest: q.SinceID == nil}
	var of *project
	indexed := q.Kind != "" && !slices.Contains(manyKinds, task.Kind(q.Kind))
	switch {
	case q.Task != "":
		p, ref, err := r.refOf(q.Task)
		if err != nil {
			return nil, err
		}
		if out, ok := r.eventsAhead(q); ok { // after refOf: what another reader asked for is not for everybody
			return out, nil
		}
		of = p
		w.along(`task`, ref)
	case q.Project != "":
		p, err := r.project(q.Project)
		if err != nil {
			return nil, err
		}
		of = p
		w.along(`project`, p.id)
		if indexed {
			w.along(`kind`, q.Kind)
			w.cond = append(w.cond, strings.TrimPrefix(indexedKinds, ` AND `))
		}
	default:
		c, ids, err := r.visible(`project`, 0)
		if err != nil {
			return nil, err
		}
		switch {
		case c != "":
			w.cond, w.args = append(w.cond, c), append(w.args, ids...)
		case task.Kind(q.Kind).OfNoProject():
			w.along(`project`, 0) // known, and it makes a seek of a walk over the whole log
		}
	}
	if q.Kind != "" {
		is, ok := kindIs(q.Kind)
		if !ok {
			return nil, nil
		}
		if !slices.Contains(w.lead, `kind`) {
			w.cond = append(w.cond, is)
		}
	}
	if q.By != "" {
		c, more := byActor(q.By, len(w.args))
		w.cond, w.args = append(w.cond, c), append(w.args, more...)
	}
	sql, args := w.statement(q, eventColumns, db.ByStatistics(r.c))
	return r.events(of, sql, args, w.newest)
}

// logWalk is a walk of the log, by id among the events that have the same values in the leading columns of an index.
type logWalk struct {
	lead   []string
	values []any
	cond   []string // what else holds, with its arguments
	args   []any
	newest bool // from the newest on
}

func (w *logWalk) along(column string, v any) {
	w.lead, w.values = append(w.lead, column), append(w.values, v)
}

// statement makes the walk one between two places of the index. Told that a column equals something, PostgreSQL would
// also walk by id past everybody's events for those of a quiet project: for it a leading column stands in the places,
// and one index alone gives the order. It ends a walk where the first column of a place changes, so of two leading
// columns the second stands there. SQLite would not see an id at the end of a place.
func (w *logWalk) statement(q task.EventQuery, give string, inPlaces bool) (string, []any) {
	after, until := int64(0), int64(math.MaxInt64)
	if q.SinceID != nil {
		after = *q.SinceID
	}
	if q.BeforeID != nil {
		until = *q.BeforeID - 1
	}
	cond, args, place := slices.Clone(w.cond), slices.Clone(w.args), []string{}
	add := func(v any) string {
		args = append(args, v)
		return `$` + strconv.Itoa(len(args))
	}
	equal := len(w.lead) // how many leading columns are told to equal something
	if inPlaces {
		equal = max(0, len(w.lead)-1)
	}
	for i, column := range w.lead {
		v := add(w.values[i])
		if i < equal {
			cond = append(cond, column+`=`+v)
		} else {
			place = append(place, v+`, `)
		}
	}
	columns, lead := append(slices.Clone(w.lead[equal:]), `id`), strings.Join(place, ``)
	at, direction := strings.Join(columns, `, `), ``
	cond = append(cond, `(`+at+`)>(`+lead+add(after)+`)`, `(`+at+`)<=(`+lead+add(until)+`)`)
	if w.newest {
		direction = ` DESC`
	}
	sql := `SELECT ` + give + ` FROM event WHERE ` + strings.Join(cond, ` AND `) + ` ORDER BY ` + strings.Join(columns, direction+`, `) + direction
	if q.Limit > 0 {
		sql += ` LIMIT ` + strconv.Itoa(q.Limit)
	}
	return sql, args
}

// sinceID makes an id of the time that a query asks from. Ids and times grow together, so the last event before a time
// is found by halving: a row for each step, in one statement. Of a project that was deleted the log has no event: a step
// looks at the next one that is there.
func (r *Reader) sinceID(q *task.EventQuery) error {
	if q.Since == 0 {
		return nil
	}
	const next = `(SELECT e.at FROM event e WHERE e.id>(s.low+s.high)/2 ORDER BY e.id LIMIT 1)`
	var last int64
	err := r.c.Query(`WITH RECURSIVE s(low, high) AS (
			SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT)
			UNION ALL SELECT CASE WHEN `+next+`<$3 THEN (s.low+s.high)/2+1 ELSE s.low END,
				CASE WHEN `+next+`<$3 THEN s.high ELSE (s.low+s.high)/2 END FROM s WHERE s.low<s.high)
		SELECT low FROM s WHERE low>=high`, []any{0, r.LastEvent(), int64(q.Since)}, func(row db.Row) error {
		last = row.Int(0)
		return nil
	})
	if q.SinceID != nil {
		last = max(last, *q.SinceID)
	}
	q.Since, q.SinceID = 0, &last
	return err
}

func byActor(actor string, args int) (string, []any) {
	at := func(i int) string { return "$" + strconv.Itoa(args+i) }
	if strings.Contains(actor, "/") {
		return `actor=` + at(1), []any{actor}
	}
	return `(actor=` + at(1) + ` OR (actor>` + at(2) + ` AND actor<` + at(3) + `))`, []any{actor, actor + "/", actor + "0"}
}

// events reads rows of the log: all of one project's, or of any where it is nil.
func (r *Reader) events(of *project, sql string, args []any, newest bool) ([]task.Event, error) {
	var slugs map[int64]string
	var err error
	if of != nil {
		slugs = map[int64]string{of.id: of.rec.Slug}
	} else if slugs, err = r.slugs(); err != nil {
		return nil, err
	}
	var out []task.Event
	err = r.c.Query(sql, args, func(row db.Row) error { return scanEvent(slugs, row, &out) })
	if newest {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out, err
}

// scanEvent adds a row of the log, whose columns begin at at, to a list.
func scanEvent(slugs map[int64]string, row db.Row, out *[]task.Event) error {
	ev := task.Event{
		ID: row.Int(0), At: task.Time(row.Int(1)), Actor: row.Text(4), Kind: task.Kind(row.Text(5)),
		Payload: bytes.Clone(row.Bytes(6)), Batch: row.Int(7),
	}
	if slug := slugs[row.Int(2)]; slug != "" {
		ev.Project = task.Opt(slug)
		if ref := row.Int(3); ref != 0 {
			ev.Task = task.Opt(task.MakeID(slug, number(ref)))
		}
	}
	*out = append(*out, ev)
	return decodeVia(row.Text(8), &(*out)[len(*out)-1].Via)
}

// encodeVia keeps face, request and session apart by a character that none of them holds.
func encodeVia(v task.Via) string {
	return v.Face + "\x1f" + string(v.RequestID) + "\x1f" + string(v.Session)
}

func decodeVia(s string, v *task.Via) error {
	face, rest, _ := strings.Cut(s, "\x1f")
	request, session, ok := strings.Cut(rest, "\x1f")
	if !ok || strings.Contains(session, "\x1f") {
		return fault.New(fault.Internal, "an event's via reads %q", s)
	}
	v.Face, v.RequestID, v.Session = face, task.Opt(request), task.Opt(session)
	return nil
}
