package store

import (
	"tasker/internal/db"
	"tasker/internal/store/eventlog"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/store/textindex"
	"tasker/internal/task"
)

// turnState is what the members of one turn share. It is written before the commit and ends with the turn.
type turnState struct {
	bySlug map[string]*Project
	swept  bool // every lease that has lapsed by the turn's now is swept

	began  int64 // the newest event before this turn
	Index  textindex.State
	cursor *frontier.TurnCursor
}

// member is what a Tx needs for writing, as one member's part of a turn.
type member struct {
	Turn  *db.Turn
	state *turnState
	By    task.By
	kept  bool

	claims Claims

	Appender *eventlog.Appender
	Index    textindex.Writer
	Places   *frontier.Frontier

	Fresh     map[int64]bool // rows that this member loaded and whose counters it has not changed since
	unblocked []task.ID
	Expected  []Expected // what its reply will ask for
}

// Touch prepares a change to a project's counts, which are written once, before the commit.
func (tx *Tx) Touch(p *Project) {
	old := *p
	tx.Turn.Undo(func() {
		*p = old
	})
	p.dirty = true
}

// flush writes the counts that members have changed, in the turn's own transaction.
func flush(t *db.Turn) error {
	state, ok := t.State.(*turnState)
	if !ok {
		return nil
	}
	for _, slug := range sortedKeys(state.bySlug) {
		p := state.bySlug[slug]
		if !p.dirty {
			continue
		}
		db.Exec(t, 1, rows.UpdateProjectCounts, rows.ProjectCountsArgs(p.ID, &p.Rec)...)
		if err := p.flush(t); err != nil {
			return err
		}
	}
	return state.Index.Settle(t)
}

// process is what the turns of one process pass on to the next. Its zero value is ready for use.
type process struct {
	generation int64 // of the database that the other fields belong to
	actors     textindex.Actors
	cursors    frontier.Cursors
}

// committed is called after every commit of a turn.
func (s *process) committed(t *db.Turn) {
	if state, ok := t.State.(*turnState); ok {
		s.cursors.Leave(state.cursor)
	}
}

// newTx returns a snapshot. Several readers of one snapshot may share projects and more; otherwise both arguments are
// nil.
func newTx(c db.Conn, head db.Head, projects map[string]*Project, shared *Shared) *Tx {
	if projects == nil {
		projects = map[string]*Project{}
	}
	return &Tx{C: c, Head: head, Cache: projects, Shared: shared}
}

// newMember returns a member's part of a turn.
func newMember(s *process, t *db.Turn, by task.By) *Tx {
	state, ok := t.State.(*turnState)
	if !ok {
		if s.generation != t.Generation { // restored: what we remember may never have happened
			s.generation, s.cursors = t.Generation, frontier.Cursors{}
			s.actors.Forget()
		}
		state = &turnState{bySlug: map[string]*Project{}, began: t.LastEvent, cursor: s.cursors.Take()}
		t.State = state
	}
	w := &Tx{C: t.Conn, Head: t.Head, Cache: state.bySlug, member: &member{
		Turn: t, state: state, By: by, Appender: eventlog.NewAppender(t, by.Actor.Full(), by.Via), Fresh: map[int64]bool{},
		Index: textindex.NewWriter(t, state.began, &state.Index, &s.actors),
	}}
	w.Places = frontier.Write(t, state.cursor, w.sweptTask)
	return w
}
