package work

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
)

// ReleaseIn gives a task back.
type ReleaseIn struct {
	Task   string  `path:"id" json:"-"`
	Fence  *int64  `json:"fence,omitzero"`
	Note   *string `json:"note,omitzero"`
	Failed bool    `json:"failed,omitzero" about:"the attempt did not work out; it is counted"`
}

// ReleaseOut is who held the task, or null.
type ReleaseOut struct {
	Actor task.Opt `json:"actor"`
}

// Release gives a task back, with a note if one is given, and returns who held it, if anybody.
func (s *Service) Release(ctx context.Context, in ReleaseIn) (ReleaseOut, error) {
	if err := checkNote(in.Note); err != nil {
		return ReleaseOut{}, err
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (ReleaseOut, error) {
		t, p, err := s.FindToWrite(ctx, tx, in.Task)
		if err != nil {
			return ReleaseOut{}, err
		}
		a, _, err := s.Writer(ctx, tx, p, t, in.Fence)
		if err != nil {
			return ReleaseOut{}, err
		}
		if _, _, err := t.ReleaseBy(a, in.Fence, in.Failed, tx.Now()); err != nil {
			return ReleaseOut{}, err
		}
		if in.Note != nil {
			if _, err := tx.AddNote(t, *in.Note); err != nil {
				return ReleaseOut{}, err
			}
		}
		if a.Holds(t.Claim) {
			s.LetGo(t)
		}
		held, err := release(tx, a, t, in.Fence, in.Failed)
		return ReleaseOut{Actor: task.Opt(held)}, err
	})
}

// release ends the claim of a task, if it has one, and returns who held it.
func release(tx *store.Tx, a task.Actor, t *task.Task, fence *int64, failed bool) (string, error) {
	after, held, err := t.ReleaseBy(a, fence, failed, tx.Now())
	if err != nil || held == "" {
		return "", err
	}
	return held, tx.Save(task.Change{Before: t, After: after, Events: []task.Draft{core.ReleasedEvent(t, after, failed)}})
}
