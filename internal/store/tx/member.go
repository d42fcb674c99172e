package tx

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

// turnState is what the members of one turn share. It is written before the commit and ends with the turn.
type turnState struct {
	bySlug map[string]*Project
	swept  bool // every lease that has lapsed by this turn's now is swept

	began  int64 // the newest event before this turn
	Index  textindex.State
	cursor *frontier.TurnCursor
}

// Member is what the records of one member of a turn share for writing.
type Member struct {
	*Tx
	Turn  *db.Turn
	state *turnState
	By    task.By
	Keep  bool

	Appender *eventlog.Appender
	Index    textindex.Writer
	Places   *frontier.Frontier

	Fresh     map[int64]bool // rows that this member loaded, and whose counters it has not changed since
	Unblocked []task.ID
	Expected  []Expected // what its reply will ask for
}

// Touch prepares a change of a project's counts, which are written once, before the commit.
func (w *Member) Touch(p *Project) {
	old := *p
	w.Turn.Undo(func() {
		*p = old
	})
	p.dirty = true
}

// Flush writes the counts that members have changed, in the turn's own transaction.
func Flush(t *db.Turn) error {
	state, ok := t.State.(*turnState)
	if !ok {
		return nil
	}
	for _, slug := range sortedKeys(state.bySlug) {
		p := state.bySlug[slug]
		if !p.dirty {
			continue
		}
		if err := t.Exec(1, rows.UpdateProjectCounts, rows.ProjectCountsArgs(p.ID, &p.Rec)...); err != nil {
			return err
		}
		if err := p.flush(t); err != nil {
			return err
		}
	}
	return state.Index.Settle(t)
}

// Guarded turns the error of a guard that did not hold into a conflict: somebody has changed the record in between.
func Guarded(err error) error {
	if errors.Is(err, db.ErrGuard) {
		return fault.Stale("the record was changed by somebody else in between").WithHint("read it again and retry").WithCause(err)
	}
	return err
}

// Process is what the turns of one process hand on. Its zero value is ready for use.
type Process struct {
	generation int64 // of the database that the rest is of
	actors     textindex.Actors
	cursors    frontier.Cursors
}

// Committed is called after every commit of a turn.
func (s *Process) Committed(t *db.Turn) {
	if state, ok := t.State.(*turnState); ok {
		s.cursors.Leave(state.cursor)
	}
}

// New returns what the records of a snapshot share. Several readers of one snapshot may share projects and more;
// otherwise both are nil.
func New(c db.Conn, head db.Head, projects map[string]*Project, shared *Shared) *Tx {
	if projects == nil {
		projects = map[string]*Project{}
	}
	return &Tx{C: c, Head: head, Cache: projects, Shared: shared}
}

// NewMember returns what the records of a member of a turn share.
func NewMember(s *Process, t *db.Turn, by task.By) *Member {
	state, ok := t.State.(*turnState)
	if !ok {
		if s.generation != t.Generation { // restored: what was remembered of it may never have happened
			s.generation, s.cursors = t.Generation, frontier.Cursors{}
			s.actors.Forget()
		}
		state = &turnState{bySlug: map[string]*Project{}, began: t.LastEvent, cursor: s.cursors.Take()}
		t.State = state
	}
	m := &Member{
		Turn: t, state: state, By: by, Appender: eventlog.NewAppender(t, by.Actor.Full(), by.Via), Fresh: map[int64]bool{},
		Index: textindex.NewWriter(t, state.began, &state.Index, &s.actors),
	}
	m.Tx = &Tx{C: t.Conn, Head: t.Head, Cache: state.bySlug, Member: m}
	m.Places = frontier.Write(t, state.cursor, m.sweptTask)
	return m
}
