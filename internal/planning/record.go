package planning

import (
	"context"

	"tasker/internal/plan"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// record adds to the difference that the policy of the local file becomes the project's policy of record, and in which
// repository the project is created or recorded.
func (s *Service) record(ctx context.Context, tx *store.Tx, prep *prepared) error {
	d := prep.diff
	rec, err := policy.Record(ctx, s.Env, tx, prep.before, d.Project)
	if err != nil {
		return err
	}
	if d.ProjectCreated {
		d.ProjectAfter.Repo = rec.Repo
	}
	if rec.Warning != "" {
		d.Warnings = append(d.Warnings, rec.Warning)
	}
	if !rec.Changed {
		return nil
	}
	if d.ProjectAfter == nil {
		after := *prep.before
		d.ProjectAfter, d.ProjectChanges = &after, map[string]task.Delta{}
	}
	rec.Into(d.ProjectAfter, tx.Now())
	d.ProjectChanges[words.Either(rec.Moved, "repository", "policy")] = rec.Delta
	return nil
}

// moveOf decides a move that the plan asks for. An import is lenient.
func (s *Service) moveOf(tx *store.Tx, prep *prepared, u *plan.Update) (task.Moved, error) {
	return policy.Move(tx, prep.actor, prep.policy, policy.Asked{
		Task: u.After, Move: task.Move{To: u.MoveTo, Elsewhere: prep.lenient && prep.policy.Reports(prep.actor)}, Evidence: u.Evidence,
		Stale: u.After.ApprovalEpoch != u.Before.ApprovalEpoch,
	})
}
