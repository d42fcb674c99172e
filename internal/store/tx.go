package store

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
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

// shift is the number of bits of a task's number in its key, below the project's id.
const shift = rows.Shift

func keyOf(project, n int64) int64 { return rows.KeyOf(project, n) }
func numberOf(ref int64) int64     { return rows.Number(ref) }

// Ref returns the key of the task with a number.
func (p *Project) Ref(n int64) int64 { return keyOf(p.ID, n) }

// TaskID returns the id of the task with a key.
func (p *Project) TaskID(r int64) task.ID { return task.MakeID(p.Rec.Slug, numberOf(r)) }

// KeyOf returns the key of a task of the project.
func (p *Project) KeyOf(t *task.Task) int64 {
	_, n, _ := task.ParseID(string(t.ID))
	return p.Ref(n)
}

// Span returns the first and the last key that a task of the project can have.
func (p *Project) Span() (lo, hi int64) { return p.Ref(0), p.Ref(1<<shift - 1) }

// KeyOf returns the project of an id, and the task's key.
func (tx *Tx) KeyOf(id task.ID) (*Project, int64, error) {
	slug, n, ok := task.ParseID(string(id))
	if !ok {
		return nil, 0, fault.Missing("there is no task %q", id).WithHint("a task id looks like demo-4")
	}
	p, err := tx.Find(slug)
	if fault.Is(err, fault.NotFound) && tx.Head.Absent == "" {
		if p, n, renamed := tx.formerly(slug, n); renamed == nil && p != nil {
			return p, p.Ref(n), nil
		}
		return nil, 0, tx.noTaskOf(slug, id).WithCause(err)
	}
	if err != nil {
		return nil, 0, err
	}
	return p, p.Ref(n), nil
}

// noTaskOf returns the error for an id whose project does not exist. It suggests the same number in a project of nearly
// that name.
func (tx *Tx) noTaskOf(slug string, id task.ID) *fault.Error {
	e := fault.Missing("there is no task %s", id)
	const looked = 1000 // projects that are compared
	var slugs []string
	err := tx.C.Query(`SELECT slug FROM project ORDER BY slug LIMIT $1`, []any{looked}, db.Scan1(func(s string) error {
		if !tx.Hides(s) {
			slugs = append(slugs, s)
		}
		return nil
	}))
	if near := words.Nearest(slug, slugs); err == nil && near != "" {
		_, n, _ := task.ParseID(string(id))
		return e.WithHint("did you mean %s?", task.MakeID(near, n))
	}
	return e.WithHint("list the projects that there are: %s", hint.Projects())
}

// NoTask returns the error for a task that does not exist in its project.
func (p *Project) NoTask(id task.ID) error {
	return fault.Missing("there is no task %s", id).WithHint("list what there is: %s", hint.ListOf(p.Rec.Slug))
}

// Keys returns the keys of ids of one or several projects.
func (tx *Tx) Keys(ids []task.ID) ([]int64, error) {
	out := make([]int64, len(ids))
	for i, id := range ids {
		_, ref, err := tx.KeyOf(id)
		if err != nil {
			return nil, err
		}
		out[i] = ref
	}
	return out, nil
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
