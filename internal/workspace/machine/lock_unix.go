//go:build unix

package machine

import (
	"errors"
	"os"
	"syscall"

	"tasker/internal/fault"
)

// lock takes the lock of a workspace, which ends with its process. The holder knows that no other
// process is opening or closing this workspace, and that a half-made one was left by a crash.
func lock(path string, what string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fault.Unready("the workspace of %s is being opened or closed by another process", what).WithHint("wait for it, and try again")
		}
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
