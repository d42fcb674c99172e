package store

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// Tx is one transaction: a snapshot, or one member's part of a turn, which also sees what the member wrote. A query is
// a method of it, or a function that takes it.
//
// It finds the projects and tasks that the caller may see by slug and id, and reads a lapsed claim as if it were swept;
// a turn that loads a task with a lapsed claim sweeps it first. Every change of a record goes through the methods that
// write, so everything that follows from it (its events, the task's places on the frontier, the counts of its project,
// the text index) is written in the same turn and nothing can be forgotten. A snapshot writes nothing.
type Tx struct {
	C       db.Conn
	Head    db.Head
	Cache   map[string]*Project
	*member          // nil in a snapshot
	scope   []string // the projects that it sees; empty: all of them
	Shared  *Shared  // set if several readers share the snapshot
}

// Writes reports whether the transaction is part of a turn.
func (tx *Tx) Writes() bool { return tx.member != nil }

// Keep keeps what was written even if the operation returns an error.
func (tx *Tx) Keep() { tx.kept = true }

// Now returns the later of the clock and the newest event's time.
func (tx *Tx) Now() task.Time { return task.Time(tx.Head.Now) }

// At returns the snapshot read at another moment, which decides whether a claim has lapsed or a date has passed.
// Records stay as they are, and nothing that was read before is shared.
func (tx *Tx) At(t task.Time) *Tx {
	at := newTx(tx.C, tx.Head, nil, nil)
	at.Head.Now, at.scope = int64(t), tx.scope
	return at
}

// Project is a project's row, with what a transaction has read about the project.
type Project struct {
	ID    int64
	Rec   task.Project
	dirty bool

	Front   *frontier.Project
	Lapsed  []*task.Task  // of a snapshot; nil: not loaded
	Tallies map[Tally]int // what the turn changed
}

// Ref returns the key of the task with a number.
func (p *Project) Ref(n int64) int64 { return rows.KeyOf(p.ID, n) }

// TaskID returns the id of the task with a key.
func (p *Project) TaskID(r int64) task.ID { return task.MakeID(p.Rec.Slug, rows.Number(r)) }

// KeyOf returns the key of a task of the project.
func (p *Project) KeyOf(t *task.Task) int64 { return rows.KeyIn(p.ID, t.ID) }

// Span returns the first and the last key that a task of the project can have.
func (p *Project) Span() (lo, hi int64) { return p.Ref(0), p.Ref(rows.MaxNumber) }

// KeyOf returns the project of an id, and the task's key.
func (tx *Tx) KeyOf(id task.ID) (*Project, int64, error) {
	slug, n, ok := task.ParseID(string(id))
	if !ok {
		return nil, 0, fault.Missing("there is no task %q", id).WithHint("a task id looks like demo-4")
	}
	p, err := tx.Find(slug)
	if err == nil {
		return p, p.Ref(n), nil
	}
	if fault.Is(err, fault.NotFound) && tx.Head.Absent == "" {
		if p, n, renamed := tx.formerly(slug, n); renamed == nil && p != nil {
			return p, p.Ref(n), nil
		}
		return nil, 0, tx.noTaskOf(slug, id).WithCause(err)
	}
	return nil, 0, err
}

// noTaskOf returns the error for an id whose project does not exist. It suggests the same number in a project of nearly
// that name.
func (tx *Tx) noTaskOf(slug string, id task.ID) *fault.Error {
	e := fault.Missing("there is no task %s", id)
	const looked = 1000 // projects that are compared
	slugs, err := db.Values[string](tx.C, `SELECT slug FROM project ORDER BY slug LIMIT $1`, looked)
	if near := words.Nearest(slug, slices.DeleteFunc(slugs, tx.Hides)); err == nil && near != "" {
		_, n, _ := task.ParseID(string(id))
		return e.WithHint("did you mean %s?", task.MakeID(near, n))
	}
	return e.WithHint("list the projects: %s", hint.Projects())
}

