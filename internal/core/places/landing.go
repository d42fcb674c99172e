package places

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/place"
)

// LandedIn is where the work on a closed task is.
type LandedIn struct{ Landing place.Landing }

// Landed records where the work on a task that is done is. That it has landed, and had not before, is an event.
func (s *Service) Landed(ctx context.Context, in LandedIn) (place.Landing, error) {
	return core.Write(ctx, s.Env, func(tx *core.WriteTx) (place.Landing, error) {
		l := in.Landing
		t, err := tx.Tasks.Get(l.Task)
		if err != nil {
			return l, err
		}
		if err := place.CheckLanding(t); err != nil {
			return l, err
		}
		before, err := tx.Workspaces.Landings([]*task.Task{t})
		if err != nil {
			return l, err
		}
		l.CheckedAt = tx.Now()
		var events []task.Draft
		if was := before[t.ID]; was != nil && !was.HasLanded() && l.HasLanded() {
			events = []task.Draft{{Kind: task.TaskLanded, Payload: task.Payload{"base": l.Base, "commit": l.Commit}}}
		}
		return l, tx.Workspaces.SaveLanding(t, &l, events...)
	})
}

// UnlandedIn names a project.
type UnlandedIn struct{ Project string }

// maxUnlanded is how many tasks are looked at again.
const maxUnlanded = 100

// Unlanded returns where the work on tasks of a project was that was not on its base when somebody last looked, the newest
// first.
func (s *Service) Unlanded(ctx context.Context, in UnlandedIn) ([]place.Landing, error) {
	return core.Read(ctx, s.Env, func(tx *core.ReadTx) ([]place.Landing, error) {
		ids, err := tx.Workspaces.Unlanded(in.Project, maxUnlanded)
		if err != nil {
			return nil, err
		}
		tasks, err := tx.Tasks.ByID(ids)
		if err != nil {
			return nil, err
		}
		landings, err := tx.Workspaces.Landings(tasks)
		if err != nil {
			return nil, err
		}
		out := []place.Landing{}
		for _, t := range tasks {
			if l := landings[t.ID]; l != nil && t.Status == task.Done { // it may be open again
				out = append(out, *l)
			}
		}
		return out, nil
	})
}
