package store

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/eventlog"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Prefetching is an optimisation: what the replies of a turn are about to ask for of tasks is read at once, before they
// ask, so that it costs one round trip and not one for each question of each of them. It saves most on PostgreSQL; the
// row "POST /next" of make bench shows it. A reply never notices whether something was read ahead: what is not there it
// reads itself. To take it out, let expect do nothing.

// How much is read ahead.
const (
	aheadSaved  = 4   // tasks of one reply
	aheadRows   = 400 // kin of one sort, of all tasks of a run
	aheadEvents = 10
	aheadTasks  = 32 // tasks of one statement
)

// expected is a task that the reply of a member will ask for: its body and dependencies, or with bundle everything that a
// bundle is made of.
type expected struct {
	id      task.ID
	hasBody bool
	bundle  bool
}

// expect is told of every task that a member saves: its reply shows them, and whoever has claimed one gets its bundle.
func (w *member) expect(before, after *task.Task) {
	if len(w.expected) < aheadSaved {
		claimed := after.Claim != nil && (before.Claim == nil || before.Claim.Fence != after.Claim.Fence)
		w.expected = append(w.expected, expected{after.ID, after.HasBody, claimed})
	}
}

// ahead is what was read of a task before a reply asked for it.
type ahead struct {
	body   string
	deps   []task.ID // nil: not read
	kin    task.Kin
	events []task.Event
	bundle bool // kin and events were read
	cut    bool // but the kin not whole
}

// readAhead reads what the replies of a snapshot are about to ask for.
func (r *tx) readAhead(batch []*reply) error {
	var bodies, deps, bundles wanting
	r.memo.ahead = make(map[task.ID]*ahead, len(batch))
	for _, reply := range batch {
		for _, t := range reply.expected {
			if r.memo.ahead[t.id] != nil {
				continue
			}
			p, ref, err := r.refOf(t.id)
			if err != nil { // whoever asks for it will be told
				continue
			}
			got := &ahead{bundle: t.bundle}
			r.memo.ahead[t.id] = got
			if t.hasBody {
				bodies = append(bodies, want{p, ref, got})
			}
			if t.bundle {
				bundles = append(bundles, want{p, ref, got})
			} else {
				got.deps = []task.ID{}
				deps = append(deps, want{p, ref, got})
			}
		}
	}
	var some bool
	fresh := map[*project]*[]*task.Task{}
	for _, w := range bundles {
		if !w.p.front.Known() && fresh[w.p] == nil {
			fresh[w.p] = &[]*task.Task{}
			if err := errors.Join(r.front().Ask(w.p.front), r.askLapsed(w.p, fresh[w.p], &some)); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(r.askBodies(bodies), r.askDeps(deps), bundles.runs(r.askKin), r.askEvents(bundles), r.c.Flush()); err != nil {
		return err
	}
	for p, lapsed := range fresh {
		p.front.Learned()
		p.lapsed = *lapsed
	}
	for _, w := range bundles {
		sortKin(&w.got.kin)
	}
	return nil
}

// want is a task of which something is to be read.
type want struct {
	p   *project
	ref int64
	got *ahead
}

type wanting []want

// runs cuts the list into parts of few lengths, so that the statements made for them stay prepared.
func (w wanting) runs(fn func(part wanting, refs []any) error) error {
	for len(w) > 0 {
		n := aheadTasks
		for n > len(w) {
			n /= 2
		}
		refs := make([]any, n)
		for i := range refs {
			refs[i] = w[i].ref
		}
		if err := fn(w[:n], refs); err != nil {
			return err
		}
		w = w[n:]
	}
	return nil
}

func (w wanting) of(ref int64) want {
	return w[slices.IndexFunc(w, func(x want) bool { return x.ref == ref })]
}

func (r *tx) askBodies(w wanting) error {
	return w.runs(func(part wanting, refs []any) error {
		return r.c.Ask(`SELECT task, body FROM task_body WHERE task IN `+db.In(1, len(refs)), refs, db.Scan2(func(ref int64, body string) error {
			part.of(ref).got.body = body
			return nil
		}))
	})
}

func (r *tx) askDeps(w wanting) error {
	return w.runs(func(part wanting, refs []any) error {
		return r.c.Ask(`SELECT task, on_task FROM dep WHERE task IN `+db.In(1, len(refs))+` ORDER BY task, on_task`, refs, db.Scan2(func(ref, on int64) error {
			x := part.of(ref)
			x.got.deps = append(x.got.deps, x.p.id2(on))
			return nil
		}))
	})
}

// askKin asks for the kin of a run of tasks at once. Where it is more than one statement is to give, nothing of the
// run counts as read.
func (r *tx) askKin(part wanting, refs []any) error {
	for sort, from := range kinFrom {
		list, found := db.In(1, len(refs)), 0
		sql := `SELECT ` + rows.KinColumnsT + `, ` + from.of + ` FROM ` + from.tables + ` WHERE ` + from.of + ` IN ` + list + ` LIMIT ` + strconv.Itoa(aheadRows)
		if err := r.c.Ask(sql, refs, func(row db.Row) error {
			x := part.of(row.Int(rows.KinEnd))
			t, err := r.scanKin(x.p, row)
			kin := x.got.kin.Lists()[sort]
			*kin = append(*kin, t)
			if found++; found == aheadRows {
				for _, x := range part {
					x.got.cut = true
				}
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// askEvents asks for the newest events of each task.
func (r *tx) askEvents(w wanting) error {
	for _, x := range w {
		if err := eventlog.AskNewest(r.c, x.p.rec.Slug, x.ref, aheadEvents, &x.got.events); err != nil {
			return err
		}
	}
	return nil
}

// aheadOf returns what was read ahead of a task, nil where nothing was.
func (r *tx) aheadOf(id task.ID) *ahead {
	if r.memo == nil {
		return nil
	}
	return r.memo.ahead[id]
}

// fillAhead fills a task from what was read ahead, where that has all of it.
func (r *tx) fillAhead(t *task.Task) bool {
	got := r.aheadOf(t.ID)
	switch {
	case got == nil || (t.HasBody && got.body == ""):
		return false
	case got.deps == nil && got.cut:
		return false
	case got.deps == nil:
		got.deps = make([]task.ID, len(got.kin.Deps))
		for i, d := range got.kin.Deps {
			got.deps[i] = d.ID
		}
	}
	if t.HasBody {
		t.Body = task.Opt(got.body)
	}
	t.Deps = nil
	if len(got.deps) > 0 {
		t.Deps = slices.Clone(got.deps)
	}
	return true
}

// eventsAhead returns the newest events of a task from what was read ahead, oldest first, where that has all of them.
// What another reader asked for is not for everybody: the task is looked up first.
func (r *tx) eventsAhead(q task.EventQuery) (out []task.Event, ok bool, err error) {
	got := r.aheadOf(q.Task)
	if got == nil || !got.bundle || q != (task.EventQuery{Task: q.Task, Limit: q.Limit}) || q.Limit == 0 ||
		(q.Limit > aheadEvents && len(got.events) == aheadEvents) {
		return nil, false, nil
	}
	if _, _, err := r.refOf(q.Task); err != nil {
		return nil, false, err
	}
	out = slices.Clone(got.events)
	slices.SortFunc(out, func(a, b task.Event) int { return cmp.Compare(a.ID, b.ID) })
	return out[max(0, len(out)-q.Limit):], true, nil
}
