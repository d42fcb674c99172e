package store

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// This file prefetches what the replies of a turn are about to ask for, in one round trip.
//
// It is an optimisation: it costs one round trip in place of one for each question of each reply. Without it, "POST
// /next" of make bench takes twice the processor time on PostgreSQL and loses a sixth of its rate; on SQLite it takes 4
// % more. A reply never notices whether something was prefetched: it reads whatever is missing itself. To remove it,
// make expect do nothing.

// Limits on how much is prefetched.
const (
	maxSaved  = 4   // tasks of one reply
	maxRows   = 400 // neighbours of one kind that a statement reads
	maxEvents = 10
	maxHeld   = 20 // held tasks to count for the actor that claimed one
)

// expect notes a task that a member saves: the reply will show it, with its bundle if the member claimed it.
func expect(tx *Tx, before, after *task.Task) {
	if len(tx.Expected) < maxSaved {
		claimed := after.Claim != nil && (before.Claim == nil || before.Claim.Fence != after.Claim.Fence)
		e := Expected{ID: after.ID, HasBody: after.HasBody, Bundle: claimed}
		if claimed {
			e.Holder = after.Claim.Actor
		}
		tx.Expected = append(tx.Expected, e)
	}
}

// aheadReader prefetches in one snapshot.
type aheadReader struct{ *Tx }

// readAhead prefetches the tasks that the replies of a snapshot expect.
func readAhead(tx *Tx, replies [][]Expected) error {
	r := aheadReader{tx}
	var bodies, deps, bundles wanting
	r.Shared.Ahead = make(map[task.ID]*Ahead, len(replies))
	for _, expected := range replies {
		for _, t := range expected {
			if r.Shared.Ahead[t.ID] != nil {
				continue
			}
			p, ref, err := r.KeyOf(t.ID)
			if err != nil { // the reply that asks for it gets the error
				continue
			}
			got := &Ahead{Bundle: t.Bundle, Holder: t.Holder}
			r.Shared.Ahead[t.ID] = got
			if t.HasBody {
				bodies = append(bodies, want{p, ref, got})
			}
			if t.Bundle {
				bundles = append(bundles, want{p, ref, got})
				got.Concern = &query.Concern{}
				if err := askConcerned(r.C, p.ID, holderNames(t.Holder), ref, maxHeld, got.Concern); err != nil {
					return err
				}
			} else {
				got.Deps = []task.ID{}
				deps = append(deps, want{p, ref, got})
			}
		}
	}
	var some bool
	fresh := map[*Project]*[]*task.Task{}
	for _, w := range bundles {
		if !w.p.Front.Known() && fresh[w.p] == nil {
			fresh[w.p] = &[]*task.Task{}
			if err := errors.Join(r.Front().Ask(w.p.Front), r.AskLapsed(w.p, fresh[w.p], &some)); err != nil {
				return err
			}
		}
	}
	if err := errors.Join(r.askBodies(bodies), r.askDeps(deps), r.askNeighbours(bundles), r.askEvents(bundles), r.C.Flush()); err != nil {
		return err
	}
	for p, lapsed := range fresh {
		p.Front.Learned()
		p.Lapsed = *lapsed
	}
	for _, w := range bundles {
		sortNeighbours(&w.got.Neighbours)
	}
	return nil
}

// want is a task to read something about.
type want struct {
	p   *Project
	ref int64
	got *Ahead
}

type wanting []want

// runs calls fn with runs of the tasks' keys.
func (w wanting) runs(fn func(refs []any) error) error {
	refs := make([]int64, len(w))
	for i, x := range w {
		refs[i] = x.ref
	}
	return db.Batches(refs, fn)
}

func (w wanting) of(ref int64) want {
	return w[slices.IndexFunc(w, func(x want) bool { return x.ref == ref })]
}

func (r aheadReader) askBodies(w wanting) error {
	return w.runs(func(refs []any) error {
		return r.C.Ask(`SELECT task, body FROM task_body WHERE task IN `+db.In(1, len(refs)), refs, db.Each2(func(ref int64, body string) {
			w.of(ref).got.Body = body
		}))
	})
}

