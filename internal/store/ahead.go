package store

import (
	"slices"

	"tasker/internal/task"
)

// What is read ahead of a task's bundle: so many of each sort of kin, so many of its newest events.
const (
	aheadKin    = 201
	aheadEvents = 10
)

// ahead is what was read of a task for an answer before it asked: that of all answers of a snapshot together, so that
// they cost one round trip.
type ahead struct {
	body   string
	deps   []task.ID // nil: not read
	kin    task.Kin
	events []task.Event
	around bool // kin and events were read
}

// readAhead reads what the answers of a snapshot are about to ask for.
func (r *Reader) readAhead(batch []*answer) error {
	for _, a := range batch {
		if a.need.Task == nil {
			continue
		}
		if r.memo.ahead == nil {
			r.memo.ahead = make(map[task.ID]*ahead, len(batch))
		}
		id := a.need.Task.ID
		if r.memo.ahead[id] != nil {
			continue
		}
		p, ref, err := r.refOf(id)
		if err != nil { // whoever asks for it will be told
			continue
		}
		got := &ahead{around: a.need.Around}
		r.memo.ahead[id] = got
		if err := r.askAhead(p, ref, a.need, got); err != nil {
			return err
		}
	}
	if err := r.c.Flush(); err != nil {
		return err
	}
	for _, got := range r.memo.ahead {
		sortKin(&got.kin)
	}
	return nil
}

func (r *Reader) askAhead(p *project, ref int64, need task.Need, got *ahead) error {
	if need.Task.HasBody {
		if err := r.c.Ask(`SELECT body FROM task_body WHERE task=$1`, []any{ref}, func(row Row) error {
			got.body = row.Text(0)
			return nil
		}); err != nil {
			return err
		}
	}
	if !need.Around {
		got.deps = []task.ID{}
		return r.c.Ask(`SELECT on_task FROM dep WHERE task=$1 ORDER BY on_task`, []any{ref}, func(row Row) error {
			got.deps = append(got.deps, p.id2(row.Int(0)))
			return nil
		})
	}
	if err := r.askKin(p, ref, aheadKin, &got.kin); err != nil {
		return err
	}
	slugs := map[int64]string{p.id: p.rec.Slug}
	return r.c.Ask(newestOfTask, []any{ref}, func(row Row) error { return scanEvent(slugs, row, &got.events) })
}

// aheadOf gives what was read ahead of a task, nil where nothing was.
func (r *Reader) aheadOf(id task.ID) *ahead {
	if r.memo == nil {
		return nil
	}
	return r.memo.ahead[id]
}

// fillAhead fills a task from what was read ahead, where that has all of it.
func (r *Reader) fillAhead(t *task.Task) bool {
	got := r.aheadOf(t.ID)
	switch {
	case got == nil || (t.HasBody && got.body == ""):
		return false
	case got.deps == nil && len(got.kin.Deps) == aheadKin: // there may be more
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

// eventsAhead gives the newest events of a task from what was read ahead, oldest first, where that has all of them.
func (r *Reader) eventsAhead(q task.EventQuery) ([]task.Event, bool) {
	got := r.aheadOf(q.Task)
	if got == nil || !got.around || q != (task.EventQuery{Task: q.Task, Limit: q.Limit}) || q.Limit == 0 ||
		(q.Limit > aheadEvents && len(got.events) == aheadEvents) {
		return nil, false
	}
	out := slices.Clone(got.events[:min(q.Limit, len(got.events))])
	slices.Reverse(out)
	return out, true
}
