package admin

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/store/dump"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// RestoreIn describes a database that was restored from a backup.
type RestoreIn struct {
	Of   query.Dumped
	Next func() (*query.Record, error) // the records, until it returns nil; nil if they are already in the database
	// Generation is the minimum for the generation of the database from now on. It must grow with every restore.
	Generation int64
}

// RestoreOut counts what was restored.
type RestoreOut struct {
	Tasks  int `json:"tasks"`
	Events int `json:"events"` // without the events of the restore itself
}

// fencesApart is how much a restore adds to every fence: more than the number of claims since the backup.
const fencesApart = 1_000_000

// Restore makes a restored database a new one for everybody who knew the old one: it gets a new generation, every claim
// and session ends, and every fence grows, so that nobody who continued working after the backup writes as if there had been
// no restore, and no credential works again that was revoked since.
func (s *Service) Restore(ctx context.Context, in RestoreIn) (RestoreOut, error) {
	begun := false
	return core.WriteAlone(ctx, s.Env, func(tx *store.Tx) (out RestoreOut, err error) {
		if in.Next != nil {
			if begun {
				return out, fault.Unready("the database broke off in the middle of the restore").WithHint("nothing was written; restore again")
			}
			begun = true
			if _, err := dump.LoadRecords(tx, in.Of, in.Next); err != nil {
				return out, err
			}
		}
		if last := tx.LastEvent(); last != in.Of.LastEvent {
			return out, fault.Bad("the newest event of the backup is %d, but its manifest says %d", last, in.Of.LastEvent).
				WithHint("take another backup; nothing was written")
		}
		all, err := tx.Projects()
		if err != nil {
			return out, err
		}
		if err := policy.MayRestore(ctx, s.Env, tx, all); err != nil {
			return out, err
		}
		for _, p := range all {
			out.Tasks += p.Tasks.Total()
		}
		if out.Events, err = dump.Restored(tx, in.Of.Instance, max(in.Generation, in.Of.Generation+1), fencesApart); err != nil {
			return out, err
		}
		err = tx.Record("", "", task.Draft{Kind: task.DatabaseRestored, Payload: task.Payload{
			"lastEvent": in.Of.LastEvent, "generation": max(in.Generation, in.Of.Generation+1),
		}})
		if err != nil {
			return out, err
		}
		return out, endHoldings(tx, all)
	})
}

// endHoldings ends every session, and every claim in some projects.
func endHoldings(tx *store.Tx, all []*task.Project) error {
	if err := tx.EndSessions(); err != nil {
		return err
	}
	for _, p := range all {
		if err := endClaims(tx, p.Slug); err != nil {
			return err
		}
	}
	return nil
}

// endClaims ends every claim of a project.
func endClaims(tx *store.Tx, project string) error {
	held, err := tx.Held(project, "", false)
	if err != nil {
		return err
	}
	for _, h := range held {
		t, err := tx.Task(h.ID) // a lapsed claim is swept
		if err != nil {
			return err
		}
		if _, err := core.Release(tx, task.Actor{Name: task.Sweeper, Human: true}, t, nil, false); err != nil {
			return err
		}
	}
	return nil
}
