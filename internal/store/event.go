package store

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

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

// Events reads the log, oldest first: past SinceID or Since, else the newest.
func (r *Reader) Events(q task.EventQuery) ([]task.Event, error) {
	if q.By != "" && q.Task == "" {
		return r.eventsBy(q)
	}
	var of *project
	up, down := `id`, `id DESC` // how the log is walked
	var cond []string
	var args []any
	add := func(c string, v any) {
		args = append(args, v)
		cond = append(cond, c+"$"+strconv.Itoa(len(args)))
	}
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
		add(`task=`, ref)
	case q.Project != "":
		p, err := r.project(q.Project)
		if err != nil {
			return nil, err
		}
		of = p
		if q.Kind != "" {
			add(`project=`, p.id)
			break
		}
		// In an order that begins with the project there is one index alone that serves: by id, PostgreSQL would walk
		// past everybody's events for those of a quiet project. Of a pair SQLite seeks by the project alone, so it is told
		// the same again, in a form from which PostgreSQL does not conclude that the order by project is idle.
		var after int64
		if q.SinceID != nil {
			after = *q.SinceID
		}
		up, down = `project, id`, `project DESC, id DESC`
		cond = append(cond, `(project, id)>($1, $2)`, `(project, id)<=($1, $3)`, `project IS NOT DISTINCT FROM $1`, `id>$2`)
		args = append(args, p.id, after, int64(math.MaxInt64))
	default:
		c, ids, err := r.visible(`project`, len(args))
		if err != nil {
			return nil, err
		}
		switch {
		case c != "":
			cond, args = append(cond, c), append(args, ids...)
		case task.Kind(q.Kind).OfNoProject():
			add(`project=`, 0) // known, and it makes a seek of a walk over the whole log
		}
	}
	newest := q.SinceID == nil && q.Since == 0
	if q.SinceID != nil && up == `id` {
		add(`id>`, *q.SinceID)
	}
	if q.Since != 0 {
		add(`at>=`, int64(q.Since))
	}
	if q.Kind != "" {
		is, ok := kindIs(q.Kind)
		if !ok {
			return nil, nil
		}
		cond = append(cond, is)
		if q.Task == "" && q.Project != "" && !slices.Contains(manyKinds, task.Kind(q.Kind)) {
			cond = append(cond, strings.TrimPrefix(indexedKinds, ` AND `))
		}
	}
	if q.By != "" {
		c, more := byActor(q.By, len(args))
		cond, args = append(cond, c), append(args, more...)
	}
	sql := `SELECT ` + eventColumns + ` FROM event`
	if len(cond) > 0 {
		sql += ` WHERE ` + strings.Join(cond, ` AND `)
	}
	if newest {
		sql += ` ORDER BY ` + down
	} else {
		sql += ` ORDER BY ` + up
	}
	if q.Limit > 0 {
		sql += ` LIMIT ` + strconv.Itoa(q.Limit)
	}
	return r.events(of, sql, args, newest)
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
	err = r.c.Query(sql, args, func(row Row) error { return scanEvent(slugs, row, &out) })
	if newest {
		for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
			out[i], out[j] = out[j], out[i]
		}
	}
	return out, err
}

// scanEvent adds a row of the log, whose columns begin at at, to a list.
func scanEvent(slugs map[int64]string, row Row, out *[]task.Event) error {
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