// NoTask returns the error for a task that does not exist in its project.
func (p *Project) NoTask(id task.ID) error {
	return fault.Missing("there is no task %s", id).WithHint("list what there is: %s", hint.ListOf(p.Rec.Slug))
}

// Keys returns the keys of ids of one or several projects.
func (tx *Tx) Keys(ids []task.ID) ([]int64, error) {
	_, keys, err := tx.keysOf(ids)
	return keys, err
}

// keysOf returns the keys of ids of one project, and that project, or nil if there are no ids.
func (tx *Tx) keysOf(ids []task.ID) (p *Project, keys []int64, err error) {
	keys = make([]int64, len(ids))
	for i, id := range ids {
		if p, keys[i], err = tx.KeyOf(id); err != nil {
			return nil, nil, err
		}
	}
	return p, keys, nil
}

// FindKeys returns a project and the keys of ids.
func (tx *Tx) FindKeys(slug string, ids []task.ID) (*Project, []int64, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, nil, err
	}
	keys, err := tx.Keys(ids)
	return p, keys, err
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Exec runs a statement that must affect want rows, or db.Any. Its error ends the member: see db.Exec.
func (tx *Tx) Exec(want int, sql string, args ...any) { db.Exec(tx.C, want, sql, args...) }

// Conn returns the connection, for tests that count what passes through it.
func (tx *Tx) Conn() db.Conn { return tx.C }

// turnState is what the members of one turn share. It is written before the commit and ends with the turn.
type turnState struct {
	bySlug map[string]*Project
	swept  bool // every lease that has lapsed by the turn's now is swept

	began   int64           // the newest event before this turn
	indexed bool            // some words were written
	acted   map[acting]bool // actors that this turn has added to the index
	cursor  *frontier.TurnCursor
}

// member is what a Tx needs for writing, as one member's part of a turn.
type member struct {
	Turn    *db.Turn
	state   *turnState
	process *process
	By      task.By
	actor   string // its name in events
	batch   int64  // the id of its first event
	kept    bool

	claims Claims

	Places *frontier.Frontier

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
		p.flush(t)
	}
	if state.indexed {
		return t.SettleWords()
	}
	return nil
}

// process is what the turns of one process pass on to the next. Its zero value is ready for use.
type process struct {
	generation int64 // of the database that the other fields belong to
	actors     knownActors
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
			s.generation, s.cursors, s.actors = t.Generation, frontier.Cursors{}, nil
		}
		state = &turnState{bySlug: map[string]*Project{}, began: t.LastEvent, cursor: s.cursors.Take()}
		t.State = state
	}
	w := &Tx{C: t.Conn, Head: t.Head, Cache: state.bySlug, member: &member{
		Turn: t, state: state, process: s, By: by, actor: by.Actor.Full(), Fresh: map[int64]bool{},
	}}
	w.Places = frontier.Write(t, state.cursor, w.counted)
	return w
}

// Within limits a reader to some projects; without any, it sees all of them. Every read goes through its project's row
// or through the ids that Visible returns, so other projects do not exist for the reader, and no caller has to check.
func (tx *Tx) Within(projects []string) { tx.scope = projects }

// Hides reports whether a project is outside the reader's scope.
func (tx *Tx) Hides(slug string) bool {
	return len(tx.scope) > 0 && !slices.Contains(tx.scope, slug)
}

// NoProject returns the error for a project that does not exist, or that the reader may not see.
func NoProject(name string) error {
	return fault.Missing("there is no project %q", name).WithHint("list them: %s", hint.Projects()).WithCause(task.UnknownProject(name))
}

// NoDatabase returns the error for a project that is looked up without a database: the path may be mistyped.
func NoDatabase(path string) *fault.Error {
	return fault.Missing("there is no database at %s", path).
		WithHint("in the repository, a person begins with %s, and an agent asks its person for that; if yours is elsewhere, set TASKER_DB to its path",
			hint.Command("init"))
}

