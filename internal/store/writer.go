package store

import (
	"errors"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store/eventlog"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/store/textindex"
	"tasker/internal/task"
)

// turnState is what the members of one turn share. It is written back before the commit and dies with the turn.
type turnState struct {
	bySlug map[string]*project
	swept  bool // no lapsed lease is left at this turn's now

	began  int64 // the newest event before this turn
	index  textindex.State
	cursor *frontier.TurnCursor
}

// member is what the records of one member of a turn share, beside what they read with.
type member struct {
	*tx
	turn  *db.Turn
	state *turnState
	by    task.By
	keep  bool

	events   *eventlog.Appender
	index    textindex.Writer
	frontier *frontier.Frontier

	fresh     map[int64]bool // rows that this member loaded, and whose counters it has not changed since
	unblocked []task.ID
	expected  []expected // what its reply will ask for
}

// Writer is one member's part of a turn: the records that it reads, with what it wrote, and those that it writes, cut by
// what they are.
type Writer struct {
	*Reader
	m *member
	AnnotationWriter
	AnswerWriter
	LogWriter
	MarkWriter
	ProjectWriter
	QuestionWriter
	SessionWriter
	TaskWriter
}

// AnnotationWriter writes what stands beside a task, each with its event.
type AnnotationWriter struct{ *member }

// AnswerWriter stores the answers for idempotency keys.
type AnswerWriter struct{ *member }

// LogWriter records events without another change.
type LogWriter struct{ *member }

// MarkWriter writes what readers of the inbox put away, and how far they have read.
type MarkWriter struct{ *member }

// ProjectWriter writes projects.
type ProjectWriter struct{ *member }

// QuestionWriter asks and ends questions.
type QuestionWriter struct{ *member }

// SessionWriter makes and ends sessions.
type SessionWriter struct{ *member }

// TaskWriter writes tasks. Counters, frontier rows and events are kept right by it.
type TaskWriter struct{ *member }

func newWriter(s *Store, t *db.Turn, by task.By) *Writer {
	state, ok := t.State.(*turnState)
	if !ok {
		state = &turnState{bySlug: map[string]*project{}, began: t.LastEvent, cursor: s.cursors.Take()}
		t.State = state
	}
	m := &member{
		turn: t, state: state, by: by, events: eventlog.NewAppender(t, by.Actor.Full(), by.Via), fresh: map[int64]bool{},
		index: textindex.NewWriter(t, state.began, &state.index, &s.actors),
	}
	m.tx = &tx{c: t.Conn, head: t.Head, projects: state.bySlug, member: m}
	m.frontier = frontier.Write(t, state.cursor, m.sweptTask)
	return &Writer{
		newReader(m.tx), m, AnnotationWriter{m}, AnswerWriter{m}, LogWriter{m}, MarkWriter{m}, ProjectWriter{m}, QuestionWriter{m},
		SessionWriter{m}, TaskWriter{m},
	}
}

// Keep makes what was written stay although the operation answers an error.
func (w *Writer) Keep() { w.m.keep = true }

// touch prepares a change of a project's kept numbers: they are written once, before the commit.
func (w *member) touch(p *project) {
	old := *p
	w.turn.Undo(func() {
		*p = old
	})
	p.dirty = true
}

// flushTurn writes the numbers that the members kept in Go, in the turn's own transaction.
func flushTurn(t *db.Turn) error {
	state, ok := t.State.(*turnState)
	if !ok {
		return nil
	}
	for _, slug := range sortedKeys(state.bySlug) {
		p := state.bySlug[slug]
		if !p.dirty {
			continue
		}
		if err := t.Exec(1, rows.UpdateProjectCounts, rows.ProjectCountsArgs(p.id, &p.rec)...); err != nil {
			return err
		}
		if err := p.flush(t); err != nil {
			return err
		}
	}
	return state.index.Settle(t)
}

// guardFault turns a guard that did not hold into a conflict: somebody changed the record in between.
func guardFault(err error) error {
	if errors.Is(err, db.ErrGuard) {
		return fault.Stale("the record was changed by somebody else in between").WithHint("read it again and retry").WithCause(err)
	}
	return err
}
