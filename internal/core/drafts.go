package core

import (
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/store"
	"tasker/internal/task"
)

// ProjectCreated returns the event of a new project, with everything that was given.
func ProjectCreated(p *task.Project) task.Draft {
	payload := task.Payload{"slug": p.Slug, "name": p.Name, "vision": p.Vision, "gates": p.Gates}
	if len(p.Policy) > 0 {
		payload["policy"] = jsontext.Value(p.Policy)
	}
	return task.Draft{Kind: task.ProjectCreated, Payload: payload}
}

// ProjectUpdated returns the event of a changed project.
func ProjectUpdated(p task.Payload) task.Draft {
	return task.Draft{Kind: task.ProjectUpdated, Payload: p}
}

// Returning adds to the event of a change which return or reopening it answers, and whether it is one.
func Returning(d task.Draft, before, after *task.Task) task.Draft {
	if before.Returned != after.Returned {
		d.Payload["returned"] = task.Delta{From: before.Returned, To: after.Returned != 0}
	}
	if before.SentBack != after.SentBack {
		d.Payload["sentBack"] = task.Delta{From: before.SentBack, To: true}
	}
	return d
}

// MoveEvents returns the events of a move: of the claim that was made for it and of its override, if there were any, and
// its own. The payload has what an undo needs.
func MoveEvents(before *task.Task, m task.Moved) []task.Draft {
	var out []task.Draft
	after := m.After
	if m.Claimed != nil {
		out = append(out, task.ClaimedEvent(before, m.Claimed, "move", m.ByFile))
		before = m.Claimed
	}
	if len(m.Forced) > 0 {
		out = append(out, task.Draft{Kind: task.OverrideForced, Payload: task.Payload{"to": after.Status, "passedOver": m.Forced}})
	}
	payload := task.Payload{"from": before.Status, "to": after.Status, "forced": len(m.Forced) > 0, "tookFrom": task.Opt(m.TookFrom)}
	if before.Claim != nil && after.Claim == nil {
		payload["claim"] = task.Delta{From: before.Claim}
	}
	if before.ClosedAt != after.ClosedAt {
		payload["closedAt"] = task.Delta{From: before.ClosedAt, To: after.ClosedAt}
		payload["closedBy"] = task.Delta{From: task.Opt(before.ClosedBy), To: task.Opt(after.ClosedBy)}
	}
	if before.Attempts != after.Attempts {
		payload["attempts"] = task.Delta{From: before.Attempts, To: after.Attempts}
	}
	if before.Recorded != after.Recorded {
		payload["recorded"] = task.Delta{From: before.Recorded, To: after.Recorded}
	}
	if before.ReviewBy != after.ReviewBy {
		payload["reviewBy"] = task.Delta{From: task.Opt(before.ReviewBy), To: task.Opt(after.ReviewBy)}
	}
	if m.Unseen {
		payload["tree"] = task.TreeUnknown
	}
	return append(out, Returning(task.Draft{Kind: task.TaskMoved, Payload: payload}, before, after))
}

// Release ends the claim of a task, if it has one, and returns who held it.
func Release(tx *store.Tx, a task.Actor, t *task.Task, fence *int64, failed bool) (string, error) {
	after, held, err := t.ReleaseBy(a, fence, failed, tx.Now())
	if err != nil || held == "" {
		return "", err
	}
	return held, tx.Save(task.Change{Before: t, After: after, Events: []task.Draft{releasedEvent(t, after, failed)}})
}

// releasedEvent returns the event of a claim that was ended early.
func releasedEvent(before, after *task.Task, failed bool) task.Draft {
	return task.Draft{Kind: task.ClaimReleased, Payload: task.Payload{
		"actor": before.Claim.Actor, "fence": before.Claim.Fence, "failed": failed,
		"status": task.Delta{From: before.Status, To: after.Status}, "claim": task.Delta{From: before.Claim},
	}}
}

// TickEvent returns the event of a criterion that is ticked, ticked on another basis, or unticked. If it was ticked
// before, the payload has the whole former tick, which an undo restores.
func TickEvent(was, now task.Criterion) task.Draft {
	payload := task.Payload{"index": was.Index, "text": was.Text, "checked": task.Delta{From: was.Checked, To: now.Checked}}
	if was.By != 0 || now.By != 0 {
		payload["by"] = task.Delta{From: was.By, To: now.By}
	}
	if was.Note != "" || now.Note != "" {
		payload["note"] = task.Delta{From: was.Note, To: now.Note}
	}
	if was.Doubt != "" || now.Doubt != "" {
		payload["doubt"] = task.Delta{From: was.Doubt, To: now.Doubt}
	}
	if was.Checked {
		payload["checkedBy"] = task.Delta{From: was.CheckedBy, To: now.CheckedBy}
		payload["checkedAt"] = task.Delta{From: was.CheckedAt, To: now.CheckedAt}
		payload["rests"] = task.Delta{From: was.Rests, To: now.Rests}
	}
	if now.Checked {
		return task.Draft{Kind: task.CriterionChecked, Payload: payload}
	}
	return task.Draft{Kind: task.CriterionUnchecked, Payload: payload}
}

// WithClaim returns the task with the claim.
func WithClaim(t *task.Task, c task.Claim) *task.Task {
	out := *t
	out.Claim = &c
	return &out
}
