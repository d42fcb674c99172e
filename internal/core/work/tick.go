package work

import (
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// TickIn ticks or unticks criteria of a task: one by index, or several at once.
type TickIn struct {
	Task    string  `path:"id" json:"-"`
	Index   int     `json:"index,omitzero" about:"which criterion, from 1"`
	Indexes []int   `json:"indexes,omitzero" about:"several criteria at once, from 1"`
	Checked *bool   `json:"checked,omitzero" about:"false unticks; true unless given"`
	Text    *string `json:"text,omitzero" about:"what the criterion reads: refused with 409 when it reads otherwise"`
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
	kept, err := core.Write(ctx, s.Env, func(tx *core.WriteTx) (record, error) {
		t, p, err := core.FindToWrite(ctx, &tx.ReadTx, in.Task)
		if err != nil {
			return record{}, err
		}
		a, pol, err := s.Writer(ctx, &tx.ReadTx, p, t, in.Fence)
		if err != nil {
			return record{}, err
		}
		if err := t.CheckFence(in.Fence); err != nil {
			return record{}, err
		}
		after, events, err := ticked(t, a, pol, indexes, in.Text, checked, tx.Now())
		if err != nil {
			return record{}, err
		}
		return saveTicked(tx, a, t, after, events)
	})
	if err != nil {
		return nil, err
	}
	return s.filled(ctx, kept)
}

// ticked returns the task with criteria ticked or unticked, and an event for each that changed. All of them are one
// change of the record.
func ticked(
	t *task.Task, a task.Actor, p task.Policy, indexes []int, text *string, checked bool, now task.Time,
) (*task.Task, []task.Draft, error) {
	after := t
	var events []task.Draft
	for _, i := range indexes {
		next, changed, err := after.Tick(a, p, i, text, checked, now)
		if err != nil {
			return nil, nil, err
		}
		if changed {
			next.Version = t.Version + 1
			events = append(events, tickEvent(after.Criteria[i-1], checked))
		}
		after = next
	}
	return after, events, nil
}

func saveTicked(tx *core.WriteTx, a task.Actor, before, after *task.Task, events []task.Draft) (record, error) {
	claim, holds := before.Extended(a, tx.Now())
	if len(events) == 0 {
		if holds {
			return recordOf(core.WithClaim(before, claim)), tx.Tasks.Extend(before, claim)
		}
		return recordOf(before), nil
	}
	if holds {
		after = core.WithClaim(after, claim)
	}
	return recordOf(after), tx.Tasks.Save(task.Change{Before: before, After: after, Events: events})
}

// tickEvent returns the event of a criterion that is ticked or unticked, with who had ticked it before.
func tickEvent(was task.Criterion, checked bool) task.Draft {
	payload := task.Payload{"index": was.Index, "text": was.Text, "checked": task.Delta{From: was.Checked, To: checked}}
	if checked {
		return task.Draft{Kind: task.CriterionChecked, Payload: payload}
	}
	payload["checkedBy"] = task.Delta{From: was.CheckedBy}
	payload["checkedAt"] = task.Delta{From: was.CheckedAt}
	return task.Draft{Kind: task.CriterionUnchecked, Payload: payload}
}
