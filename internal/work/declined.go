package work

import (
	"fmt"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// change is a record before and after the ticks of a move, with their events.
type change struct {
	before, after *task.Task
	events        []task.Draft
}

// declined records what came with a declined move, and that approvals were requested if nothing else is missing. It
// returns the refusal, which says what was recorded.
func declined(tx *store.Tx, a task.Actor, c change, in MoveIn, m task.Moved, refusal error) error {
	e := fault.Of(refusal)
	if e.Kind != fault.Declined {
		return refusal
	}
	answer := *e
	answer.Recorded = []string{}
	for i, now := range c.after.Criteria {
		if now.Checked && !c.before.Criteria[i].Checked {
			answer.Recorded = append(answer.Recorded, fmt.Sprintf("criterion %d", now.Index))
		}
	}
	for _, item := range in.Evidence {
		answer.Recorded = append(answer.Recorded, "evidence "+item.Kind)
	}
	if in.Note != nil {
		answer.Recorded = append(answer.Recorded, "note")
	}
	if len(answer.Recorded) > 0 {
		tx.Keep()
		if err := addCarried(tx, a, c.before, in); err != nil {
			return err
		}
		after, err := saveExtending(tx, a, c.before, c.after, c.events, in.adds())
		if err != nil {
			return err
		}
		c.after, answer.Version = after, after.Version
	}
	if err := request(tx, c.after, m.Requested); err != nil {
		return err
	}
	return &answer
}

// keepNext words the hint of a refused move for a caller that wanted the next task too: where it names a move to review,
// that one claims it.
func keepNext(refusal error) error {
	e := fault.Of(refusal)
	if e.Kind != fault.Declined {
		return refusal
	}
	parts := e.HintParts()
	for i, p := range parts {
		if p.Call != nil {
			call := hint.WithNext(*p.Call)
			parts[i].Call = &call
		}
	}
	answer := *e
	return answer.WithParts(parts)
}

// request records that approvals were requested.
func request(tx *store.Tx, t *task.Task, requested []task.Requirement) error {
	if len(requested) == 0 {
		return nil
	}
	tx.Keep()
	return tx.RequestApproval(t, task.Draft{Kind: task.ApprovalRequested, Payload: task.Payload{
		"from": t.Status, "to": task.Done, "missing": words.Each(requested, task.Requirement.String),
	}})
}

// lastNotes is how many notes of a task are searched for the caller's last one.
const lastNotes = 100

// unrecorded returns the evidence and the note of a move that are not recorded yet: a move that was declined before has
// already recorded them.
func unrecorded(tx *store.Tx, a task.Actor, t *task.Task, in MoveIn) ([]task.EvidenceItem, *string, error) {
	items, note := in.Evidence, in.Note
	if len(items) > 0 {
		have, err := evidenceOf(tx, t)
		if err != nil {
			return nil, nil, err
		}
		items = nil
		type said struct{ kind, value string }
		there := map[said]bool{}
		for _, e := range have {
			if e.Actor == a.Full() && e.ID > max(t.SentBack, t.HeldSince) { // the same run counts again after a return
				there[said{e.Kind, e.Value}] = true
			}
		}
		for _, item := range in.Evidence {
			if one := (said{item.Kind, item.Value}); !there[one] {
				there[one], items = true, append(items, item)
			}
		}
	}
	if note == nil || t.Notes == 0 {
		return items, note, nil
	}
	notes, err := tx.Notes(t.ID, lastNotes)
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(notes)
	if i := slices.IndexFunc(notes, func(n task.Note) bool { return n.Actor == a.Full() }); i >= 0 && notes[i].Text == *note {
		note = nil
	}
	return items, note, nil
}

// addCarried adds the evidence and the note of a move.
func addCarried(tx *store.Tx, a task.Actor, t *task.Task, in MoveIn) error {
	if len(in.Evidence) > 0 {
		if _, err := tx.AddEvidence(t, t.For(a, in.Evidence)); err != nil {
			return err
		}
	}
	if in.Note == nil {
		return nil
	}
	_, err := tx.AddNote(t, *in.Note)
	return err
}
