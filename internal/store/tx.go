package store

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// tx is what the records of one snapshot, or of one member of a turn, share.
type tx struct {
	c        db.Conn
	head     db.Head
	projects map[string]*project
	member   *member  // nil in a snapshot
	scope    []string // the projects that it sees; empty: all of them
	memo     *memo    // of a snapshot that several readers share; else nil
}

// Now is the later of the clock and the newest event's time.
func (r *tx) Now() task.Time { return task.Time(r.head.Now) }

// project is a project's row, with what a transaction keeps of it.
type project struct {
	id    int64
	rec   task.Project
	dirty bool

	front   *frontier.Project
	lapsed  []*task.Task    // of a snapshot; nil: not loaded
	tallies map[tallied]int // what the turn changed
}

// shift is how far a project's id stands above its tasks' numbers.
const shift = rows.Shift

func ref(project, n int64) int64       { return rows.KeyOf(project, n) }
func number(ref int64) int64           { return rows.Number(ref) }
func (p *project) ref(n int64) int64   { return ref(p.id, n) }
func (p *project) id2(r int64) task.ID { return task.MakeID(p.rec.Slug, number(r)) }

// refOf is the key of a task of the project.
func (p *project) refOf(t *task.Task) int64 {
	_, n, _ := task.ParseID(string(t.ID))
	return p.ref(n)
}

// span is the range of the project's task ids, both ends included.
func (p *project) span() (lo, hi int64) { return p.ref(0), p.ref(1<<shift - 1) }

// refOf finds the project of an id, and the row's key.
func (r *tx) refOf(id task.ID) (*project, int64, error) {
	slug, n, ok := task.ParseID(string(id))
	if !ok {
		return nil, 0, fault.Missing("there is no task %q", id).WithHint("a task id looks like demo-4")
	}
	p, err := r.project(slug)
	if fault.Is(err, fault.NotFound) {
		return nil, 0, noTask(id)
	}
	if err != nil {
		return nil, 0, err
	}
	return p, p.ref(n), nil
}

func noTask(id task.ID) error {
	return fault.Missing("there is no task %s", id).WithHint("list what there is: tasker list")
}

// refs returns the keys of ids of one or several projects.
func (r *tx) refs(ids []task.ID) ([]int64, error) {
	out := make([]int64, len(ids))
	for i, id := range ids {
		_, ref, err := r.refOf(id)
		if err != nil {
			return nil, err
		}
		out[i] = ref
	}
	return out, nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Conn is the connection below, for tests that count what passes through it.
func (r *tx) Conn() db.Conn { return r.c }
