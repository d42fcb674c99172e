package frontier

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// step is one frontier row in the caller's order, with the task's record as stored, or nil if only keys were read.
type step struct {
	k1   []byte
	bias int
	k2   []byte
	task int64
	rec  *task.Task
	pref string
}

func stepOf(p *Project, q query.Frontier, order task.Order, t *task.Task) step {
	k1, k2 := order.SortKey(t)
	return step{k1, task.Bias(string(t.PreferredActor), q.Policy, q.Actor), k2, p.key(t), t, string(t.PreferredActor)}
}

func (s step) compare(o step) int {
	return cmp.Or(bytes.Compare(s.k1, o.k1), cmp.Compare(s.bias, o.bias), bytes.Compare(s.k2, o.k2), cmp.Compare(s.task, o.task))
}

// merged yields the steps of several streams in order, up to an end.
type merged struct {
	streams []*stream
	until   *step
	keys    bool // they read only keys
	given   int
}

// begin reads the head of every stream in one round trip.
func (m *merged) begin(c db.Conn) error {
	for _, s := range m.streams {
		if err := s.ask(); err != nil {
			return err
		}
	}
	if err := c.Flush(); err != nil {
		return err
	}
	for _, s := range m.streams {
		s.take()
	}
	return nil
}

// by makes the streams continue through another member.
func (m *merged) by(f *Frontier, p *Project) {
	for _, s := range m.streams {
		s.f, s.p = f, p
	}
}

