//go:build unix

package db

import (
	"errors"
	"os"
	"syscall"
)

// queue is two locks beside a file. A process takes the first, waits for the second, and gives the first back, so that
// one that has just had its turn stands behind the one that waits already. The kernel frees the locks of a process that
// dies.
type queue struct{ waiting, turn *os.File }

func openQueue(path string) (Queue, error) {
	waiting, err := openLock(path + "-queue")
	if err != nil {
		return nil, err
	}
	turn, err := openLock(path + "-turn")
	if err != nil {
		_ = waiting.Close()
		return nil, err
	}
	return &queue{waiting, turn}, nil
}

func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

// Take waits for the turn.
func (q *queue) Take() error {
	if err := flock(q.waiting, syscall.LOCK_EX); err != nil {
		return err
	}
	err := flock(q.turn, syscall.LOCK_EX)
	if bad := flock(q.waiting, syscall.LOCK_UN); err == nil {
		err = bad
	}
	return err
}

// Give ends the turn.
func (q *queue) Give() { _ = flock(q.turn, syscall.LOCK_UN) }

// Close ends the turn and closes the files.
func (q *queue) Close() {
	_ = q.waiting.Close()
	_ = q.turn.Close()
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
