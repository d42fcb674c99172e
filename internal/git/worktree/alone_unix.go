//go:build unix

package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"tasker/internal/fault"
)

// alone runs fn while no other tasker process makes, removes or lists work trees of the repository:
// git reads the records of all of them, and fails on one that another git is just writing. The lock
// ends with its process.
func (r *Repo) alone(ctx context.Context, fn func() error) error {
	f, err := os.OpenFile(filepath.Join(r.common, "tasker.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fault.Decline("the repository %s cannot be locked: %v", r.Root, err).WithCause(err)
	}
	defer func() { _ = f.Close() }()
	if err := wait(ctx, f); err != nil {
		return fault.Unready("the repository %s is locked by another process that is creating or removing a work tree", r.Root).
			WithHint("try again").WithCause(err)
	}
	return fn()
}

// lockLimit is how long to wait for the lock: a checkout may be large.
const lockLimit = 2 * time.Minute

func wait(ctx context.Context, f *os.File) error {
	ctx, stop := context.WithTimeout(ctx, lockLimit)
	defer stop()
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
