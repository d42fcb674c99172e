//go:build unix

package unfinished

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of a file, which ends with the process that has it. It returns errLocked where somebody else has it, and
// another error where the file system has no locks.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// remove removes a file while its lock is held, so that nobody begins to write it meanwhile.
func remove(_ *os.File, path string) error { return os.Remove(path) }

// rename gives a file its name while its lock is held, so that nobody takes it for abandoned.
func rename(f *os.File, path string) error { return os.Rename(f.Name(), path) }
