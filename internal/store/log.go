package store

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// The log of events. Every change of a record has an event, in the same turn. Ids are dense and grow with time, so that a
// reader that has seen one id has seen everything before it. An event belongs to a project and a task, to a project
// alone, or to neither (sessions, deleted projects). Each read goes along one index: by task, by project, by project and
// kind, by project and actor, or by id alone.

// Generation returns how often the database was restored, from 1.
func (tx *Tx) Generation() int64 { return tx.Head.Generation }

// LastEvent returns the id of the newest event.
func (tx *Tx) LastEvent() int64 {
	if tx.member != nil {
		return tx.Turn.LastEvent
	}
	return tx.Head.LastEvent
}

// Undoing adds the event that is undone, if there is one, to the payload of an event.
func Undoing(p task.Payload, undoes []int64) task.Payload {
	for _, event := range undoes {
		p["undoes"] = event
	}
	return p
}

// Record adds events to a project and a task, in the member's name; either may be empty.
func (tx *Tx) Record(slug string, id task.ID, ev ...task.Draft) error {
	_, err := tx.AppendAll(slug, id, ev)
	return err
}

// AppendAll is Record that returns the id of the last event, or 0 if there are none.
func (tx *Tx) AppendAll(slug string, id task.ID, ev []task.Draft) (last int64, err error) {
	for _, d := range ev {
		if last, err = tx.Append(slug, id, d); err != nil {
			return 0, err
		}
	}
	return last, nil
}

// Append appends one event in the member's name and returns its id.
func (tx *Tx) Append(slug string, id task.ID, d task.Draft) (int64, error) {
	n, err := tx.recordAs(tx.actor, tx.By.Via, slug, id, d)
	tx.claims.Made += int64(One(d.Kind == task.TaskClaimed))
	tx.claims.Released += int64(One(d.Kind == task.ClaimReleased))
	if err != nil || slug == "" || d.Kind == task.TaskClaimed || d.Kind == task.ClaimRenewed {
		return n, err
	}
	p, err := tx.Loaded(slug)
	if err != nil {
		return n, err
	}
	return n, tx.introduce(p, n)
}

// recordAs appends one event under a name, and indexes its text.
func (tx *Tx) recordAs(actor string, via task.Via, slug string, id task.ID, d task.Draft) (int64, error) {
	of, err := tx.eventOf(slug, id)
	if err != nil {
		return 0, err
	}
	ev, err := tx.newEvent(of, actor, via, d)
	if err != nil {
		return 0, err
	}
	if err := tx.C.Exec(1, insertEvent, ev.values...); err != nil {
		return 0, err
	}
	return ev.ID, tx.indexEvent(of.Project, ev.ID, actor, d.Kind, ev.Payload)
}

// eventOf returns the project and task of an event. A sweep also records events of projects that the writer does not
// see.
func (tx *Tx) eventOf(slug string, id task.ID) (of eventOwner, err error) {
	if slug == "" {
		return of, nil
	}
	p, err := tx.Loaded(slug)
	if err != nil {
		return of, err
	}
	of.Project = p.ID
	if id != "" {
		of.Task = rows.KeyIn(p.ID, id)
	}
	return of, nil
}

// eventOwner is the project and task that an event belongs to; zero is none.
type eventOwner struct {
	Project int64
	Task    int64 // the key of a task of the project
}

// eventRow is the row of an event.
type eventRow struct {
	ID      int64
	Payload string // the event's payload as JSON
	values  []any
}

// newEvent returns the row of an event under the turn's next id. The events of a member share a batch, which is the id of
// the first of them.
func (tx *Tx) newEvent(of eventOwner, actor string, via task.Via, d task.Draft) (eventRow, error) {
	payload, err := d.Payload.Encode()
	if err != nil {
		return eventRow{}, err
	}
	tx.Turn.Record(actor, string(d.Kind), string(payload))
	if tx.batch == 0 {
		tx.batch = tx.Turn.LastEvent
	}
	ev := task.Event{
		ID: tx.Turn.LastEvent, At: task.Time(tx.Turn.EventAt), Actor: actor, Kind: d.Kind, Payload: payload, Via: via, Batch: tx.batch,
	}
	return eventRow{ID: ev.ID, Payload: string(payload), values: append(rows.EventValues(&ev, of.Project, of.Task), tx.Turn.Sum)}, nil
}

// eventNames are the columns of a new event: its own, and the checksum of the log up to it.
var eventNames = append(slices.Clone(rows.EventNames), "sum")

const insertEvent = `INSERT INTO event (` + rows.EventColumns + `, sum) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)`

// Wrote reports whether an actor has written in a project, under any instance of its name.
func (tx *Tx) Wrote(slug, name string) (bool, error) {
	return tx.WroteUntil(slug, name, tx.LastEvent())
}

// Spoken looks for events of an actor in a project, under any of some names. It returns the last event of the write
// before the actor's newest one, or 0. It is one statement with two seeks per name.
func (tx *Tx) Spoken(slug string, names []string) (int64, error) {
	newest, heard := spoken(len(names), 1)
	return valueIn[int64](tx, slug, newest+` SELECT id FROM `+heard, db.Args(names)...)
}

