package tx

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/remedy"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Tx is what the records of one snapshot, or of one member of a turn, share.
type Tx struct {
	C      db.Conn
	Head   db.Head
	Cache  map[string]*Project
	Member *Member  // nil in a snapshot
	scope  []string // the projects that it sees; empty: all of them
	Shared *Shared  // of a snapshot that several readers share; else nil
}

// Now returns the later of the clock and the newest event's time.
func (r *Tx) Now() task.Time { return task.Time(r.Head.Now) }

// At returns what a snapshot shares where it is read at another moment; nothing that was read of it before.
func At(r *Tx, t task.Time) *Tx {
	at := New(r.C, r.Head, nil, nil)
	at.Head.Now, at.scope = int64(t), r.scope
	return at
}

// Project is a project's row, with what a transaction has read of the project.
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

func ref(project, n int64) int64 { return rows.KeyOf(project, n) }
func number(ref int64) int64     { return rows.Number(ref) }

// Ref returns the key of the task with a number.
func (p *Project) Ref(n int64) int64 { return ref(p.ID, n) }

// TaskID returns the id of the task with a key.
func (p *Project) TaskID(r int64) task.ID { return task.MakeID(p.Rec.Slug, number(r)) }

// KeyOf returns the key of a task of the project.
func (p *Project) KeyOf(t *task.Task) int64 {
	_, n, _ := task.ParseID(string(t.ID))
	return p.Ref(n)
}

// Span returns the first and the last key that a task of the project can have.
func (p *Project) Span() (lo, hi int64) { return p.Ref(0), p.Ref(1<<shift - 1) }

// KeyOf returns the project of an id, and the task's key.
func (r *Tx) KeyOf(id task.ID) (*Project, int64, error) {
	slug, n, ok := task.ParseID(string(id))
	if !ok {
		return nil, 0, fault.Missing("there is no task %q", id).WithHint("a task id looks like demo-4")
	}
	p, err := r.Find(slug)
	if fault.Is(err, fault.NotFound) && r.Head.Absent == "" {
		if p, n, renamed := r.formerly(slug, n); renamed == nil && p != nil {
			return p, p.Ref(n), nil
		}
		return nil, 0, fault.Missing("there is no task %s", id).
			WithHint("list the projects that there are: %s", remedy.Projects()).WithCause(err)
	}
	if err != nil {
		return nil, 0, err
	}
	return p, p.Ref(n), nil
}

// NoTask returns the error for a task that does not exist in its project.
func (p *Project) NoTask(id task.ID) error {
	return fault.Missing("there is no task %s", id).WithHint("list what there is: %s", remedy.ListOf(p.Rec.Slug))
}

// Keys returns the keys of ids of one or several projects.
func (r *Tx) Keys(ids []task.ID) ([]int64, error) {
	out := make([]int64, len(ids))
	for i, id := range ids {
		_, ref, err := r.KeyOf(id)
		if err != nil {
			return nil, err
		}
		out[i] = ref
	}
	return out, nil
}

// FindKeys returns a project and the keys of ids.
func (r *Tx) FindKeys(slug string, ids []task.ID) (*Project, []int64, error) {
	p, err := r.Find(slug)
	if err != nil {
		return nil, nil, err
	}
	keys, err := r.Keys(ids)
	return p, keys, err
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Conn returns the connection, for tests that count what passes through it.
func (r *Tx) Conn() db.Conn { return r.C }
