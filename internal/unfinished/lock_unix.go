//go:build unix

package unfinished

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of a file. The lock ends with its process. It returns errLocked if another
// process holds the lock, and another error if the file system has no locks.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// remove removes a file while its lock is held, so that no process starts to write it in between.
func remove(_ *os.File, path string) error { return os.Remove(path) }

// rename gives a file its name while its lock is held, so that no process takes it for abandoned.
func rename(f *os.File, path string) error { return os.Rename(f.Name(), path) }
