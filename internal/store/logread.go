package store

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// LastRestore returns the event of the last restore, or nil. Every caller sees it, whatever else the caller may see.
func (tx *Tx) LastRestore() (*task.Event, error) { return tx.lastOf(task.DatabaseRestored) }

// Gap returns the gap in the ids of events that a position is in, or nil. A gap is left where a part of the log was lost: the
// ids in it are never given out again.
func (tx *Tx) Gap(after int64) (*query.Gap, error) {
	if tx.Generation() <= 1 {
		return nil, nil
	}
	ev, err := db.First(tx.C, `SELECT `+rows.EventColumns+` FROM event WHERE project=0 AND `+tx.rare(kindIs(task.DatabaseRestored))+` AND id>$1 ORDER BY id LIMIT 1`,
		[]any{after}, rows.Of("", rows.ReadEvent))
	if err != nil || ev == nil {
		return nil, err
	}
	var of struct {
		Last int64          `json:"lastEvent"`
		Lost jsontext.Value `json:"lost"`
	}
	if err := json.Unmarshal(ev.Payload, &of); err != nil || of.Lost == nil || after <= of.Last || after >= ev.ID-1 {
		return nil, err
	}
	return &query.Gap{Last: of.Last, Next: ev}, nil
}

// lastOf returns the newest event of a kind that belongs to no project, or nil.
func (tx *Tx) lastOf(kind task.Kind) (*task.Event, error) {
	return db.First(tx.C, `SELECT `+rows.EventColumns+` FROM event WHERE project=0 AND `+tx.rare(kindIs(kind))+` ORDER BY id DESC LIMIT 1`, nil,
		rows.Of("", rows.ReadEvent))
}

// Events returns events, oldest first: those after SinceID or Since, or else the newest. With BeforeID, it returns only
// earlier ones.
func (tx *Tx) Events(q query.Events) ([]task.Event, error) {
	if err := tx.sinceID(&q); err != nil {
		return nil, err
	}
	if q.By != "" && q.Task == "" {
		return tx.eventsBy(q)
	}
	out, _, err := tx.along(q)
	return out, err
}

// along walks the index that fits a query best, and returns whether there may be more events than fit the page.
func (tx *Tx) along(q query.Events) (events []task.Event, more bool, err error) {
	w := logWalk{newest: q.SinceID == nil}
	slugs, err := tx.narrow(&w, q)
	if err != nil {
		return nil, false, err
	}
	if kind := task.Kind(q.Kind); kind != "" {
		if !slices.Contains(task.Kinds, kind) {
			return nil, false, nil
		}
		if !slices.Contains(w.lead, `kind`) {
			w.cond = append(w.cond, kindIs(kind))
		}
	}
	if q.By != "" {
		w.cond = append(w.cond, w.args.named(`actor`, q.By, false))
	}
	return tx.page(slugs, &w, q)
}

// page returns the events of a walk that fit a page, oldest first, and whether there may be more.
func (tx *Tx) page(slugs map[int64]string, w *logWalk, q query.Events) (out []task.Event, more bool, err error) {
	taken := query.Page{Records: q.Limit, Bytes: q.Bytes}.Taken()
	for {
		q.Limit = taken.Run()
		sql, args := w.statement(q, rows.EventColumns, tx.C.ByStatistics())
		run, whole, err := tx.eventsWhile(slugs, taken, sql, args)
		if err != nil {
			return nil, false, err
		}
		out = append(out, run...)
		more = !whole || taken.Full()
		if more || q.Limit == 0 || len(run) < q.Limit {
			break
		}
		if last := run[len(run)-1].ID; w.newest {
			q.BeforeID = &last
		} else {
			q.SinceID = &last
		}
	}
	if w.newest {
		slices.Reverse(out)
	}
	return out, more, nil
}

// narrow chooses the index of a walk. It returns the slug of the project that the events belong to, by its id, or nil
// if they may belong to several.
func (tx *Tx) narrow(w *logWalk, q query.Events) (map[int64]string, error) {
	switch {
	case q.Task != "":
		p, key, err := tx.KeyOf(q.Task)
		if err != nil {
			return nil, err
		}
		w.along(`task`, key)
		return map[int64]string{p.ID: p.Rec.Slug}, nil
	case q.Project != "":
		project, err := tx.projectKey(q.Project)
		w.along(`project`, project)
		if q.Kind != "" {
			w.along(`kind`, q.Kind)
		}
		return map[int64]string{project: q.Project}, err
	}
	ids, all, err := tx.visible()
	switch {
	case !all:
		w.cond, w.args = append(w.cond, `project IN `+db.In(1, len(ids)+1)), append(w.args, db.Args(ids, int64(-1))...) // never empty
	case task.Kind(q.Kind).OfNoProject():
		w.along(`project`, 0) // not a restriction, but it turns a walk over the whole log into a seek
	}
	return nil, err
}

