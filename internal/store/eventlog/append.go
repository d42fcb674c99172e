package eventlog

import (
	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
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
