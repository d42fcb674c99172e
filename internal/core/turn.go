package core

import (
	"context"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// write runs fn in a turn, in the caller's name. Under an idempotency key that was used before it answers what was
// answered then, without running fn, and says so; T must survive JSON. fn may run more than once.
func write[T any](ctx context.Context, s *Services, fn func(WriteTx) (T, error)) (T, bool, error) {
	out, replayed, err := writeBy(ctx, s, by(ctx), fn)
	if err == nil && !replayed {
		_ = s.NoticeDrift(ctx) // what was asked for is done; the next write looks again
	}
	return out, replayed, err
}

// writeBy is write in a name other than the context's own, or in a turn of its own.
func writeBy[T any](ctx context.Context, s *Services, who task.By, fn func(WriteTx) (T, error)) (out T, replayed bool, err error) {
	idem := CallerOf(ctx).Idem
	err = s.Store.Write(ctx, who, func(tx WriteTx) error {
		var zero T
		var err error
		out, replayed = zero, false
		if idem != nil {
			if replayed, err = replay(tx, *idem, &out); err != nil || replayed {
				return err
			}
		}
		if out, err = fn(tx); err != nil {
			out = zero
			return err
		}
		if idem != nil {
			return remember(tx, *idem, out)
		}
		return nil
	})
	if err != nil {
		var zero T
		return zero, false, err
	}
	return out, replayed, nil
}

// replay reads the answer that is kept for a key; another body under the same key is declined.
func replay[T any](tx ReadTx, idem Idem, out *T) (bool, error) {
	kept, err := tx.Remembered(idem.Key)
	if err != nil || kept == nil {
		return false, err
	}
	if kept.Digest != idem.Digest {
		return false, fault.Decline("the idempotency key %q was used for another request", idem.Key.Key).
			WithHint("use a new key for a new request; a key is kept for 24 hours")
	}
	return true, json.Unmarshal(kept.Answer, out)
}

func remember[T any](tx WriteTx, idem Idem, out T) error {
	answer, err := json.Marshal(out)
	if err != nil {
		return err
	}
	return tx.Remember(idem.Key, task.Kept{Digest: idem.Digest, Answer: answer})
}

// read runs fn on one snapshot. fn may run more than once.
func read[T any](ctx context.Context, s *Services, fn func(ReadTx) (T, error)) (T, error) {
	if tx, ok := ctx.Value(pinKey{}).(ReadTx); ok {
		return fn(tx)
	}
	return readBy(ctx, s.Store.Read, fn)
}

// answer is read for what is answered after a turn: short. What the turn did is told also to a caller whose context has
// ended meanwhile: it may hold a task now.
func answer[T any](ctx context.Context, s *Services, need task.Need, fn func(ReadTx) (T, error)) (T, error) {
	return readBy(context.WithoutCancel(ctx), func(ctx context.Context, fn func(ReadTx) error) error { return s.Store.Answer(ctx, need, fn) }, fn)
}

func readBy[T any](ctx context.Context, by func(context.Context, func(ReadTx) error) error, fn func(ReadTx) (T, error)) (out T, err error) {
	err = by(ctx, func(tx ReadTx) error {
		var err error
		out, err = fn(tx)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}