// spoken returns the common table newest, and the one-row table heard that is built from it and holds what Spoken
// returns. The project is $1, and the names follow the argument last. heard is not a common table, because SQLite would
// materialise one that is read more than once.
func spoken(names, last int) (newest, heard string) {
	latest, earlier := make([]string, names), make([]string, names)
	for i := range names {
		by := ` FROM event WHERE project=$1 AND actor=$` + strconv.Itoa(last+1+i)
		latest[i] = `SELECT * FROM (SELECT id, batch` + by + ` ORDER BY id DESC LIMIT 1) AS n`
		earlier[i] = `SELECT * FROM (SELECT id` + by + ` AND id<(SELECT batch FROM newest) ORDER BY id DESC LIMIT 1) AS e`
	}
	return `WITH newest AS (SELECT batch FROM (` + strings.Join(latest, ` UNION ALL `) + `) AS a ORDER BY id DESC LIMIT 1)`,
		`(SELECT COALESCE(MAX(id), 0) AS id FROM (` + strings.Join(earlier, ` UNION ALL `) + `) AS b) AS heard`
}

// concernLooked is how many events after the last one that an actor knows of are searched for one by somebody else.
const concernLooked = 50

// Concerned returns what concerns an actor in a project, under any of some names, apart from one task. It is one
// statement with a few seeks.
func (tx *Tx) Concerned(slug string, names []string, besides task.ID, limit int) (out query.Concern, err error) {
	if got, ok, err := concernAhead(tx, names, besides, limit); ok || err != nil {
		return got, err
	}
	var but int64
	if besides != "" {
		if _, but, err = tx.KeyOf(besides); err != nil {
			return out, err
		}
	}
	project, err := tx.projectKey(slug)
	if err != nil {
		return out, err
	}
	return out, errors.Join(askConcerned(tx.C, project, names, but, limit, &out), tx.C.Flush())
}

// askConcerned queries what concerns an actor.
func askConcerned(c db.Conn, project int64, names []string, besides int64, limit int, into *query.Concern) error {
	list := db.In(3, len(names))
	past := `FROM event WHERE project=$1 AND id>heard.id ORDER BY id LIMIT ` + strconv.Itoa(concernLooked)
	newest, heard := spoken(len(names), 2)
	return c.Ask(newest+`
		SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM task WHERE project=$1 AND holder IN `+list+` AND holder IS NOT NULL AND id<>$2
				LIMIT `+strconv.Itoa(limit)+`) AS h),
			CASE WHEN EXISTS (SELECT 1 FROM question WHERE actor IN `+list+` AND answered_at>0) THEN 1 ELSE 0 END,
			CASE WHEN EXISTS (SELECT 1 FROM question WHERE project=$1 AND id>heard.id AND addressee<>'' AND blocking=0 AND answered_at=0
				AND withdrawn=0) THEN 1 ELSE 0 END,
			heard.id,
			CASE WHEN EXISTS (SELECT 1 FROM (SELECT actor `+past+`) AS p WHERE actor NOT IN `+list+`) OR
				(SELECT COUNT(*) FROM (SELECT 1 `+past+`) AS q)=`+strconv.Itoa(concernLooked)+` THEN 1 ELSE 0 END FROM `+heard, db.Args(names, project, besides),
		db.Scan5(func(held int, answered, asked bool, last int64, others bool) error {
			*into = query.Concern{Held: held, Answered: answered, Asked: asked, Heard: last, Others: others}
			return nil
		}))
}

// WroteUntil reports whether an actor had an event in a project when some event was the newest, under its plain name or any instance of it. It is one
// statement with two seeks. Pruning keeps the newest event of every actor, so it stays true. That an actor created
// the project says nothing about who it is: it could have declared itself as anything in the file that became the record.
func (tx *Tx) WroteUntil(slug, name string, until int64) (bool, error) {
	return valueIn[bool](tx, slug, `SELECT CASE WHEN EXISTS (SELECT 1 FROM event WHERE project=$1 AND actor=$2 AND kind<>$5 AND id<=$6)
		OR EXISTS (SELECT 1 FROM event WHERE project=$1 AND actor>$3 AND actor<$4 AND kind<>$5 AND id<=$6) THEN 1 ELSE 0 END`, name, name+"/", name+"0", string(task.ProjectCreated), until)
}

// History returns up to limit of a task's newest events that fit a page of some bytes, oldest first, and whether there
// may be earlier ones.
func (tx *Tx) History(id task.ID, limit, bytes int) ([]task.Event, bool, error) {
	if out, ok, err := eventsAhead(tx, id, limit); ok || err != nil {
		return out, len(out) == limit, err
	}
	return tx.along(query.Events{Task: id, Limit: limit, Bytes: bytes})
}

// newestOf asks for the newest events of a task, by its key.
type newestOf struct {
	Key  int64
	Into *[]task.Event
}

// askNewest queries the newest events of tasks, up to limit for each; slugs has their projects. After the next flush
// they are in their lists, newest first.
func askNewest(c db.Conn, slugs map[int64]string, limit int, wanted []newestOf) error {
	s := rows.Scanner{Slugs: slugs, Limit: len(wanted)}
	sql := `SELECT ` + rows.EventColumns + ` FROM event WHERE task=$1 ORDER BY id DESC LIMIT ` + strconv.Itoa(limit)
	for _, w := range wanted {
		if err := c.Ask(sql, []any{w.Key}, func(row db.Row) error { return scanEvent(&s, row, w.Into) }); err != nil {
			return err
		}
	}
	return nil
}

// scanEvent adds a row of the log to a list.
func scanEvent(s *rows.Scanner, row db.Row, out *[]task.Event) error {
	var ev task.Event
	err := rows.ReadEvent(s, row, &ev)
	*out = append(*out, ev)
	return err
}
