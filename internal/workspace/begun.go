package workspace

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// BegunIn names a task and a machine.
type BegunIn struct{ Task, Host string }

// Begun is what a command must know to find out what was changed since a task was claimed.
type Begun struct {
	Since    task.Time // the last claim; 0 if nobody claimed it
	Path     string    // of its workspace on the machine; empty without one
	Recorded bool      // it is in review, and the command that handed it over recorded what was changed
	Project  string
	Shared   []string // who else works in its checkout: see task.SharedBy
	Here     bool     // the caller is in the repository in which a command made the project
}

// Begun returns when and where the work on a task began.
func (s *Service) Begun(ctx context.Context, in BegunIn) (Begun, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (out Begun, err error) {
		t, err := core.Find(ctx, tx, in.Task)
		if err != nil {
			return out, err
		}
		p, err := tx.Project(t.Project)
		if err != nil {
			return out, err
		}
		a, _, err := s.Writer(ctx, tx, p, t, nil)
		if err != nil {
			return out, err
		}
		if out.Shared, err = core.SharedBy(ctx, tx, t, a); err != nil {
			return out, err
		}
		if t.Claim != nil {
			out.Since = t.Claim.ClaimedAt
		} else {
			claims, err := tx.Events(query.Events{Task: t.ID, Kind: string(task.TaskClaimed), Limit: 1})
			if err != nil || len(claims) == 0 {
				return out, err
			}
			out.Since = claims[0].At
		}
		if t.Status == task.InReview {
			c, err := tx.Changed(t)
			if err != nil {
				return out, err
			}
			out.Recorded = c != nil
		}
		there, err := Find(tx, Query{Task: t.ID, Host: in.Host}, 1)
		if err != nil {
			return out, err
		}
		if len(there) > 0 {
			out.Path = there[0].Path
		}
		out.Project, out.Here = p.Slug, p.Repo.Same(core.CallerOf(ctx).Repo)
		return out, nil
	})
}
