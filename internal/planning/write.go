package planning

import (
	"maps"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// carryOut writes a prepared plan in a turn. It may run more than once, so it changes only copies. A conflict means that
// what the plan was compared with has changed.
func (s *Service) carryOut(tx *store.Tx, prep *prepared) (ApplyOut, error) {
	out, d := prep.out, prep.diff
	if d.Empty() && len(prep.prune) == 0 {
		return out, nil
	}
	if err := unchanged(tx, d.Project, prep.before); err != nil {
		return out, err
	}
	before := len(prep.declined)
	moves, err := s.transitions(tx, prep)
	if err != nil {
		return out, err
	}
	if len(prep.declined) > before {
		prep.declined = prep.declined[:before]
		return out, changedMeanwhile(d.Project)
	}
	if err := saveProject(tx, prep); err != nil {
		return out, err
	}
	created, err := createAll(tx, d)
	if err != nil {
		return out, err
	}
	out.Created, out.Updated = slices.Clone(out.Created), slices.Clone(out.Updated)
	for i, n := range created {
		out.Created[i].ID = task.Opt(n.Task.ID)
	}
	for i := range d.Update {
		u := withIDs(d.Update[i], created)
		if err := update(tx, prep.actor, u, moves[i]); err != nil {
			return out, err
		}
		out.Updated[i].Changes = u.Answer()
	}
	if err := tx.MarkCircles(d.Circles); err != nil {
		return out, err
	}
	for i := range d.Noted {
		if err := tx.Save(task.Change{Before: d.Noted[i].Before, After: d.Noted[i].After}); err != nil {
			return out, err
		}
	}
	if err := prune(tx, prep); err != nil {
		return out, err
	}
	payload := task.Payload{"created": len(d.Create), "updated": len(d.Update), "unchanged": len(d.Unchanged)}
	if n := len(prep.prune); n > 0 {
		payload["pruned"] = n
	}
	return out, tx.Record(d.Project, "", task.Draft{Kind: task.PlanApplied, Payload: payload})
}

// unchanged returns a conflict if the project is no longer the one that the plan was compared with.
func unchanged(tx *store.Tx, slug string, before *task.Project) error {
	now, err := tx.Project(slug)
	switch {
	case fault.Is(err, fault.NotFound) && before == nil:
		return nil
	case err != nil && !fault.Is(err, fault.NotFound):
		return err
	case err != nil || before == nil || now.GraphVersion != before.GraphVersion:
		return changedMeanwhile(slug)
	}
	return nil
}

func changedMeanwhile(slug string) error {
	return fault.Stale("the project %s was changed by somebody else in between", slug).WithHint("apply the plan again")
}

func saveProject(tx *store.Tx, prep *prepared) error {
	d := prep.diff
	switch {
	case d.ProjectCreated:
		p := *d.ProjectAfter
		return tx.CreateProject(&p, core.ProjectCreated(&p))
	case d.ProjectAfter != nil:
		return tx.SaveProject(prep.before, d.ProjectAfter, core.ProjectUpdated(payloadOf(d.ProjectChanges)))
	}
	return nil
}

// createAll creates the plan's new tasks, in its order.
func createAll(tx *store.Tx, d *plan.Diff) ([]task.NewTask, error) {
	if len(d.Create) == 0 {
		return nil, nil
	}
	out := make([]task.NewTask, len(d.Create))
	copies := make([]task.Task, len(d.Create))
	for i, c := range d.Create {
		copies[i] = *c.Task
		copies[i].Deps = slices.Clip(copies[i].Deps) // the store appends to it
		c.Task = &copies[i]
		out[i] = newTask(c, tx.Now())
	}
	return out, tx.CreateTasks(d.Project, out)
}

// withIDs returns an update with its references to new tasks replaced by ids.
func withIDs(u plan.Update, created []task.NewTask) *plan.Update {
	if u.NewParent == 0 && len(u.NewDeps) == 0 {
		return &u
	}
	after, changes := *u.After, map[string]task.Delta{}
	maps.Copy(changes, u.Changes)
	if u.NewParent > 0 {
		after.Parent = task.Opt(created[u.NewParent-1].Task.ID)
		changes["parent"] = task.Delta{From: u.Before.Parent, To: after.Parent}
	}
	if len(u.NewDeps) > 0 {
		after.Deps = slices.Clone(after.Deps)
		for _, i := range u.NewDeps {
			after.Deps = append(after.Deps, created[i].Task.ID)
		}
		slices.SortFunc(after.Deps, task.CompareIDs)
		changes["deps"] = task.Delta{From: u.Before.Deps, To: after.Deps}
	}
	u.After, u.Changes = &after, changes
	return &u
}

// update writes one changed task: evidence, fields and the move, as one change of the record.
func update(tx *store.Tx, a task.Actor, u *plan.Update, m task.Moved) error {
	after := *u.After
	before := *u.Before // AddEvidence counts in it
	var events []task.Draft
	if len(u.Changes) > 0 {
		events = append(events, updatedEvent(u.Changes))
		after.UpdatedAt = tx.Now()
	}
	if m.Changed {
		parent, deps := after.Parent, after.Deps
		after = *m.After
		after.Parent, after.Deps = parent, deps
		after.Version = u.Before.Version + 1
		events = append(events, core.MoveEvents(u.Before, m)...)
	}
	if len(u.Evidence) > 0 {
		if _, err := tx.AddEvidence(&before, before.For(a, u.Evidence)); err != nil {
			return err
		}
		if after.Attempts = 0; proven.Shows(u.Evidence) {
			after.Returned = 0
		}
	}
	if len(events) == 0 && after.DocStatus == u.Before.DocStatus {
		return nil
	}
	return tx.Save(task.Change{Before: u.Before, After: &after, Whole: true, Events: events})
}
