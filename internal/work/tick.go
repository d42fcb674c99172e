package work

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/task/query"
)

// TickIn ticks or unticks criteria of a task: one by index, or several at once.
type TickIn struct {
	Task    string  `path:"id" json:"-"`
	Index   int     `json:"index,omitzero" about:"which criterion, from 1"`
	Indexes []int   `json:"indexes,omitzero" about:"several criteria at once, from 1"`
	Checked *bool   `json:"checked,omitzero" about:"false unticks; true unless given"`
	Text    *string `json:"text,omitzero" about:"what the criterion reads: refused with 409 when it reads otherwise"`
	By      *int64  `json:"by,omitzero" about:"the evidence that the tick rests on, by its id"`
	Seen    *string `json:"seen,omitzero" about:"what you saw, where no command can show it: a tick by eye"`
	Fence   *int64  `json:"fence,omitzero"`
}

// Tick ticks or unticks criteria of a task, all or none. It extends the holder's lease.
func (s *Service) Tick(ctx context.Context, in TickIn) (*task.Task, error) {
	indexes := slices.Clone(in.Indexes)
	if in.Index != 0 {
		indexes = append([]int{in.Index}, indexes...)
	}
	switch {
	case len(indexes) == 0:
		return nil, fault.Bad("no criterion is named").WithMissing("index").
			WithHint("give its number as index, or several as indexes; they count from 1")
	case in.Text != nil && len(indexes) > 1:
		return nil, fault.Bad("text goes with one criterion, and %d are named", len(indexes)).WithMissing("text").
			WithHint("tick them one by one, or leave text out")
	}
	checked := in.Checked == nil || *in.Checked
	if err := checkSeen(in.Seen, in.By, checked); err != nil {
		return nil, err
	}
	kept, err := core.Write(ctx, s.Env, func(tx *store.Tx) (record, error) {
		t, _, a, pol, err := s.toWrite(ctx, tx, in.Task, in.Fence)
		if err != nil {
			return record{}, err
		}
		if err := t.CheckFence(in.Fence); err != nil {
			return record{}, err
		}
		on, err := basisBy(tx, t, in.By, in.Seen)
		if err != nil {
			return record{}, err
		}
		again, err := seenBefore(tx, t, in.Seen)
		if err != nil {
			return record{}, err
		}
		after, events, err := ticked(t, a, pol, ticks{indexes, in.Text, checked, on, again}, tx.Now())
		if err != nil {
			return record{}, err
		}
		after, err = saveExtending(tx, a, t, after, events, true)
		return recordOf(after), err
	})
	if err != nil {
		return nil, err
	}
	return s.filled(ctx, kept), nil
}

// ticks are criteria to tick or untick, and what the ticks rest on.
type ticks struct {
	indexes []int
	text    *string // what the only criterion must read; nil: anything
	checked bool
	on      basis
	again   map[int]bool // of which criteria the same was said before the task was sent back
}

// basis returns what the tick of a criterion rests on.
type basis func(task.Criterion) (task.Basis, error)

// always is the same basis for every criterion.
func always(on task.Basis) basis {
	return func(task.Criterion) (task.Basis, error) { return on, nil }
}

// by is the basis of ticks that name evidence.
func by(e task.Evidence) basis {
	return func(c task.Criterion) (task.Basis, error) { return proven.BasisOf(e, c) }
}

// checkSeen refuses what no tick by eye can be: one of nothing, one that names evidence, and the end of a tick.
func checkSeen(seen *string, by *int64, checked bool) error {
	switch {
	case seen == nil:
		return nil
	case by != nil:
		return fault.Bad("a tick rests on evidence (by) or on what was seen (seen), not on both").WithMissing("seen").WithHint("leave one of them out")
	case !checked:
		return fault.Bad("seen goes with a tick, and checked is false").WithMissing("seen").WithHint("leave one of them out")
	}
	return fault.At("seen", task.CheckText("what was seen", *seen, task.MaxItem))
}

// basisBy returns what ticks rest on: evidence of the task, what was seen, or nothing.
func basisBy(tx *store.Tx, t *task.Task, id *int64, seen *string) (basis, error) {
	if seen != nil {
		return always(task.Seen(*seen)), nil
	}
	if id == nil {
		return always(task.Basis{}), nil
	}
	have, err := evidenceOf(tx, t)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(have, func(e task.Evidence) bool { return e.ID == *id }); i >= 0 {
		return by(have[i]), nil
	}
	return nil, fault.Bad("%s has no evidence %d", t.ID, *id).WithMissing("by").WithHint("the id of one that it has: %s", hint.Show(t.ID))
}

// lookedBack is how many ticks of a task are searched for what was said to be seen before.
const lookedBack = 1000

// seenBefore returns of which criteria the same was said to be seen before the task was returned or reopened: an untick
// followed by the same tick is no newer work. It reads nothing where nothing waits for an answer.
func seenBefore(tx *store.Tx, t *task.Task, seen *string) (map[int]bool, error) {
	if t.Returned == 0 || seen == nil {
		return nil, nil
	}
	ticks, err := tx.Events(query.Events{Task: t.ID, Kind: string(task.CriterionChecked), BeforeID: &t.Returned, Limit: lookedBack})
	if err != nil {
		return nil, err
	}
	said := map[string][]string{} // by the text of the criterion, since its place may have changed
	for _, e := range ticks {
		var tick struct {
			Text string `json:"text"`
			Note struct {
				To string `json:"to"`
			} `json:"note"`
		}
		if err := json.Unmarshal(e.Payload, &tick); err != nil {
			return nil, err
		}
		said[tick.Text] = append(said[tick.Text], tick.Note.To)
	}
	out := map[int]bool{}
	for _, c := range t.Criteria {
		out[c.Index] = task.SaidBefore(*seen, said[c.Text])
	}
	return out, nil
}

// evidenceOf returns the evidence of a task. It reads nothing where the record says that there is none.
func evidenceOf(tx *store.Tx, t *task.Task) ([]task.Evidence, error) {
	if t.Evidences == 0 {
		return nil, nil
	}
	return tx.Evidence(t.ID)
}

// ticked returns the task with criteria ticked or unticked, and an event for each that changed. All of them are one
// change of the record.
func ticked(t *task.Task, a task.Actor, p task.Policy, in ticks, now task.Time) (*task.Task, []task.Draft, error) {
	after := t
	var events []task.Draft
	for _, i := range in.indexes {
		var on task.Basis
		if in.checked && i >= 1 && i <= len(t.Criteria) {
			var err error
			if on, err = in.on(t.Criteria[i-1]); err != nil {
				return nil, nil, err
			}
			on.Again = in.again[i]
		}
		next, changed, err := after.Tick(a, p, i, in.text, in.checked, on, now)
		if err != nil {
			return nil, nil, err
		}
		if changed {
			next.Version = t.Version + 1
			events = append(events, core.Returning(core.TickEvent(after.Criteria[i-1], next.Criteria[i-1]), after, next))
		}
		after = next
	}
	return after, events, nil
}
