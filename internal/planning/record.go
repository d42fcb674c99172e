package planning

import (
	"context"

	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/task"
)

// record adds to the difference that the policy of the local file becomes the project's policy of record.
func (s *Service) record(ctx context.Context, tx *store.Tx, prep *prepared) error {
	d := prep.diff
	rec, err := policy.Record(ctx, s.Env, prep.before, d.Project)
	if err != nil {
		return err
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
	d.ProjectChanges["policy"] = rec.Delta
	return nil
}

// pastRecord adds to a move what the policy of record requires and the local file does not.
func (s *Service) pastRecord(ctx context.Context, tx *store.Tx, prep *prepared, t *task.Task, added []task.EvidenceItem, m *task.Moved) error {
	p := prep.before
	if prep.diff.ProjectAfter != nil {
		p = prep.diff.ProjectAfter
	}
	if !m.Changed || m.After.Status != task.Done || p == nil {
		return nil
	}
	past, err := policy.PastRecord(ctx, s.Env, tx, p, t, added, false, m.Forced)
	m.Forced = append(m.Forced, past...)
	return err
}
