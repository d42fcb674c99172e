package core

import (
	"context"
	"errors"

	"tasker/internal/fault"
	"tasker/internal/store"
)

// errTakenBack is the cause of the error by which a turn ends whose answer counts and whose writes do not.
var errTakenBack = errors.New("nothing is to be written")

// TakeBack returns the error by which a turn ends whose answer counts and whose writes do not.
func TakeBack() error { return fault.Decline("nothing is written").WithCause(errTakenBack) }

// TakenBack reports whether a turn ended so.
func TakenBack(err error) bool { return errors.Is(err, errTakenBack) }

// WriteUnless is Write, or where dry a turn that is carried out whole and then taken back: it is refused where Write would
// be, it returns what Write would return, and nothing is written.
func WriteUnless[T any](ctx context.Context, s *Env, dry bool, fn func(*store.Tx) (T, error)) (T, error) {
	if !dry {
		return Write(ctx, s, fn)
	}
	var answer *T
	out, err := WriteBy(ctx, s, By(ctx), func(tx *store.Tx) (T, error) {
		answer = nil
		out, err := fn(tx)
		if err != nil {
			return out, err
		}
		answer = &out
		return out, TakeBack()
	})
	if answer != nil && TakenBack(err) {
		return *answer, nil
	}
	return out, err
}
