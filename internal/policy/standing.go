package policy

import (
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/proven"
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
		if s.Evidence, err = Evidence(tx, t, pol); err != nil {
			return s, err
		}
	}
	s.Evidence = append(s.Evidence, brought(t, pol, added)...)
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

// Evidence returns the kinds of evidence of a task that count for its gate.
func Evidence(tx store.View, t *task.Task, pol task.Policy) ([]string, error) {
	gate, newest := pol.Gates[string(t.Gate)], 1 // the kinds of all evidence come with it
	if proven.Asks(gate) {
		newest = task.MaxListed
	}
	items, kinds, err := tx.NewestEvidence(t.ID, newest)
	return proven.Counted(gate, pol.DirOf(t.Gate), kinds, items), err
}

// brought returns the kinds that count of the evidence that comes with a request.
func brought(t *task.Task, pol task.Policy, added []task.EvidenceItem) []string {
	var kinds []string
	var items []task.Evidence
	for _, e := range added {
		kinds = append(kinds, e.Kind)
		items = append(items, task.Evidence{Kind: e.Kind, Value: e.Value})
	}
	return proven.Counted(pol.Gates[string(t.Gate)], pol.DirOf(t.Gate), kinds, items)
}
