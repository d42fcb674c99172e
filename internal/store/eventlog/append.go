package eventlog

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Of is the project and task that an event belongs to; zero is none.
type Of struct {
	Project int64
	Task    int64 // the key of a task of the project
}

// Event is an event that has been appended.
type Event struct {
	ID      int64
	Payload string
}

// Appender appends the events of one member of a turn. They share a batch, which is the id of the first of them.
type Appender struct {
	turn  *db.Turn
	actor string
	via   task.Via
	batch *int64 // the id of the first event
}

// NewAppender returns the appender of a member that acts under a name.
func NewAppender(t *db.Turn, actor string, via task.Via) *Appender {
	return &Appender{turn: t, actor: actor, via: via, batch: new(int64)}
}

// As returns an appender to the same batch under another name.
func (a *Appender) As(actor string, via task.Via) *Appender {
	return &Appender{turn: a.turn, actor: actor, via: via, batch: a.batch}
}

// Actor returns the name that it appends under.
func (a *Appender) Actor() string { return a.actor }

// Append writes one event.
func (a *Appender) Append(of Of, d task.Draft) (Event, error) {
	row, err := a.Row(of, d)
	if err != nil {
		return Event{}, err
	}
	return Event{ID: row.ID, Payload: row.Payload}, a.turn.Exec(1, rows.InsertEvent, row.values...)
}

// Row is the row of an event that has not been written yet.
type Row struct {
	ID      int64
	Payload string // the event's payload as JSON
	values  []any
}

// Row returns the row of an event under the turn's next id, for callers that write many rows at once.
func (a *Appender) Row(of Of, d task.Draft) (Row, error) {
	payload, err := d.Payload.Encode()
	if err != nil {
		return Row{}, err
	}
	a.turn.LastEvent++
	ev := task.Event{
		ID: a.turn.LastEvent, At: task.Time(a.turn.EventAt), Actor: a.actor, Kind: d.Kind, Payload: payload, Via: a.via,
	}
	if *a.batch == 0 {
		*a.batch = ev.ID
	}
	ev.Batch = *a.batch
	return Row{ID: ev.ID, Payload: string(payload), values: rows.EventValues(&ev, of.Project, of.Task)}, nil
}

// AppendAll writes rows in order.
func (a *Appender) AppendAll(list []Row) {
	_ = a.turn.Bulk("event", rows.EventNames, len(list), func(i int) []any { return list[i].values })
}

// Spoken looks for events of an actor in a project, under any of some names. It returns the last event of the write
// before the actor's newest one, or 0. It is one statement with two seeks per name.
func (l Log) Spoken(slug string, names []string) (int64, error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return 0, err
	}
	newest, heard := spoken(len(names), 1)
	return db.Value[int64](l.c, newest+` SELECT id FROM `+heard, db.Args(names, project)...)
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

// looked is how many events after the last one that an actor knows of are searched for one by somebody else.
const looked = 50

// Concerned returns what concerns an actor in a project, under any of some names. It is one statement with a few seeks.
func (l Log) Concerned(slug string, names []string, besides int64, limit int) (out query.Concern, err error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return out, err
	}
	return out, errors.Join(AskConcerned(l.c, project, names, besides, limit, &out), l.c.Flush())
}

// AskConcerned queries what concerns an actor.
func AskConcerned(c db.Conn, project int64, names []string, besides int64, limit int, into *query.Concern) error {
	list := db.In(3, len(names))
	past := `FROM event WHERE project=$1 AND id>heard.id ORDER BY id LIMIT ` + strconv.Itoa(looked)
	newest, heard := spoken(len(names), 2)
	return c.Ask(newest+`
		SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM task WHERE project=$1 AND holder IN `+list+` AND holder IS NOT NULL AND id<>$2
				LIMIT `+strconv.Itoa(limit)+`) AS h),
			CASE WHEN EXISTS (SELECT 1 FROM question WHERE actor IN `+list+` AND answered_at>0) THEN 1 ELSE 0 END,
			heard.id,
			CASE WHEN EXISTS (SELECT 1 FROM (SELECT actor `+past+`) AS p WHERE actor NOT IN `+list+`) OR
				(SELECT COUNT(*) FROM (SELECT 1 `+past+`) AS q)=`+strconv.Itoa(looked)+` THEN 1 ELSE 0 END FROM `+heard, db.Args(names, project, besides),
		db.Scan4(func(held int, answered bool, last int64, others bool) error {
			*into = query.Concern{Held: held, Answered: answered, Heard: last, Others: others}
			return nil
		}))
}

