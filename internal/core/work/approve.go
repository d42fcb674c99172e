package work

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// ApproveIn approves a task, or verifies it.
type ApproveIn struct {
	Task string `path:"id" json:"-"`
	Kind string `json:"kind,omitzero" about:"a judgement (approval, unless given) or a confirmed fact (verification)"`
	Note string `json:"note,omitzero"`
	Role string `json:"role,omitzero" about:"a role that you hold"`
	// ExpectedVersion is the version that the approver has read.
	ExpectedVersion *int64 `json:"expectedVersion,omitzero" about:"the version that you read: refused with 409 when the task has another"`
}

// Choices are the words of fields that have few.
func (ApproveIn) Choices() map[string][]string {
	return map[string][]string{"kind": {task.KindApproval, task.KindVerification}}
}

// Approve records a person's approval or verification of a task. An agent's attempt is refused, and the refusal is an
// event. It extends the holder's lease.
func (s *Service) Approve(ctx context.Context, in ApproveIn) (task.Approval, error) {
	if err := fault.At("note", task.CheckOptional("the note", in.Note, task.MaxText)); err != nil {
		return task.Approval{}, err
	}
	return core.Write(ctx, s.Env, func(tx *core.WriteTx) (task.Approval, error) {
		t, p, err := core.FindToWrite(ctx, &tx.ReadTx, in.Task)
		if err != nil {
			return task.Approval{}, err
		}
		if err := t.CheckVersion(in.ExpectedVersion); err != nil {
			return task.Approval{}, err
		}
		a, _, err := s.Rules(ctx, p)
		if err != nil {
			return task.Approval{}, err
		}
		approval, err := t.ApproveBy(a, in.Kind, in.Role)
		err = fault.At("kind", err)
		if fault.Is(err, fault.Declined) && !a.Person() {
			tx.Keep()
			refused := task.Draft{Kind: task.ApprovalRefused, Payload: task.Payload{
				"kind": task.Opt(in.Kind), "role": task.Opt(in.Role), "reason": fault.Of(err).Message,
			}}
			if recorded := tx.Log.Record(p.Slug, t.ID, refused); recorded != nil {
				return approval, recorded
			}
		}
		if err != nil {
			return approval, err
		}
		approval.Note = task.Opt(in.Note)
		if approval, err = tx.Annotations.AddApproval(t, approval); err != nil {
			return approval, err
		}
		_, err = addedTo(ctx, tx, t, nil)
		return approval, err
	})
}