func (m *merged) next() (*step, error) {
	for _, s := range m.streams {
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
	m.streams = slices.DeleteFunc(m.streams, func(s *stream) bool { return len(s.steps) == 0 })
	if len(m.streams) == 0 {
		return nil, nil
	}
	best := slices.MinFunc(m.streams, func(a, b *stream) int { return a.steps[0].compare(b.steps[0]) })
	first := &best.steps[0]
	best.steps = best.steps[1:]
	m.given++
	if m.until != nil && first.compare(*m.until) >= 0 {
		m.streams = nil
		return nil, nil
	}
	return first, nil
}

// stream yields the rows of one route in the caller's order. Rows are sorted by k1, preference, k2; the caller wants
// k1, bias, k2. A group of equal k1 that fits in one chunk is sorted here. The last group may continue, and is read as
// up to three runs that are in order already: tasks that prefer the caller, nobody, and somebody else.
type stream struct {
	f      *Frontier
	p      *Project
	policy int64
	route  int64
	q      *query.Frontier
	of     *merged
	others int // number of other streams in the same walk

	steps []step
	asked []step // the rows of a query that has not been flushed yet
	past  []byte // the last k1 that was read completely; nil at the start
	begun bool
	chunk int
	group *runs
	done  bool
}

// chunks are how many rows a walk reads at once. There are few sizes, so that their statements stay prepared (SQLite
// plans a statement again whenever its limit is a parameter). 24 and 50 fit what selection lists as passed over, and
// the usual page of tasks.
var chunks = []int{1, 2, 8, 24, 32, 50, 128}

// next returns how many rows to read after the first ones: the stream's share of what the walk wants, then more the
// further it goes, but never more than the walk still wants.
func (s *stream) next(before int) int {
	want := 2*before + 1
	switch {
	case before == 0 && s.q.Limit > 0:
		want = (s.q.Limit + s.others) / (s.others + 1)
		if s.of.keys { // keys are cheap, and another statement is not
			want = max(want, min(s.q.Limit, 150/(s.others+1)))
		}
	case before == 0:
		want = 2
	case s.q.Limit > s.of.given:
		want = min(want, s.q.Limit-s.of.given)
	}
	at, _ := slices.BinarySearch(chunks, want)
	return chunks[min(at, len(chunks)-1)]
}

// fill reads the next chunk of an exhausted stream.
func (s *stream) fill() error {
	for len(s.steps) == 0 && !s.done {
		if s.group == nil {
			if err := cmp.Or(s.ask(), s.f.c.Flush()); err != nil {
				return err
			}
			s.take()
			continue
		}
		steps, err := s.group.more()
		if err != nil {
			return err
		}
		if len(steps) == 0 {
			s.past, s.group = s.group.k1, nil
		}
		s.steps = steps
	}
	return nil
}

// read queries rows in the order of an index. cond follows the conditions on policy and route.
func (s *stream) read(cond, order string, limit int, args []any, row func(step)) error {
	form := &keysAlone
	if !s.of.keys {
		form = &forms[s.q.Form]
	}
	n, scan := form.n, rows.Scanner{Slug: s.p.Rec.Slug, Limit: limit}
	sql := `SELECT ` + form.cols + `, f.k1, f.pref, f.k2 FROM frontier f` + form.from + `f.policy=$1 AND f.route=$2` + cond +
		` ORDER BY ` + order + ` LIMIT ` + strconv.Itoa(limit)
	return s.f.c.Ask(sql, append([]any{s.policy, s.route}, args...), func(r db.Row) (err error) {
		at := step{scan.Key(r.Bytes(n)), 0, scan.Key(r.Bytes(n + 2)), rows.Ref(r), nil, r.Text(n + 1)}
		at.bias = task.Bias(at.pref, s.q.Policy, s.q.Actor)
		if form.scan != nil {
			at.rec = scan.Task()
			at.rec.PreferredActor = task.Opt(at.pref)
			err = form.scan(&scan, r, at.rec)
		}
		row(at)
		return err
	})
}

// ask queries the next chunk, which is filled by the next flush.
func (s *stream) ask() error {
	s.chunk = s.next(s.chunk)
	s.asked = make([]step, 0, s.chunk)
	var cond string
	var args []any
	if s.begun {
		cond, args = ` AND f.k1>$3`, []any{s.past}
	}
	return s.read(cond, `f.k1, f.pref, f.k2, f.task`, s.chunk, args, func(row step) { s.asked = append(s.asked, row) })
}

// take sorts the chunk that was asked for into the caller's order.
func (s *stream) take() {
	rows := s.asked
	s.begun, s.asked = true, nil
	if len(rows) < s.chunk {
		s.done = true
		slices.SortFunc(rows, step.compare)
		s.steps = rows
		return
	}
	last := rows[len(rows)-1].k1
	whole := slices.IndexFunc(rows, func(r step) bool { return bytes.Equal(r.k1, last) })
	s.steps = rows[:whole]
	slices.SortFunc(s.steps, step.compare)
	s.group = newRuns(s, last, rows[whole:])
}

// Runs are an optimisation: the rows of a place are sorted by sort key, preferred actor and the rest of the key, while
// a caller wants its bias before the rest. A group with one sort key may be most of a project. Read as up to three
// runs, each already in order, it costs only as much as the caller takes. Without runs, at a tenth of the
// tasks of make bench, "GET ready" takes 2.4 times and "GET next" 5 times the processor time (PostgreSQL: 1.6 and 2.5
// times), and more in larger projects. To remove them, make stream.take read the last group whole and sort it.

// runs is a long group of equal sort keys.
type runs struct {
	s    *stream
	k1   []byte
	list []*run
}

// run is one of the up to three runs of a group: an index has each in the order of k2 and task.
type run struct {
	cond  string // after policy, route and k1
	args  []any
	bias  int
	steps []step
	last  *step
	chunk int
	done  bool
}

func newRuns(s *stream, k1 []byte, rows []step) *runs {
	mine := s.q.Actor.Name
	none := &run{cond: ` AND f.pref=''`, bias: task.Bias("", s.q.Policy, s.q.Actor), chunk: s.chunk}
	n := slices.IndexFunc(rows, func(s step) bool { return s.pref != "" })
	if n < 0 {
		n = len(rows)
	}
	if n > 0 { // tasks that prefer nobody come first, and their head is read already
		none.steps, none.last = rows[:n:n], &rows[n-1]
	}
	own := &run{cond: ` AND f.pref=$4`, args: []any{mine}, bias: task.Bias(mine, s.q.Policy, s.q.Actor)}
	own.done = mine == "" // a caller without a name: no task prefers it, and its run would repeat the tasks that prefer nobody
	others := &run{cond: ` AND f.pref<>'' AND f.pref<>$4`, args: []any{mine}, bias: 2}
	return &runs{s: s, k1: k1, list: []*run{own, none, others}}
}

// more returns the next step of the group, or none at its end: the lowest bias first, with the runs of one bias merged.
func (g *runs) more() ([]step, error) {
	for bias := range 3 {
		var best *run
		for _, r := range g.list {
			if r.bias != bias {
				continue
			}
			if err := r.fill(g); err != nil {
				return nil, err
			}
			if len(r.steps) > 0 && (best == nil || r.steps[0].compare(best.steps[0]) < 0) {
				best = r
			}
		}
		if best != nil {
			first := best.steps[:1:1]
			best.steps = best.steps[1:]
			return first, nil
		}
	}
	return nil, nil
}

func (r *run) fill(g *runs) error {
	if len(r.steps) > 0 || r.done {
		return nil
	}
	if len(r.args) > 0 { // tasks that prefer somebody
		some, err := g.s.f.prefers(g.s.p, g.s.policy)
		if err != nil || !some {
			r.done = true
			return err
		}
	}
	r.chunk = g.s.next(r.chunk)
	cond, args := ` AND f.k1=$3`+r.cond, append([]any{g.k1}, r.args...)
	if r.last != nil {
		n := len(args) + 2
		cond += ` AND (f.k2, f.task)>($` + strconv.Itoa(n+1) + `, $` + strconv.Itoa(n+2) + `)`
		args = append(args, r.last.k2, r.last.task)
	}
	err := g.s.read(cond, `f.k2, f.task`, r.chunk, args, func(row step) { r.steps = append(r.steps, row) })
	if err := cmp.Or(err, g.s.f.c.Flush()); err != nil {
		return err
	}
	r.done = len(r.steps) < r.chunk
	if len(r.steps) > 0 {
		last := r.steps[len(r.steps)-1]
		r.last = &last
	}
	return nil
}

// prefers reports whether any task on a stored order prefers somebody. Usually none does; then no group has to be
// queried for such tasks, and a board is read in one order. Without it, "GET board" of make bench takes 14 % more
// processor time and "GET ready" allocates 6 % more (PostgreSQL: 25 % and 17 %). A snapshot caches the answer; in a
// turn it may change.
func (f *Frontier) prefers(p *Project, policy int64) (some bool, err error) {
	if f.turn != nil {
		return true, nil
	}
	if some, ok := p.prefers[policy]; ok {
		return some, nil
	}
	some, err = db.Some(f.c, `SELECT 1 FROM frontier WHERE policy=$1 AND pref<>'' LIMIT 1`, policy)
	if p.prefers == nil {
		p.prefers = map[int64]bool{}
	}
	p.prefers[policy] = some
	return some, err
}
