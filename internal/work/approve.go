package work

import (
	"cmp"
	"context"
	"fmt"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
)

// ApproveIn approves or verifies a task.
type ApproveIn struct {
	Task string `path:"id" json:"-"`
	Kind string `json:"kind,omitzero" about:"a judgement (approval, the default) or a confirmed fact (verification)"`
	Note string `json:"note,omitzero"`
	Role string `json:"role,omitzero" about:"a role that you hold"`
	// ExpectedVersion is the version that the approver has read.
	ExpectedVersion *int64 `json:"expectedVersion,omitzero" about:"the version that you read: refused with 409 when the task has another"`
}

// Choices are the allowed words of fields.
func (ApproveIn) Choices() map[string][]string {
	return map[string][]string{"kind": {task.KindApproval, task.KindVerification}}
}

// ApproveOut is the approval that was given, what the task still lacks before it can be done and who can give it, and a
// warning if the approval meets no requirement of the task.
type ApproveOut struct {
	task.Approval
	Missing  []string    `json:"missing"` // as a refusal of done lists it
	Advice   hint.Advice `json:"advice"`  // what to do next; null for a closed task
	Warnings []string    `json:"warnings"`
}

// Approve records a person's approval or verification of a task, even if nothing asks for it. An agent's attempt is
// refused, and the refusal is an event. It extends the holder's lease.
func (s *Service) Approve(ctx context.Context, in ApproveIn) (ApproveOut, error) {
	if err := fault.At("note", task.CheckOptional("the note", in.Note, task.MaxText)); err != nil {
		return ApproveOut{}, err
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (out ApproveOut, err error) {
		t, p, a, pol, err := s.toWrite(ctx, tx, in.Task, nil)
		if err != nil {
			return out, err
		}
		if err := t.CheckVersion(in.ExpectedVersion); err != nil {
			return out, err
		}
		out.Approval, err = t.ApproveBy(a, in.Kind, in.Role)
		err = fault.At("kind", err)
		if fault.Is(err, fault.Declined) && !a.Person() {
			tx.Keep()
			refused := task.Draft{Kind: task.ApprovalRefused, Payload: task.Payload{
				"kind": task.Opt(in.Kind), "role": task.Opt(in.Role), "reason": fault.Of(err).Message,
			}}
			err = cmp.Or(tx.Record(p.Slug, t.ID, refused), err)
		}
		if err != nil {
			return out, err
		}
		out.Note = task.Opt(in.Note)
		if out.Approval, err = tx.AddApproval(t, out.Approval); err != nil {
			return out, err
		}
		if err := inboxdb.Approved(tx, t); err != nil {
			return out, err
		}
		if out.Warnings, err = unasked(tx, t, pol, out.Approval); err != nil {
			return out, err
		}
		if err := out.left(tx, t, a, pol); err != nil {
			return out, err
		}
		_, err = addedTo(ctx, tx, t, nil)
		return out, err
	})
}

// left says what the task still lacks after the approval.
func (out *ApproveOut) left(tx *store.Tx, t *task.Task, a task.Actor, pol task.Policy) error {
	if t.Status.Closed() {
		return nil
	}
	approved := *t
	approved.Approvals++
	have, err := policy.Standing(tx, &approved, a, pol, task.Done, nil, false, proven.Terms{})
	if err != nil {
		return err
	}
	o := approved.Obstacles(pol, have)
	out.Missing, out.Advice = o.Missing(), hint.Advice(o.AfterApproval(t, a, pol).For(pol.Reader(a)))
	return nil
}

// unasked warns of an approval that meets no requirement of a task while others are missing.
func unasked(tx *store.Tx, t *task.Task, pol task.Policy, given task.Approval) ([]string, error) {
	required := pol.RequiredOfAgents(t)
	if len(required) == 0 || len(task.MissingApprovals(required, []task.Approval{given})) < len(required) {
		return nil, nil
	}
	all, err := tx.Approvals(t.ID)
	if err != nil {
		return nil, err
	}
	left := words.Each(task.MissingApprovals(required, all), task.Requirement.String)
	if len(left) == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("this %s is kept but meets nothing that %s asks for; missing: %s", given.Kind, t.ID, words.Some(left, len(left)))}, nil
}
