package core

import (
	"context"
	"errors"

	"tasker/internal/fault"
	"tasker/internal/store"
)

// errTakenBack is the cause of the error that ends a turn whose answer counts but whose writes do not.
var errTakenBack = errors.New("nothing is to be written")

// TakeBack returns the error that ends a turn whose answer counts but whose writes do not.
func TakeBack() error { return fault.Decline("nothing is written").WithCause(errTakenBack) }

// TakenBack reports whether a turn ended with TakeBack.
func TakenBack(err error) bool { return errors.Is(err, errTakenBack) }

// WriteUnless is Write, or, if dry is set, a turn that runs completely and is then rolled back: it is refused and
// answered exactly like Write, but nothing is written.
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
