package store

import (
	"tasker/internal/store/annotation"
	"tasker/internal/store/delivery"
	"tasker/internal/store/dump"
	"tasker/internal/store/linkage"
	"tasker/internal/store/planned"
	"tasker/internal/store/tx"
	"tasker/internal/store/waiting"
	"tasker/internal/task"
)

// Reader reads the records of one snapshot or turn, by kind of record. A lapsed claim is read as it will be swept.
type Reader struct {
	*tx.Tx
	annotation.Reader
	AnswerReader
	Deliveries delivery.Reader
	RecordReader
	FrontierReader
	GraphReader
	Links linkage.Reader
	LogReader
	waiting.MarkReader
	planned.PlanReader
	ProjectReader
	SearchReader
	SessionReader
	TaskReader
	waiting.Lister
}

func newReader(t *tx.Tx) *Reader {
	return &Reader{
		t, annotation.Reader{Tx: t}, AnswerReader{t}, delivery.Reader{Tx: t}, RecordReader{dump.Reader{Tx: t, Migrations: Schema}},
		FrontierReader{t}, GraphReader{t}, linkage.Reader{Tx: t}, LogReader{t},
		waiting.MarkReader{Tx: t}, planned.PlanReader{Tx: t}, ProjectReader{t}, SearchReader{t}, SessionReader{t}, TaskReader{t}, waiting.Lister{Tx: t},
	}
}

// ReaderAt returns a reader of the same snapshot at another moment. It is no method, since every reader of records would have it.
func ReaderAt(r *Reader, t task.Time) *Reader { return newReader(tx.At(r.Tx, t)) }

// AnswerReader reads the answers stored for idempotency keys.
type AnswerReader struct{ *tx.Tx }

// RecordReader reads whole records.
type RecordReader struct{ dump.Reader }

// FrontierReader walks the frontier in the caller's total order.
type FrontierReader struct{ *tx.Tx }

// GraphReader reads how tasks are connected: parents, children and dependencies.
type GraphReader struct{ *tx.Tx }

// LogReader reads the log of events.
type LogReader struct{ *tx.Tx }

// ProjectReader reads projects and their counts.
type ProjectReader struct{ *tx.Tx }

// SearchReader finds words in records.
type SearchReader struct{ *tx.Tx }

// SessionReader reads sessions.
type SessionReader struct{ *tx.Tx }

// TaskReader reads task records.
type TaskReader struct{ *tx.Tx }
