//go:build unix

package admin

import (
	"os"
	"syscall"
)

// alone takes the lock of a file, which ends with the process that has it, and reports whether it was free.
func alone(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// remove removes a file while its lock is held, so that nobody begins to write it meanwhile.
func remove(_ *os.File, path string) error { return os.Remove(path) }