// NoProjectYet returns the refusal of a request that needs a project when there is none.
func (tx *Tx) NoProjectYet() error {
	if tx.Head.Absent != "" {
		return NoDatabase(tx.Head.Absent)
	}
	return fault.Missing("there is no project yet").
		WithHint("in the repository, a person begins with %s, and an agent asks its person for that; a plan makes its project too: %s",
			hint.Command("init"), hint.ApplyFile())
}

// View is what the reads of a project use if they can also show it as it was at an event: a Tx, or the project as it
// was.
type View interface {
	// Current returns the transaction if the view shows the present, and nil if it shows an earlier moment. Events do
	// not record workspaces, guidance, or what waits for people, so nobody knows what those were.
	Current() *Tx
	// Now returns the moment of the view.
	Now() task.Time

	// Generation returns how often the database was restored, from 1.
	Generation() int64

	Project(slug string) (*task.Project, error)
	Projects() ([]*task.Project, error)
	// NoProjectYet returns the refusal of a request that needs a project when there is none.
	NoProjectYet() error
	Overdue(project string) (int, error)
	ClosedSince(project string, since task.Time) (int, error)
	// Marked counts the tasks that have a mark for a reader.
	Marked(project string, mark task.Mark, reader string) (int, error)
	ReadyBy(project string) (ready []query.RouteCount, keptBack int, err error)

	FirstCreated(project string) (task.Time, error)
	CreatedBySpan(project string, s query.Spans) ([]int, error)
	ClosedBySpan(project string, status task.Status, s query.Spans) ([]int, error)
	Remaining(project string, limit int) ([]query.Remaining, error)
	Parts(project string) (map[task.ID]query.Parts, error)

	Task(id task.ID) (*task.Task, error)
	TaskByKey(project, key string) (*task.Task, error)
	TasksByID(ids []task.ID) ([]*task.Task, error)
	Fill(tasks ...*task.Task) error
	FillWithin(bytes int, tasks ...*task.Task) (int, error)
	List(q query.List) (tasks []*task.Task, total query.Count, next string, err error)
	HeldFirst(project string, limit int) ([]task.Hold, error)
	Touching(project string, starts []string, but task.ID, limit int) (held []*task.Task, more bool, err error)
	Closed(project string, status task.Status, since task.Time, limit int) ([]*task.Task, error)
	Titles(project string, ids []task.ID) (map[task.ID]string, error)

	Children(id task.ID) ([]task.ID, error)
	Dependents(id task.ID) ([]task.ID, error)
	Edges(ids []task.ID) ([]query.Edge, error)
	EdgesFrom(ids []task.ID, limit int) ([]query.Edge, error)
	EdgesTo(ids []task.ID, limit int) ([]query.Edge, error)
	FirstAwaited(ids []task.ID) (map[task.ID]task.ID, error)
	TiesFrom(ids []task.ID) ([]query.Tie, error)
	TiesTo(ids []task.ID) ([]query.Tie, error)
	Below(id task.ID) ([]*task.Task, error)
	Epics(project string, limit int) (some []query.Epic, more bool, err error)
	Flow(project string) (query.Flow, error)
	Neighbours(t *task.Task, limit int) (query.Neighbours, error)
	Ancestry(id task.ID, limit, bytes int) (up []*task.Task, bodied int, err error)

	Walk(q query.Frontier, yield func(*task.Task) bool) error
	Cards(q query.Cards) ([][]task.Card, error)

	Notes(id task.ID, newest int) ([]task.Note, error)
	Evidence(id task.ID) ([]task.Evidence, error)
	NewestEvidence(id task.ID, newest int) ([]task.Evidence, []string, error)
	Approvals(id task.ID) ([]task.Approval, error)
	Decisions(id task.ID, newest int) ([]task.Decision, error)
	Bindings(id task.ID) ([]task.Binding, error)
	Questions(id task.ID, newest int) (some []task.Question, total int, err error)

	Events(q query.Events) ([]task.Event, error)
	LastEvent() int64
	LogStart() (query.LogStart, error)
	History(id task.ID, limit, bytes int) (events []task.Event, more bool, err error)
}

var _ View = (*Tx)(nil)

// Current returns the transaction itself.
func (tx *Tx) Current() *Tx { return tx }