// Wrote reports whether an actor has an event in a project up to one, under its plain name or any instance of it. It is one
// statement with two seeks. Pruning keeps the newest event of every actor, so it is true for good. That an actor created
// the project says nothing about who it is: it could have declared itself as anything in the file that became the record.
func (l Log) Wrote(slug, name string, until int64) (bool, error) {
	project, err := l.of.ProjectKey(slug)
	if err != nil {
		return false, err
	}
	n, err := db.Value[int64](l.c, `SELECT CASE WHEN EXISTS (SELECT 1 FROM event WHERE project=$1 AND actor=$2 AND kind<>$5 AND id<=$6)
		OR EXISTS (SELECT 1 FROM event WHERE project=$1 AND actor>$3 AND actor<$4 AND kind<>$5 AND id<=$6) THEN 1 ELSE 0 END`, project, name, name+"/", name+"0", string(task.ProjectCreated), until)
	return n == 1, err
}

// Start returns where the log begins, from the event of the last pruning, even if the caller may not see everything.
// That event is never pruned, because it is the newest of its kind.
func (l Log) Start() (query.LogStart, error) {
	start := query.LogStart{First: 1}
	pruned, err := l.lastOf(task.EventsPruned)
	if err != nil || pruned == nil {
		return start, err
	}
	var told struct {
		First int64     `json:"firstEvent"`
		Until task.Time `json:"until"`
	}
	err = json.Unmarshal(pruned.Payload, &told)
	return query.LogStart{First: told.First, Until: told.Until}, err
}

// needed are the kinds of events that records refer to for good: overrides, which people see until they put them away;
// disagreements and failures of links; and plans, which tell a later plan what it may cancel.
var needed = []task.Kind{task.OverrideForced, task.ConflictFound, task.SyncFailed, task.PlanApplied}

// Stored is an event as pruning sees it.
type Stored struct {
	ID, Project int64
	Kind        task.Kind
}

// Unneeded looks at up to limit stored events in a range. It returns the events that no record needs, and where to continue,
// or 0 at the end. It keeps the events of open tasks, except renewals; the newest of each kind of every task and
// project; each actor's newest event, and the one that introduced the actor; and the kinds that are needed for good.
func (l Log) Unneeded(from, before int64, limit int) (out []Stored, next int64, err error) {
	ids, err := db.Values[int64](l.c, `SELECT id FROM event WHERE id>=$1 AND id<$2 ORDER BY id LIMIT `+strconv.Itoa(limit), from, before)
	if err != nil || len(ids) == 0 {
		return nil, 0, err
	}
	last := ids[len(ids)-1]
	if len(ids) == limit {
		next = last + 1
	}
	// The query compares the kind of a later event as an expression, so that no engine searches a whole project by
	// kind.
	out, err = db.All(l.c, `SELECT e.id, e.project, e.kind FROM event e WHERE e.id>=$1 AND e.id<=$2
		AND e.kind NOT IN `+rows.Kinds(needed)+`
		AND NOT EXISTS (SELECT 1 FROM actor a WHERE a.id=e.id)
		AND (e.task=0 OR e.kind='claim.renewed' OR NOT EXISTS (SELECT 1 FROM task t WHERE t.id=e.task AND t.status NOT IN ('done','cancelled')))
		AND EXISTS (SELECT 1 FROM event y WHERE y.project=e.project AND y.actor=e.actor AND y.id>e.id)
		AND ((e.task<>0 AND EXISTS (SELECT 1 FROM event x WHERE x.task=e.task AND x.id>e.id AND x.kind||''=e.kind))
			OR (e.task=0 AND EXISTS (SELECT 1 FROM event x WHERE x.project=e.project AND x.kind=e.kind AND x.id>e.id AND x.task=0)))
		ORDER BY e.id`, []any{from, last}, db.Read3(func(id, project int64, kind string) Stored { return Stored{id, project, task.Kind(kind)} }))
	return out, next, err
}

// Delete removes events.
func Delete(c db.Conn, ids []int64) error {
	return db.Batches(ids, func(run []any) error {
		return c.Exec(db.Any, `DELETE FROM event WHERE id IN `+db.In(1, len(run)), run...)
	})
}