func (r aheadReader) askDeps(w wanting) error {
	return w.runs(func(refs []any) error {
		return r.C.Ask(`SELECT task, on_task FROM dep WHERE task IN `+db.In(1, len(refs))+` ORDER BY task, on_task`, refs, db.Each2(func(ref, on int64) {
			x := w.of(ref)
			x.got.Deps = append(x.got.Deps, x.p.TaskID(on))
		}))
	})
}

// askNeighbours queries the neighbours of tasks at once. If they exceed the limit of a statement, none counts as read.
func (r aheadReader) askNeighbours(w wanting) error {
	return w.runs(func(refs []any) error {
		for sort, from := range neighboursFrom {
			of, found := db.In(1, len(refs)), 0
			sql := `SELECT ` + rows.NeighbourColumnsT + `, ` + from.Of + ` FROM ` + from.Tables + ` WHERE ` + from.Of + ` IN ` + of + ` LIMIT ` + strconv.Itoa(maxRows)
			if err := r.C.Ask(sql, refs, func(row db.Row) error {
				x := w.of(row.Int(rows.NeighbourEnd))
				t, err := scanNeighbour(r.Now(), x.p, row)
				list := listsOf(&x.got.Neighbours)[sort]
				*list = append(*list, t)
				if found++; found == maxRows {
					for _, x := range w {
						x.got.Cut = true
					}
				}
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// askEvents queries the newest events of each task.
func (r aheadReader) askEvents(w wanting) error {
	slugs := map[int64]string{}
	wanted := make([]newestOf, len(w))
	for i, x := range w {
		slugs[rows.ProjectOf(x.ref)] = x.p.Rec.Slug
		wanted[i] = newestOf{Key: x.ref, Into: &x.got.History}
	}
	return askNewest(r.C, slugs, maxEvents, wanted)
}

// aheadOf returns what was prefetched for a task, or nil.
func aheadOf(tx *Tx, id task.ID) *Ahead {
	if tx.Shared == nil {
		return nil
	}
	return tx.Shared.Ahead[id]
}

// fillAhead fills a task from what was prefetched, and reports whether that was complete.
func fillAhead(tx *Tx, t *task.Task) bool {
	got := aheadOf(tx, t.ID)
	switch {
	case got == nil, t.HasBody && got.Body == "", got.Deps == nil && got.Cut:
		return false
	case got.Deps == nil:
		got.Deps = make([]task.ID, len(got.Neighbours.Deps))
		for i, d := range got.Neighbours.Deps {
			got.Deps[i] = d.ID
		}
	}
	if t.HasBody {
		t.Body = task.Opt(got.Body)
	}
	t.Deps = append([]task.ID(nil), got.Deps...) // nil without any
	return true
}

// eventsAhead returns a task's newest events, oldest first, if all of them were prefetched. It looks the task up first,
// because this reader may not be allowed to see what was prefetched for another.
func eventsAhead(tx *Tx, id task.ID, limit int) (out []task.Event, ok bool, err error) {
	got := aheadOf(tx, id)
	if got == nil || !got.Bundle || limit > maxEvents && len(got.History) == maxEvents {
		return nil, false, nil
	}
	if _, _, err := tx.KeyOf(id); err != nil {
		return nil, false, err
	}
	out = slices.Clone(got.History)
	slices.SortFunc(out, func(a, b task.Event) int { return cmp.Compare(a.ID, b.ID) })
	return out[max(0, len(out)-limit):], true, nil
}

// holderNames returns the names that an actor acts under: its full name, and its name without the instance.
func holderNames(actor string) []string {
	if plain, _, ok := strings.Cut(actor, "/"); ok {
		return []string{actor, plain}
	}
	return []string{actor}
}

// concernAhead returns whether an actor that has just claimed a task can have news about other tasks, and whether that
// was prefetched. Like Events, it looks the task up first.
func concernAhead(tx *Tx, of []string, claimed task.ID, limit int) (c query.Concern, ok bool, err error) {
	got := aheadOf(tx, claimed)
	if got == nil || got.Concern == nil || limit > maxHeld || !slices.Equal(of, holderNames(got.Holder)) {
		return c, false, nil
	}
	if _, _, err := tx.KeyOf(claimed); err != nil {
		return c, false, err
	}
	c = *got.Concern
	c.Held = min(c.Held, limit)
	return c, true, nil
}
