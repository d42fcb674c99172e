package store

import (
	"tasker/internal/db"
	"tasker/internal/store/annotation"
	"tasker/internal/store/delivery"
	"tasker/internal/store/dump"
	"tasker/internal/store/linkage"
	"tasker/internal/store/tx"
	"tasker/internal/store/waiting"
	"tasker/internal/task"
)

// Writer is one member's part of a turn: it reads records, including what the member wrote, and writes them, by kind
// of record.
type Writer struct {
	*Reader
	m *tx.Member
	annotation.Writer
	AnswerWriter
	Delivering delivery.Writer
	RecordWriter
	LinkWriter linkage.Writer
	LogWriter
	waiting.MarkWriter
	ProjectWriter
	annotation.Asker
	SessionWriter
	TaskWriter
}

// AnswerWriter stores the answers for idempotency keys.
type AnswerWriter struct{ *tx.Member }

// RecordWriter writes whole records.
type RecordWriter struct{ dump.Writer }

// LogWriter records events without another change.
type LogWriter struct{ *tx.Member }

// ProjectWriter writes projects.
type ProjectWriter struct{ *tx.Member }

// SessionWriter makes and ends sessions.
type SessionWriter struct{ *tx.Member }

// TaskWriter writes tasks, and with them counters, frontier rows and events.
type TaskWriter struct{ *tx.Member }

func newWriter(s *Store, t *db.Turn, by task.By) *Writer {
	m := tx.NewMember(&s.process, t, by)
	return &Writer{
		newReader(m.Tx), m, annotation.Writer{Member: m}, AnswerWriter{m}, delivery.Writer{Member: m}, RecordWriter{dump.Writer{Member: m, Migrations: Schema}},
		linkage.Writer{Member: m}, LogWriter{m},
		waiting.MarkWriter{Member: m}, ProjectWriter{m}, annotation.Asker{Member: m}, SessionWriter{m}, TaskWriter{m},
	}
}

// Keep makes what was written stay although the operation returns an error.
func (w *Writer) Keep() { w.m.Keep = true }
