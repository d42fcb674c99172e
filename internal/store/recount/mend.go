package recount

import (
	"cmp"
	"math"
	"slices"

	"tasker/internal/db"
	"tasker/internal/glob"
	"tasker/internal/store"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Repair is one step of a larger repair. A snapshot finds it, and a turn that may come much later writes it. It is short: a
// few statements about one row that differs, however large the project is. So a repair blocks nobody, and can stop
// anywhere: a recount finds what is left.
//
// It must not lose what others have written in between. A step checks that what it was found from still holds, and does
// nothing if it may not; or it computes what it writes in the turn; or it changes a count by as much as it was wrong,
// which no other change of the count corrects.
type Repair struct {
	Of   *query.Finding // what it repairs, perhaps together with others
	ref  int64          // the key of its task, which orders the steps
	seen *seen
	what step
}

// step is what a mend does in a turn. It reports whether it wrote.
type step interface {
	do(w *store.Tx, p *store.Project, s *seen) (bool, error)
}

// seen is the state of a project when its steps were found.
type seen struct {
	event int64 // the newest event
	graph int64 // the version of its edges: see task.Project
	own   int   // turns of the repair's own steps since then
}

// The order of steps without a task: rows that belong to no task come first, and totals come last.
const (
	beforeTasks = math.MinInt64
	afterTasks  = math.MaxInt64
)

// mend adds a step that repairs the last finding, unless the findings are written at once.
func (c *recount) mend(ref int64, what step) {
	if c.fix == nil {
		c.steps = append(c.steps, &Repair{Of: c.last, ref: ref, seen: c.seen, what: what})
	}
}

// mends returns the steps in the order in which to do them: the steps of one task stay together.
func (c *recount) mends() []*Repair {
	slices.SortStableFunc(c.steps, func(a, b *Repair) int { return cmp.Compare(a.ref, b.ref) })
	return c.steps
}

// Mend does some steps of a recount of a project, each a few rows, in a turn of its own. It skips the ones that
// somebody else has written in between, and returns the ones that wrote.
func Mend(tx *store.Tx, slug string, steps []*Repair) (done []*Repair, err error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	var s *seen
	for _, m := range steps {
		wrote, err := m.what.do(tx, p, m.seen)
		if err != nil {
			return nil, err
		}
		if wrote {
			s, done = m.seen, append(done, m)
		}
	}
	if s == nil {
		return nil, nil
	}
	tx.Touch(p)
	before := *s
	tx.Turn.Undo(func() { *s = before })
	s.own++
	if p.Rec.GraphVersion == s.graph { // nobody else has changed edges
		s.graph++
	}
	p.Rec.GraphVersion++
	p.Rec.FlowVersion++
	return done, tx.C.Flush()
}

// column is a value in a task's row. It follows from the task's own records, each of which has an event; or from edges,
// which have a version; or it is a count that others change by one when they close or open a task, so it is unchanged
// if they did not.
type column struct {
	ref             int64
	name            string
	stored, written any
}

func (m column) do(w *store.Tx, p *store.Project, s *seen) (bool, error) {
	if (m.name == "in_circle" || m.name == "parts") && p.Rec.GraphVersion != s.graph {
		return false, nil
	}
	sql, args := `SELECT 1 FROM task WHERE id=$1 AND NOT EXISTS (SELECT 1 FROM event WHERE task=$1 AND id>$2)`, []any{m.ref, s.event}
	if n, ok := m.stored.(int); ok {
		sql, args = sql+` AND `+m.name+`=$3`, append(args, n)
	}
	if same, err := db.Some(w.C, sql, args...); err != nil || !same {
		return false, err
	}
	return true, w.C.Exec(1, `UPDATE task SET `+m.name+`=$2 WHERE id=$1`, m.ref, m.written)
}

// place is where a task stands under an order.
type place struct {
	ref  int64
	mend frontier.Mend
}

func (m place) do(w *store.Tx, p *store.Project, _ *seen) (bool, error) {
	t, err := stored(w, p, m.ref)
	if err != nil {
		return false, err
	}
	return true, m.mend(w.Places, p.Front, t)
}

// touches stores where the globs of a task begin, while it is held.
type touches int64

func (m touches) do(w *store.Tx, p *store.Project, _ *seen) (bool, error) {
	t, err := stored(w, p, int64(m))
	if err != nil {
		return false, err
	}
	store.RestoreStarts(w.C, p.ID, int64(m), glob.Starts(t.Occupied()))
	return true, nil
}

// stored returns a task as its row has it, or nil.
func stored(tx *store.Tx, p *store.Project, ref int64) (*task.Task, error) {
	found, err := db.All(tx.C, `SELECT `+rows.TaskColumns+` FROM task WHERE id=$1`, []any{ref}, rows.TaskOf(p.Rec.Slug, rows.ReadTask))
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// orphans are the rows of one task that should not exist.
type orphans struct {
	stray
	ref int64
}

func (m orphans) do(w *store.Tx, _ *store.Project, _ *seen) (bool, error) {
	return true, w.C.Exec(db.Any, m.end+` WHERE `+m.where, m.ref-1, m.ref)
}

// total is a count in a project's row, and how much is missing from it.
type total struct {
	in func(*task.Project) *int
	by int
}

func (m total) do(w *store.Tx, p *store.Project, s *seen) (bool, error) {
	if ok, err := s.alone(w, p); !ok || err != nil {
		return false, err
	}
	w.Touch(p)
	*m.in(&p.Rec) += m.by
	return true, nil
}

// tally is a count that is not in the project's row.
type tally struct {
	store.Tally
	by int
}

func (m tally) do(w *store.Tx, p *store.Project, s *seen) (bool, error) {
	if ok, err := s.alone(w, p); !ok || err != nil {
		return false, err
	}
	w.Count(p, m.What, m.At, m.by)
	return true, nil
}

// alone reports whether nobody else has repaired the project since then. Another repair may have corrected the same
// counts.
func (s *seen) alone(w *store.Tx, p *store.Project) (bool, error) {
	n, err := db.Value[int](w.C, `SELECT COUNT(*) FROM event WHERE project=$1 AND kind=$2 AND id>$3 AND payload LIKE '{"repaired":%'`,
		p.ID, string(task.ProjectUpdated), s.event)
	return n == s.own, err
}

// nextNumber is the number of the next task. Other writers can only make it larger.
type nextNumber int64

func (m nextNumber) do(w *store.Tx, p *store.Project, _ *seen) (bool, error) {
	if p.Rec.NextNumber >= int64(m) {
		return false, nil
	}
	w.Touch(p)
	p.Rec.NextNumber = int64(m)
	return true, nil
}

// words is a document of the text index, or an actor.
type words store.IndexMend

func (m words) do(w *store.Tx, _ *store.Project, _ *seen) (bool, error) { return true, m(w) }
