package db

import (
	"context"
	"runtime"
	"time"
)

// runtimeWaiting waits with Go's own means.
type runtimeWaiting struct{}

func (runtimeWaiting) Wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (runtimeWaiting) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (runtimeWaiting) Yield() { runtime.Gosched() }
