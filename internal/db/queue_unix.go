//go:build unix

package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// queue is two locks beside a file. A process takes the first, waits for the second, and gives the first back, so that
// one that has just had its turn stands behind the one that waits already. The kernel frees the locks of a process that
// dies; one that is stopped keeps them, so nobody waits without an end.
type queue struct {
	waiting, turn *os.File

	mu     sync.Mutex
	asked  chan error // answers whoever waits for the goroutine that waits for the locks; nil where none does
	wanted bool       // somebody waits for that answer
}

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
	return &queue{waiting: waiting, turn: turn}, nil
}

func openLock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
}

// Take waits for the turn, and leaves word of who has it.
func (q *queue) Take(ctx context.Context, a Asking) error {
	if answer := q.ask(); answer != nil {
		if err := q.wait(ctx, answer, a); err != nil {
			return err
		}
	}
	word := fmt.Appendf(nil, "%d %d %s\n", os.Getpid(), time.Now().UnixMilli(), oneLine(a.Who))
	_, _ = q.turn.WriteAt(word, 0) // on a full disk nobody is told who it is
	return nil
}

// ask takes the locks where they are free, and otherwise returns where a goroutine that waits for them will answer.
func (q *queue) ask() <-chan error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.asked == nil {
		if q.free() {
			return nil
		}
		q.asked = make(chan error, 1)
		go q.block(q.asked)
	}
	q.wanted = true
	return q.asked
}

// free takes the locks if nobody has them or waits for them.
func (q *queue) free() bool {
	if flock(q.waiting, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return false
	}
	got := flock(q.turn, syscall.LOCK_EX|syscall.LOCK_NB) == nil
	return flock(q.waiting, syscall.LOCK_UN) == nil && got
}

// block waits for the locks for as long as it takes. What nobody wants any more by then it gives back.
func (q *queue) block(answer chan<- error) {
	err := flock(q.waiting, syscall.LOCK_EX)
	if err == nil {
		err = flock(q.turn, syscall.LOCK_EX)
		if bad := flock(q.waiting, syscall.LOCK_UN); err == nil {
			err = bad
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asked = nil
	switch {
	case q.wanted:
		answer <- err
	case err == nil:
		q.Give()
	}
}

// wait returns nil once the locks are there.
func (q *queue) wait(ctx context.Context, answer <-chan error, a Asking) error {
	tell, giveUp := time.NewTimer(a.Patience.Tell), time.NewTimer(a.Patience.GiveUp)
	defer tell.Stop()
	defer giveUp.Stop()
	for {
		var why error
		select {
		case err := <-answer:
			return err
		case <-tell.C:
			a.Waits(q.Holder())
			continue
		case <-giveUp.C:
			why = ErrHeld
		case <-ctx.Done():
			why = ctx.Err()
		}
		if q.leave() {
			return why
		}
		return <-answer // it came at this very moment
	}
}

// leave reports whether the answer is not there yet; nobody waits for it then.
func (q *queue) leave() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.asked == nil {
		return false
	}
	q.wanted = false
	return true
}

// Holder reads the word that was left by whoever has the turn.
func (q *queue) Holder() Holder {
	word := make([]byte, whoLimit+64)
	n, _ := q.turn.ReadAt(word, 0) // the end of the file is an error
	line, _, _ := strings.Cut(string(word[:n]), "\n")
	pid, rest, _ := strings.Cut(line, " ")
	since, who, _ := strings.Cut(rest, " ")
	var h Holder
	if at, err := strconv.ParseInt(since, 10, 64); err == nil {
		h.PID, _ = strconv.Atoi(pid)
		h.Who, h.Since = oneLine(who), time.UnixMilli(at)
	}
	return h
}

// Give ends the turn.
func (q *queue) Give() { _ = flock(q.turn, syscall.LOCK_UN) }

// Close ends the turn and closes the files.
func (q *queue) Close() {
	_ = q.waiting.Close()
	_ = q.turn.Close()
}

// flock locks a file, or fails on one that is closed. A file that is closed meanwhile stays what it is until the call is over.
func flock(f *os.File, how int) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	err = raw.Control(func(fd uintptr) {
		for locked = syscall.EINTR; errors.Is(locked, syscall.EINTR); {
			locked = syscall.Flock(int(fd), how)
		}
	})
	if err != nil {
		return err
	}
	return locked
}
