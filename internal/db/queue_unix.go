//go:build unix

package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// lanes is how many queues there are: all but the first are for processes that would otherwise wait behind one that was
// stopped in an earlier lane.
const lanes = 3

// queue is a set of file locks next to a database: one for the turn and one for each lane. A process takes its lane, waits
// for the turn, and gives back the lane, so that one that has just had its turn queues behind one that is already waiting.
// The kernel frees the locks of a process that dies; one that is stopped keeps them, so every wait is limited: for the turn
// by the patience, and in a lane until turns go by while the first process there does not move (see look).
type queue struct {
	path string
	turn *os.File

	mu    sync.Mutex
	lanes [lanes]lane
	at    int        // the lane that the waiting process is in
	asked chan error // receives the result of the wait; nil if nobody waits
	front bool       // a goroutine has its lane, and waits for the turn
}

// lane is one of the queues.
type lane struct {
	file     *os.File // nil until the lane is needed
	standing bool     // a goroutine waits for this lane
	passed   bool     // the first process in it does not move...
	first    string   // ...while this is its word
}

func openQueue(path string) (Queue, error) {
	q := &queue{path: path}
	if err := q.openLane(0); err != nil {
		return nil, err
	}
	var err error
	if q.turn, err = openLock(path + "-turn"); err != nil {
		_ = q.lanes[0].file.Close()
		return nil, err
	}
	return q, nil
}

func (q *queue) openLane(i int) (err error) {
	name := q.path + "-queue"
	if i > 0 {
		name += "-" + strconv.Itoa(i+1)
	}
	if q.lanes[i].file == nil {
		q.lanes[i].file, err = openLock(name)
	}
	return err
}

// Take waits for the turn, and leaves word of who has it.
func (q *queue) Take(ctx context.Context, a Asking) error {
	if answer := q.ask(); answer != nil {
		if err := q.wait(ctx, answer, a); err != nil {
			return err
		}
	}
	q.leaveWord(turnWord, a.Who)
	return nil
}

// ask takes the turn if it is free; otherwise it returns the channel on which a waiting goroutine will answer.
func (q *queue) ask() <-chan error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.front {
		if q.free() {
			return nil
		}
		q.stand()
	}
	q.asked = make(chan error, 1)
	return q.asked
}

// free takes the turn if nobody has it or waits for it. Otherwise it chooses the lane to wait in: the first one whose first
// process moves, as far as is known.
func (q *queue) free() bool {
	for q.at = 0; ; q.at++ {
		l := &q.lanes[q.at]
		if !l.standing && flock(l.file, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			l.passed = false
			got := flock(q.turn, syscall.LOCK_EX|syscall.LOCK_NB) == nil
			return flock(l.file, syscall.LOCK_UN) == nil && got
		}
		if l.passed = l.passed && l.first == q.word(laneWord(q.at)); !l.passed || !q.next() {
			return false
		}
	}
}

// next reports whether there is a lane after this one.
func (q *queue) next() bool {
	return q.at+1 < len(q.lanes) && q.openLane(q.at+1) == nil
}

// stand makes sure that a goroutine waits for the lane.
func (q *queue) stand() {
	if l := &q.lanes[q.at]; !l.standing {
		l.standing = true
		go q.block(q.at)
	}
}

// block waits for a lane and then for the turn, for as long as it takes. If nobody wants the turn any more by then, block
// gives it back.
func (q *queue) block(at int) {
	l := &q.lanes[at]
	err := flock(l.file, syscall.LOCK_EX)
	q.mu.Lock()
	defer q.mu.Unlock()
	l.standing = false
	if q.front || q.asked == nil || q.at != at {
		_ = flock(l.file, syscall.LOCK_UN)
		return
	}
	if err == nil {
		q.front = true
		q.leaveWord(laneWord(at), "")
		q.mu.Unlock()
		err = flock(q.turn, syscall.LOCK_EX)
		if bad := flock(l.file, syscall.LOCK_UN); err == nil {
			err = bad
		}
		q.mu.Lock()
		q.front = false
	}
	switch {
	case q.asked != nil:
		q.asked <- err
		q.asked = nil
	case err == nil:
		q.Give()
	}
}

