package admin

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
)

// EnterIn is a credential that somebody presents.
type EnterIn struct{ Credential string }

// Entered is the session of a credential, and when it was looked up.
type Entered struct {
	Session task.Session
	Now     task.Time
}

// Enter returns the session of a credential. Every other credential gets the same refusal, so that guessing reveals
// nothing.
func (s *Service) Enter(ctx context.Context, in EnterIn) (Entered, error) {
	if !isCredential(in.Credential) {
		return Entered{}, notGood()
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) (Entered, error) {
		now := tx.Now()
		one, err := tx.SessionOf(credentialDigest(in.Credential))
		if err != nil {
			return Entered{}, err
		}
		if one == nil || !one.Live(now) {
			return Entered{}, notGood()
		}
		return Entered{*one, now}, nil
	})
}

func notGood() error {
	return fault.New(fault.Unauthorized, "the session is not valid here: unknown, expired or revoked").
		WithHint("create another one where the database is: %s", hint.NewSession())
}

// Leave ends the session of a credential for good. Anyone who presents the credential may do that, even in a read-only
// session. A session that has already ended does not change.
func (s *Service) Leave(ctx context.Context, in EnterIn) (core.None, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (core.None, error) {
		one, err := tx.SessionOf(credentialDigest(in.Credential))
		if err != nil || one == nil || !one.Live(tx.Now()) {
			return core.None{}, err
		}
		return core.None{}, tx.RevokeSession(*one)
	})
}

// UsedIn says when sessions were last used, by their id.
type UsedIn struct{ At map[int64]task.Time }

// Used records when sessions were last used, in one turn and without an event.
func (s *Service) Used(ctx context.Context, in UsedIn) (core.None, error) {
	return core.None{}, s.Turn(ctx, task.By{}, func(tx *store.Tx) error {
		for id, t := range in.At {
			if err := tx.TouchSession(id, t); err != nil {
				return err
			}
		}
		return nil
	})
}
