package store

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/eventlog"
	"tasker/internal/store/rows"
	"tasker/internal/store/tx"
	"tasker/internal/task"
)

// Prefetching is an optimisation: what the replies of a turn are about to ask for of tasks is read at once, before they
// ask, so that it costs one round trip and not one for each question of each of them. It saves most on PostgreSQL; on
// SQLite, "POST /next" of make bench takes 4 to 5 % more processor time without it and allocates 11 % more. A reply never
// notices whether something was read ahead: what is not there it reads itself. To take it out, let expect do nothing.

// How much is read ahead.
const (
	aheadSaved  = 4   // tasks of one reply
	aheadRows   = 400 // kin of one kind, of all tasks of a run
	aheadEvents = 10
	aheadTasks  = 32 // tasks of one statement
)

// expect is told of every task that a member saves. Its reply shows them, and a task that it claimed with its bundle.
func expect(w *tx.Member, before, after *task.Task) {
	if len(w.Expected) < aheadSaved {
		claimed := after.Claim != nil && (before.Claim == nil || before.Claim.Fence != after.Claim.Fence)
		w.Expected = append(w.Expected, tx.Expected{ID: after.ID, HasBody: after.HasBody, Bundle: claimed})
	}
}

// prefetcher reads ahead in one snapshot.
type prefetcher struct{ *tx.Tx }

// readAhead reads what the replies of a snapshot are about to need.
func (r prefetcher) readAhead(batch []*reply) error {
	var bodies, deps, bundles wanting
	r.Shared.Ahead = make(map[task.ID]*tx.Ahead, len(batch))
	for _, reply := range batch {
		for _, t := range reply.expected {
			if r.Shared.Ahead[t.ID] != nil {
				continue
			}
			p, ref, err := r.KeyOf(t.ID)
			if err != nil { // whoever asks for it will be told
				continue
			}
			got := &tx.Ahead{Bundle: t.Bundle}
			r.Shared.Ahead[t.ID] = got
			if t.HasBody {
				bodies = append(bodies, want{p, ref, got})
			}
			if t.Bundle {
				bundles = append(bundles, want{p, ref, got})
			} else {
				got.Deps = []task.ID{}
				deps = append(deps, want{p, ref, got})
			}
		}
	}
	var some bool
	fresh := map[*tx.Project]*[]*task.Task{}
	for _, w := range bundles {
		if !w.p.Front.Known() && fresh[w.p] == nil {
			fresh[w.p] = &[]*task.Task{}
			if err := errors.Join(r.Front().Ask(w.p.Front), r.AskLapsed(w.p, fresh[w.p], &some)); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(r.askBodies(bodies), r.askDeps(deps), bundles.runs(r.askKin), r.askEvents(bundles), r.C.Flush()); err != nil {
		return err
	}
	for p, lapsed := range fresh {
		p.Front.Learned()
		p.Lapsed = *lapsed
	}
	for _, w := range bundles {
		sortKin(&w.got.Kin)
	}
	return nil
}

// want is a task of which something is to be read.
type want struct {
	p   *tx.Project
	ref int64
	got *tx.Ahead
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

func (r prefetcher) askBodies(w wanting) error {
	return w.runs(func(part wanting, refs []any) error {
		return r.C.Ask(`SELECT task, body FROM task_body WHERE task IN `+db.In(1, len(refs)), refs, db.Scan2(func(ref int64, body string) error {
			part.of(ref).got.Body = body
			return nil
		}))
	})
}

func (r prefetcher) askDeps(w wanting) error {
	return w.runs(func(part wanting, refs []any) error {
		return r.C.Ask(`SELECT task, on_task FROM dep WHERE task IN `+db.In(1, len(refs))+` ORDER BY task, on_task`, refs, db.Scan2(func(ref, on int64) error {
			x := part.of(ref)
			x.got.Deps = append(x.got.Deps, x.p.TaskID(on))
			return nil
		}))
	})
}

// askKin queries the kin of a run of tasks at once. If they exceed the limit of one statement, none of the run counts
// as read.
func (r prefetcher) askKin(part wanting, refs []any) error {
	for sort, from := range kinFrom {
		list, found := db.In(1, len(refs)), 0
		sql := `SELECT ` + rows.KinColumnsT + `, ` + from.of + ` FROM ` + from.tables + ` WHERE ` + from.of + ` IN ` + list + ` LIMIT ` + strconv.Itoa(aheadRows)
		if err := r.C.Ask(sql, refs, func(row db.Row) error {
			x := part.of(row.Int(rows.KinEnd))
			t, err := scanKin(r.Now(), x.p, row)
			kin := x.got.Kin.Lists()[sort]
			*kin = append(*kin, t)
			if found++; found == aheadRows {
				for _, x := range part {
					x.got.Cut = true
				}
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// askEvents queries the newest events of each task.
func (r prefetcher) askEvents(w wanting) error {
	slugs := map[int64]string{}
	wanted := make([]eventlog.Newest, len(w))
	for i, x := range w {
		slugs[rows.ProjectOf(x.ref)] = x.p.Rec.Slug
		wanted[i] = eventlog.Newest{Key: x.ref, Into: &x.got.History}
	}
	return eventlog.AskNewest(r.C, slugs, aheadEvents, wanted)
}

// aheadOf returns what was read ahead of a task, or nil.
func aheadOf(r *tx.Tx, id task.ID) *tx.Ahead {
	if r.Shared == nil {
		return nil
	}
	return r.Shared.Ahead[id]
}

// fillAhead fills a task from what was read ahead, and reports whether that was complete.
func fillAhead(r *tx.Tx, t *task.Task) bool {
	got := aheadOf(r, t.ID)
	switch {
	case got == nil || (t.HasBody && got.Body == ""):
		return false
	case got.Deps == nil && got.Cut:
		return false
	case got.Deps == nil:
		got.Deps = make([]task.ID, len(got.Kin.Deps))
		for i, d := range got.Kin.Deps {
			got.Deps[i] = d.ID
		}
	}
	if t.HasBody {
		t.Body = task.Opt(got.Body)
	}
	t.Deps = nil
	if len(got.Deps) > 0 {
		t.Deps = slices.Clone(got.Deps)
	}
	return true
}

// eventsAhead returns a task's newest events, oldest first, from what was read ahead, if that is complete. It looks
// the task up first, because what another reader had read ahead may be hidden from this one.
func eventsAhead(r *tx.Tx, id task.ID, limit int) (out []task.Event, ok bool, err error) {
	got := aheadOf(r, id)
	if got == nil || !got.Bundle || limit > aheadEvents && len(got.History) == aheadEvents {
		return nil, false, nil
	}
	if _, _, err := r.KeyOf(id); err != nil {
		return nil, false, err
	}
	out = slices.Clone(got.History)
	slices.SortFunc(out, func(a, b task.Event) int { return cmp.Compare(a.ID, b.ID) })
	return out[max(0, len(out)-limit):], true, nil
}