// wait returns nil once this process has the turn.
func (q *queue) wait(ctx context.Context, answer <-chan error, a Asking) error {
	report, giveUp, looks := time.NewTimer(a.Patience.Tell), time.NewTimer(a.Patience.GiveUp), time.NewTicker(max(a.Patience.Tell/4, 1))
	defer report.Stop()
	defer giveUp.Stop()
	defer looks.Stop()
	var before sight
	for {
		var why error
		select {
		case err := <-answer:
			return err
		case <-looks.C:
			if q.look(&before) {
				return nil
			}
			continue
		case <-report.C:
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

// sight is what a waiting process sees ahead of it.
type sight struct {
	free        bool   // nobody had the turn
	turn, first string // the words left by the turn's last holder, and by the first process in the lane
}

// look finds out whether the first process in the lane has been stopped, and reports whether the turn was taken past it.
// Two looks recognize such a process if it did not move between them: either nobody had the turn at both looks or in
// between, or somebody else had it. In the second case the wait continues in the next lane.
func (q *queue) look(before *sight) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.front {
		q.leaveWord(laneWord(q.at), "") // this process is not stopped, or not any more
	}
	if q.front || q.asked == nil {
		return false
	}
	now := sight{turn: q.word(turnWord), first: q.word(laneWord(q.at))}
	now.free = flock(q.turn, syscall.LOCK_EX|syscall.LOCK_NB) == nil
	was := *before
	*before = now
	idle := was.free && now.free && was.turn == now.turn
	goesBy := was.turn != "" && was.turn != now.turn
	stuck := was.first == now.first && (idle || goesBy)
	if stuck {
		q.lanes[q.at].passed, q.lanes[q.at].first = true, now.first
	}
	switch {
	case stuck && idle:
		q.asked = nil
		return true
	case now.free:
		q.Give()
	}
	if stuck && q.next() {
		q.at++
		q.stand()
	}
	return false
}

// leave stops waiting, and reports whether the answer had not come yet.
func (q *queue) leave() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.asked == nil {
		return false
	}
	q.asked = nil
	return true
}

// The words about processes are in the file of the turn, each at its own offset.
const (
	turnWord  = 0
	wordPlace = 256
)

func laneWord(i int) int64 { return int64(i+1) * wordPlace }

// leaveWord records at an offset who is there from now on. On a full disk it records nothing.
func (q *queue) leaveWord(place int64, who string) {
	_, _ = q.turn.WriteAt(fmt.Appendf(nil, "%d %d %s\n", os.Getpid(), time.Now().UnixMilli(), oneLine(who)), place)
}

// word returns what was recorded at an offset.
func (q *queue) word(place int64) string {
	text := make([]byte, wordPlace)
	n, _ := q.turn.ReadAt(text, place) // reaching the end of the file is an error
	line, _, _ := strings.Cut(string(text[:n]), "\n")
	return line
}

// Holder reads the word of the process that has the turn.
func (q *queue) Holder() Holder {
	line := q.word(turnWord)
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

// stayAt is the byte of the turn's file that processes share a lock on while they have the database open for writing. It
// is far behind the words, and in no file.
const stayAt = 1 << 30

func staying(path string) bool { return systemFiles{}.Locked(path+"-turn", stayAt, 1) }

// Stay and Others use a lock of another kind than the turn: it is shared, and dropped when this process closes the file.
func (q *queue) Stay() {
	lock := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart, Start: stayAt, Len: 1}
	_ = syscall.FcntlFlock(q.turn.Fd(), syscall.F_SETLK, &lock) // without it, a log that is replaced is not recognized
}

func (q *queue) Others() bool { return held{q.turn}.Locked(stayAt, 1) }

// Close ends the turn and closes the files.
func (q *queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lanes {
		if l.file != nil {
			_ = l.file.Close()
		}
	}
	_ = q.turn.Close()
}

// flock locks a file, or fails if the file is closed. A file that is closed during the call stays valid until the call
// returns.
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
