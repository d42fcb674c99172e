package landing

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/workspace"
)

// Run is a line of a gate that was run on the merged files. Before it has run, the rest is null.
type Run struct {
	Command    string `json:"command"`
	ExitCode   *int   `json:"exitCode"`
	DurationMs *int64 `json:"durationMs"`
}

// LandedIn says that a branch of a task is on the base now, and what was run before that.
type LandedIn struct {
	Landing workspace.Landing
	Branch  string
	Runs    []Run
}

// Landed records that the work on a task is on the base, once. A task in review is closed by that, in the same turn.
func (s *Service) Landed(ctx context.Context, in LandedIn) (workspace.Landing, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (workspace.Landing, error) {
		t, a, pol, err := s.toLand(ctx, tx, in.Landing.Task)
		if err != nil {
			return in.Landing, err
		}
		if t.Status == task.InReview {
			if t, err = move(tx, a, pol, t, task.Done); err != nil {
				return in.Landing, err
			}
		}
		if err := linkdb.SaveNotice(tx, t.ID, merge.NoticeLanding, ""); err != nil { // an earlier try may have failed
			return in.Landing, err
		}
		return workspace.Land(tx, t, in.Landing, in.Branch, in.Runs)
	})
}

// toLand returns a task that the caller may land, the caller as it acts on it, and the policy.
func (s *Service) toLand(ctx context.Context, tx *store.Tx, id task.ID) (t *task.Task, a task.Actor, pol task.Policy, err error) {
	t, p, err := s.FindToWrite(ctx, tx, string(id))
	if err != nil {
		return nil, a, pol, err
	}
	if a, pol, err = s.Writer(ctx, tx, p, t, nil); err == nil {
		err = MayLand(a, pol, false)
	}
	return t, a, pol, err
}

// move moves a task as its landing asks for, under the rules for every move.
func move(tx *store.Tx, a task.Actor, pol task.Policy, t *task.Task, to task.Status) (*task.Task, error) {
	if err := t.CheckHold(a, tx.Now()); err != nil {
		return nil, err
	}
	if err := t.CheckWork(a, pol, tx.Now()); err != nil {
		return nil, err
	}
	m, err := policy.Move(tx, a, pol, policy.Asked{Task: t, Move: task.Move{To: to}, Noted: to == task.Open})
	if err != nil {
		return nil, err
	}
	m.After.Version = t.Version + 1
	return m.After, tx.Save(task.Change{Before: t, After: m.After, Events: core.MoveEvents(t, m)})
}
