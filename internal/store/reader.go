package store

import (
	"tasker/internal/store/annotation"
	"tasker/internal/store/tx"
)

// Reader reads the records of one snapshot or turn, by kind of record. A lapsed claim is read as it will be swept.
type Reader struct {
	*tx.Tx
	annotation.Reader
	AnswerReader
	FrontierReader
	GraphReader
	LogReader
	MarkReader
	ProjectReader
	SearchReader
	SessionReader
	TaskReader
	WaitingReader
}

func newReader(t *tx.Tx) *Reader {
	return &Reader{
		t, annotation.Reader{Tx: t}, AnswerReader{t}, FrontierReader{t}, GraphReader{t}, LogReader{t}, MarkReader{t},
		ProjectReader{t}, SearchReader{t}, SessionReader{t}, TaskReader{t}, WaitingReader{t},
	}
}

// AnswerReader reads the answers stored for idempotency keys.
type AnswerReader struct{ *tx.Tx }

// FrontierReader walks the frontier in the caller's total order.
type FrontierReader struct{ *tx.Tx }

// GraphReader reads how tasks are connected: parents, children and dependencies.
type GraphReader struct{ *tx.Tx }

// LogReader reads the log of events.
type LogReader struct{ *tx.Tx }

// MarkReader reads what readers of the inbox have put away, and how far they have read.
type MarkReader struct{ *tx.Tx }

// ProjectReader reads projects and their counts.
type ProjectReader struct{ *tx.Tx }

// SearchReader finds words in records.
type SearchReader struct{ *tx.Tx }

// SessionReader reads sessions.
type SessionReader struct{ *tx.Tx }

// TaskReader reads task records.
type TaskReader struct{ *tx.Tx }

// WaitingReader reads what waits for people.
type WaitingReader struct{ *tx.Tx }
