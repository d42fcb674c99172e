package core

import (
	"context"
	"fmt"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Claim gives the task to the acting identity, or renews the claim whose fence is given.
func (s *Services) Claim(ctx context.Context, in ClaimIn) (task.Claim, error) {
	guidance, err := s.prints(ctx)
	if err != nil {
		return task.Claim{}, err
	}
	return write(ctx, s, func(tx WriteTx) (task.Claim, error) {
		t, p, err := findToWrite(ctx, tx, in.Task)
		if err != nil {
			return task.Claim{}, err
		}
		a, pol, err := s.rules(ctx, p)
		if err != nil {
			return task.Claim{}, err
		}
		after, renewed, err := t.ClaimBy(a, pol, in.Fence, in.LeaseMs, tx.Now())
		if err != nil {
			return task.Claim{}, nameOpenDeps(tx, t, err)
		}
		if err := tx.Save(claimChange(t, after, renewed, "")); err != nil || renewed {
			return *after.Claim, err
		}
		return *after.Claim, guidance.keep(tx, after)
	})
}

// claimChange is a claim, or a renewal, with its event; via says which operation chose the task, where one did.
func claimChange(before, after *task.Task, renewed bool, via string) task.Change {
	c := after.Claim
	payload := task.Payload{"fence": c.Fence}
	kind := task.TaskClaimed
	if renewed {
		kind = task.ClaimRenewed
		payload["leaseMs"] = task.Delta{From: before.Claim.LeaseMs, To: c.LeaseMs}
		payload["expiresAt"] = task.Delta{From: before.Claim.ExpiresAt, To: c.ExpiresAt}
	} else {
		payload["status"] = task.Delta{From: before.Status, To: after.Status}
		payload["leaseMs"] = c.LeaseMs
		payload["expiresAt"] = c.ExpiresAt
	}
	if via != "" {
		payload["by"] = via
	}
	return task.Change{Before: before, After: after, Events: []task.Draft{{Kind: kind, Payload: payload}}}
}

// nameOpenDeps adds what a task waits for to the refusal of a claim.
func nameOpenDeps(tx ReadTx, t *task.Task, refusal error) error {
	if t.OpenDeps == 0 || t.Claim != nil || !fault.Is(refusal, fault.Declined) {
		return refusal
	}
	edges, err := tx.Edges([]task.ID{t.ID})
	if err != nil {
		return err
	}
	ids := make([]task.ID, len(edges))
	for i, e := range edges {
		ids[i] = e.To
	}
	deps, err := tx.Tasks(ids)
	if err != nil {
		return err
	}
	e := *fault.Of(refusal)
	for _, d := range deps {
		if !d.Status.Closed() && len(e.Missing) < 20 {
			e.Missing = append(e.Missing, fmt.Sprintf("%s: %s (%s)", d.ID, d.Title, d.Status))
		}
	}
	return &e
}

// Release gives a task back, with a note where one is left. The answer is who held it, or nobody.
func (s *Services) Release(ctx context.Context, in ReleaseIn) (ReleaseOut, error) {
	if err := checkNote(in.Note); err != nil {
		return ReleaseOut{}, err
	}
	return write(ctx, s, func(tx WriteTx) (ReleaseOut, error) {
		t, p, err := findToWrite(ctx, tx, in.Task)
		if err != nil {
			return ReleaseOut{}, err
		}
		a, _, err := s.rules(ctx, p)
		if err != nil {
			return ReleaseOut{}, err
		}
		if _, _, err := t.ReleaseBy(a, in.Fence, in.Failed, tx.Now()); err != nil {
			return ReleaseOut{}, err
		}
		if in.Note != nil {
			if _, err := tx.AddNote(t, *in.Note); err != nil {
				return ReleaseOut{}, err
			}
		}
		held, err := release(tx, a, t, in.Fence, in.Failed)
		return ReleaseOut{Actor: task.Opt(held)}, err
	})
}

// release ends the claim of a task, where it has one, and gives who held it.
func release(tx WriteTx, a task.Actor, t *task.Task, fence *int64, failed bool) (string, error) {
	after, held, err := t.ReleaseBy(a, fence, failed, tx.Now())
	if err != nil || held == "" {
		return "", err
	}
	return held, tx.Save(task.Change{Before: t, After: after, Events: []task.Draft{{
		Kind: task.ClaimReleased, Payload: task.Payload{
			"actor": held, "fence": t.Claim.Fence, "failed": failed,
			"status": task.Delta{From: t.Status, To: after.Status}, "claim": task.Delta{From: t.Claim},
		},
	}}})
}

// checkNote refuses a note that is given and that no record may hold.
func checkNote(note *string) error {
	if note == nil {
		return nil
	}
	return task.CheckText("the note", *note, task.MaxText)
}
