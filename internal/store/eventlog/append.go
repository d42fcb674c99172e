package eventlog

import (
	"tasker/internal/db"
	"tasker/internal/task"
)

// Names are the columns of an event's row, in the order of Appender.Row.
var Names = []string{"id", "at", "project", "task", "actor", "kind", "payload", "batch", "via"}

const insert = `INSERT INTO event (` + columns + `) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9)`

// Of says what an event is of. Zero is none.
type Of struct {
	Project int64
	Task    int64 // the key of a task of the project
}

// Event is an event that was appended.
type Event struct {
	ID      int64
	Payload string
}

// Appender appends the events of one member of a turn. They share a batch, named by the first.
type Appender struct {
	turn  *db.Turn
	actor string
	via   string
	batch *int64 // the id of the first event
}

// NewAppender returns the appender of a member who acts under a name.
func NewAppender(t *db.Turn, actor string, via task.Via) *Appender {
	return &Appender{turn: t, actor: actor, via: encodeVia(via), batch: new(int64)}
}

// As returns an appender to the same batch under another name.
func (a *Appender) As(actor string, via task.Via) *Appender {
	return &Appender{turn: a.turn, actor: actor, via: encodeVia(via), batch: a.batch}
}

// Actor is the name under which it appends.
func (a *Appender) Actor() string { return a.actor }

// Append writes one event.
func (a *Appender) Append(of Of, d task.Draft) (Event, error) {
	row, err := a.Row(of, d)
	if err != nil {
		return Event{}, err
	}
	return Event{ID: row.ID(), Payload: row.Payload()}, a.turn.Exec(1, insert, row...)
}

// Row is the row of an event that is not written yet.
type Row []any

// ID is the id of the event.
func (r Row) ID() int64 { return r[0].(int64) }

// Payload is what the event tells, as JSON.
func (r Row) Payload() string { return r[6].(string) }

// Row gives an event the next id of the turn, for who writes many rows at once.
func (a *Appender) Row(of Of, d task.Draft) (Row, error) {
	payload, err := d.Payload.Encode()
	if err != nil {
		return nil, err
	}
	a.turn.LastEvent++
	id := a.turn.LastEvent
	if *a.batch == 0 {
		*a.batch = id
	}
	return Row{id, a.turn.Now, of.Project, of.Task, a.actor, string(d.Kind), string(payload), *a.batch, a.via}, nil
}

// AppendAll writes rows in their order.
func (a *Appender) AppendAll(list []Row) error {
	return a.turn.Bulk("event", Names, len(list), func(i int) []any { return list[i] })
}
