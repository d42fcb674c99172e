package store

import (
	"tasker/internal/db"
	"tasker/internal/store/annotation"
	"tasker/internal/store/tx"
	"tasker/internal/task"
)

// Writer is one member's part of a turn: the records that it reads, with what it wrote, and those that it writes, cut by
// what they are.
type Writer struct {
	*Reader
	m *tx.Member
	annotation.Writer
	AnswerWriter
	LogWriter
	MarkWriter
	ProjectWriter
	annotation.Asker
	SessionWriter
	TaskWriter
}

// AnswerWriter stores the answers for idempotency keys.
type AnswerWriter struct{ *tx.Member }

// LogWriter records events without another change.
type LogWriter struct{ *tx.Member }

// MarkWriter writes what readers of the inbox put away, and how far they have read.
type MarkWriter struct{ *tx.Member }

// ProjectWriter writes projects.
type ProjectWriter struct{ *tx.Member }

// SessionWriter makes and ends sessions.
type SessionWriter struct{ *tx.Member }

// TaskWriter writes tasks. Counters, frontier rows and events are kept right by it.
type TaskWriter struct{ *tx.Member }

func newWriter(s *Store, t *db.Turn, by task.By) *Writer {
	m := tx.NewMember(&s.process, t, by)
	return &Writer{
		newReader(m.Tx), m, annotation.Writer{Member: m}, AnswerWriter{m}, LogWriter{m}, MarkWriter{m}, ProjectWriter{m}, annotation.Asker{Member: m},
		SessionWriter{m}, TaskWriter{m},
	}
}

// Keep makes what was written stay although the operation answers an error.
func (w *Writer) Keep() { w.m.Keep = true }
