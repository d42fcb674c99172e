package policy

import (
	"tasker/internal/store"
	"tasker/internal/task"
)

// Standing returns what the rules for done need in addition to the record, including what the request brings.
func Standing(tx store.View, t *task.Task, pol task.Policy, to task.Status, added []task.EvidenceItem, noted bool) (task.Standing, error) {
	s := task.Standing{Notes: t.Notes}
	if to != task.Done {
		return s, nil
	}
	if noted {
		s.Notes++
	}
	var err error
	if t.Gate != "" && t.Evidences > 0 {
		if _, s.Evidence, err = tx.NewestEvidence(t.ID, 1); err != nil { // the kinds of all evidence
			return s, err
		}
	}
	for _, e := range added {
		s.Evidence = append(s.Evidence, e.Kind)
	}
	if t.Approvals > 0 && len(pol.Required(t)) > 0 {
		if s.Approvals, err = tx.Approvals(t.ID); err != nil {
			return s, err
		}
	}
	if t.Questions > 0 {
		s.Questions, _, err = tx.Questions(t.ID, task.MaxListed)
	}
	return s, err
}