// Latest calls each with up to limit of a project's newest events of a kind, after a given one, newest first.
func (tx *Tx) Latest(slug string, kind task.Kind, after int64, limit int, each func(task.Event)) error {
	project, err := tx.projectKey(slug)
	if err != nil {
		return err
	}
	return tx.C.Query(`SELECT `+rows.EventColumns+` FROM event WHERE project=$1 AND `+tx.rare(kindIs(kind))+`
		AND id>$2 ORDER BY id DESC LIMIT `+strconv.Itoa(limit), []any{project, after}, eachEvent(map[int64]string{project: slug}, each))
}

// eachEvent returns a function that calls fn with the event of a row of rows.EventColumns.
func eachEvent(slugs map[int64]string, fn func(task.Event)) func(db.Row) error {
	s := rows.Scanner{Slugs: slugs}
	return func(row db.Row) error {
		var ev task.Event
		err := rows.ReadEvent(&s, row, &ev)
		if err == nil {
			fn(ev)
		}
		return err
	}
}

// EventKeys calls each with the event's id and its task's key, for up to limit events of a kind in a project, after a given
// one, oldest first; if task is not 0, only for that task. Events of no task are left out.
func (tx *Tx) EventKeys(project, task int64, kind task.Kind, after int64, limit int, each func(event, task int64)) error {
	one, args := ` AND task<>0`, []any{project, after}
	if task != 0 {
		one, args = ` AND task=$3`, append(args, task)
	}
	return tx.C.Query(`SELECT id, task FROM event WHERE project=$1 AND `+tx.rare(kindIs(kind))+` AND id>$2`+one+`
		ORDER BY id LIMIT `+strconv.Itoa(limit), args, db.Each2(each))
}

// rare tells SQLite, which has no statistics, that few events satisfy a condition. It then prefers the index with the
// kind to one that it would consider equally good.
func (tx *Tx) rare(is string) string {
	if tx.C.ByStatistics() {
		return is
	}
	return `unlikely(` + is + `)`
}

// kindIs returns the condition that an event is of a kind, with the kind written out: PostgreSQL then knows how many
// there are, and does not walk the whole log by id to save a sort. It must be one of task.Kinds, so that is safe.
func kindIs(kind task.Kind) string { return `kind='` + string(kind) + `'` }

// newestBy calls each with the ids and actors of up to limit events of a kind, newest first. A project of 0 means the
// events that belong to no project.
func (tx *Tx) newestBy(project int64, kind task.Kind, limit int, each func(event int64, actor string)) error {
	w := logWalk{newest: true}
	w.along(`project`, project)
	w.along(`kind`, string(kind))
	sql, args := w.statement(query.Events{Limit: limit}, `id, actor`, tx.C.ByStatistics())
	return tx.C.Query(sql, args, db.Each2(each))
}

// actorsOf returns the names, with instances, of up to limit actors in a project, by name. It seeks each name in the
// index of actors, and does not read the log.
func (tx *Tx) actorsOf(project int64, limit int) ([]string, error) {
	return db.Values[string](tx.C, `WITH RECURSIVE acted(actor) AS (
			SELECT MIN(actor) FROM event WHERE project=$1
			UNION ALL
			SELECT (SELECT MIN(actor) FROM event WHERE project=$1 AND actor>acted.actor) FROM acted WHERE acted.actor IS NOT NULL)
		SELECT actor FROM acted WHERE actor IS NOT NULL LIMIT `+strconv.Itoa(limit), project)
}

// EventsByID calls each with events, in any order.
func (tx *Tx) EventsByID(ids []int64, each func(task.Event)) error {
	if len(ids) == 0 {
		return nil
	}
	slugs, err := tx.SlugsByID()
	if err != nil {
		return err
	}
	return db.EachIn(tx.C, `SELECT `+rows.EventColumns+` FROM event WHERE id IN KEYS`, ids, eachEvent(slugs, each))
}

// sinceID turns a query's time into an id.
func (tx *Tx) sinceID(q *query.Events) error {
	if q.Since == 0 {
		return nil
	}
	last, err := tx.EventBefore(q.Since)
	if q.SinceID != nil {
		last = max(last, *q.SinceID)
	}
	q.Since, q.SinceID = 0, &last
	return err
}

// EventBefore returns the last event before a time, or 0. Ids and times grow together, so it finds the event by
// bisection, one row per step, in one statement. Deleted projects and pruned events leave gaps: a step looks at the
// next id that exists.
func (tx *Tx) EventBefore(t task.Time) (int64, error) {
	const next = `(SELECT e.at FROM event e WHERE e.id>(s.low+s.high)/2 ORDER BY e.id LIMIT 1)`
	return db.Value[int64](tx.C, `WITH RECURSIVE s(low, high) AS (
			SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT)
			UNION ALL SELECT CASE WHEN `+next+`<$3 THEN (s.low+s.high)/2+1 ELSE s.low END,
				CASE WHEN `+next+`<$3 THEN s.high ELSE (s.low+s.high)/2 END FROM s WHERE s.low<s.high)
		SELECT low FROM s WHERE low>=high`, 0, tx.LastEvent(), int64(t))
}

