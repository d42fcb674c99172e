package planning

import (
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// encircled refuses new edges that take open parts away from their parents by a circle, if the actor may not take them.
func encircled(tx *store.Tx, marks []query.CircleMark, a task.Actor, p task.Policy) error {
	if a.Person() || !p.DeclaresHuman {
		return nil
	}
	var ids []task.ID
	for _, m := range marks {
		if m.In {
			ids = append(ids, m.Child)
		}
	}
	children, err := tx.TasksByID(ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	var above []task.ID
	for _, c := range children {
		above = append(above, task.ID(c.Parent))
	}
	parents, err := tx.TasksByID(above)
	if err != nil {
		return err
	}
	byID, less := task.ByID(parents), []string(nil)
	for _, c := range children {
		if parent := byID[task.ID(c.Parent)]; parent != nil {
			if line := task.LoosenedCircle(c, parent, a, p); line != "" {
				less = append(less, line)
			}
		}
	}
	if len(less) == 0 {
		return nil
	}
	return fault.Decline("this takes away parts that only a human may take away here").WithMissing(less...).
		WithHint("%s", p.Have("make the change, or keep what is named"))
}
