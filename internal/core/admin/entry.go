package admin

import (
	"context"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// Enter gives the session that a credential is good for now. It says the same of every other: who guesses learns
// nothing.
func (s *Service) Enter(ctx context.Context, credential string) (task.Session, task.Time, error) {
	var now task.Time
	found, err := core.Read(ctx, s.Env, func(tx *core.ReadTx) (task.Session, error) {
		now = tx.Now()
		if !strings.HasPrefix(credential, credentialPrefix) {
			return task.Session{}, notGood()
		}
		one, err := tx.Sessions.SessionOf(credentialDigest(credential))
		if err != nil {
			return task.Session{}, err
		}
		if one == nil || !one.Live(now) {
			return task.Session{}, notGood()
		}
		return *one, nil
	})
	return found, now, err
}

func notGood() error {
	return fault.New(fault.Unauthorized, "the session is not good here: unknown, expired or revoked").
		WithHint("make another where the database is: tasker session create --actor NAME")
}

// Used notes when sessions were used last, in one turn.
func (s *Service) Used(ctx context.Context, at map[int64]task.Time) error {
	return s.Store.Write(ctx, task.By{}, func(tx *core.WriteTx) error {
		for id, t := range at {
			if err := tx.Sessions.TouchSession(id, t); err != nil {
				return err
			}
		}
		return nil
	})
}