// params are the arguments of a statement that is being composed.
type params []any

// add adds an argument, and returns the parameter that stands for it.
func (a *params) add(v any) string {
	*a = append(*a, v)
	return `$` + strconv.Itoa(len(*a))
}

// named returns the condition that a column has the name of an actor: exactly this one if full is set or it has an
// instance, else also any instance of it. The instances of a name sort between name/ and name0.
func (a *params) named(column, actor string, full bool) string {
	is := column + `=` + a.add(actor)
	if full || strings.Contains(actor, "/") {
		return is
	}
	return `(` + is + ` OR (` + column + `>` + a.add(actor+"/") + ` AND ` + column + `<` + a.add(actor+"0") + `))`
}

// eventsWhile reads rows of the log, in the order of the statement, up to the first that does not fit the page; whole
// reports whether all of them fit. slugs are the projects that the events may belong to; nil means all of them.
func (tx *Tx) eventsWhile(slugs map[int64]string, taken *query.Taken, sql string, args []any) (out []task.Event, whole bool, err error) {
	if slugs == nil {
		if slugs, err = tx.SlugsByID(); err != nil {
			return nil, false, err
		}
	}
	return while(tx.C, sql, args, taken, &rows.Scanner{Slugs: slugs}, rows.ReadEvent, query.EventBytes)
}

// projectKey returns the id of a project that the reader sees.
func (tx *Tx) projectKey(slug string) (int64, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return 0, err
	}
	return p.ID, nil
}

// valueIn returns the one value that a statement selects for a project that the reader sees, whose id is $1.
func valueIn[A db.Column](tx *Tx, slug, sql string, args ...any) (v A, err error) {
	project, err := tx.projectKey(slug)
	if err != nil {
		return v, err
	}
	return db.Value[A](tx.C, sql, append([]any{project}, args...)...)
}

// visible returns the ids of the projects that the reader sees. all reports that it sees every project, and the events
// of no project.
func (tx *Tx) visible() (ids []int64, all bool, err error) {
	if len(tx.scope) == 0 {
		return nil, true, nil
	}
	for _, slug := range tx.scope {
		p, err := tx.Loaded(slug)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, false, err
		}
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), false, nil
}

// logWalk is a walk of the log by id, among events that share the values of the leading columns of an index.
type logWalk struct {
	lead   []string
	values []any
	cond   []string // further conditions, with their arguments
	args   params
	newest bool // newest first
}

func (w *logWalk) along(column string, v any) {
	w.lead, w.values = append(w.lead, column), append(w.values, v)
}

// statement returns the walk as a range of the index. If a leading column is compared for equality, PostgreSQL may walk
// by id through all events to find those of a quiet project; so there a leading column is part of the range's ends, and
// only one index has that order. PostgreSQL ends a walk where the first column of a row value changes, so of two
// leading columns the second goes there. SQLite keeps equality, because it would not use an id at the end of a row
// value.
func (w *logWalk) statement(q query.Events, give string, inPlaces bool) (string, []any) {
	after, until := int64(0), int64(math.MaxInt64)
	if q.SinceID != nil {
		after = *q.SinceID
	}
	after = max(after, q.From-1)
	if q.BeforeID != nil {
		until = *q.BeforeID - 1
	}
	cond, args, place := slices.Clone(w.cond), slices.Clone(w.args), []string{}
	equal := len(w.lead) // how many leading columns are compared for equality
	if inPlaces {
		equal = max(0, len(w.lead)-1)
	}
	for i, column := range w.lead {
		v := args.add(w.values[i])
		if i < equal {
			is := column + `=` + v
			if i > 0 && !inPlaces {
				is = `unlikely(` + is + `)` // SQLite has no statistics, and would consider the index without this column just as good
			}
			cond = append(cond, is)
		} else {
			place = append(place, v+`, `)
		}
	}
	columns, lead := append(slices.Clone(w.lead[equal:]), `id`), strings.Join(place, ``)
	at, direction := strings.Join(columns, `, `), ``
	cond = append(cond, `(`+at+`)>(`+lead+args.add(after)+`)`, `(`+at+`)<=(`+lead+args.add(until)+`)`)
	if w.newest {
		direction = ` DESC`
	}
	return `SELECT ` + give + ` FROM event WHERE ` + strings.Join(cond, ` AND `) + ` ORDER BY ` + strings.Join(columns, direction+`, `) + direction +
		upTo(q.Limit), args
}
