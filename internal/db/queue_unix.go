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

// lanes is how many queues there are: all but the first are for those who would otherwise wait behind a process that was
// stopped in the ones before.
const lanes = 3

// queue is locks beside a file: one of the turn and one of each lane. A process takes its lane, waits for the turn, and
// gives the lane back, so that one that has just had its turn stands behind the one that waits already. The kernel frees
// the locks of a process that dies; one that is stopped keeps them, so nobody waits without an end: for the turn not
// longer than the patience, and in a lane not when turns go by while whoever is first there does not move (see look).
type queue struct {
	path string
	turn *os.File

	mu    sync.Mutex
	lanes [lanes]lane
	at    int        // the lane in which the one who waits stands
	asked chan error // answers whoever waits; nil where nobody does
	front bool       // a goroutine has had a lane, and waits for the turn
}

// lane is one of the queues.
type lane struct {
	file     *os.File // nil until somebody needs the lane
	standing bool     // a goroutine waits for this lane
	passed   bool     // the one who is first in it does not move...
	first    string   // ...while this is the word that was left there
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
	q.leaveWord(turnWord, a.Who)
	return nil
}

// ask takes the turn where it is free, and otherwise returns where a goroutine that waits for it will answer.
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

// free takes the turn if nobody has it or waits for it. Otherwise it has found the lane to wait in: the first whose first
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

// stand sees to it that a goroutine waits for the lane.
func (q *queue) stand() {
	if l := &q.lanes[q.at]; !l.standing {
		l.standing = true
		go q.block(q.at)
	}
}

// block waits for a lane and then for the turn, for as long as it takes. What nobody wants any more by then it gives back.
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

// wait returns nil once the turn is there.
func (q *queue) wait(ctx context.Context, answer <-chan error, a Asking) error {
	tell, giveUp, looks := time.NewTimer(a.Patience.Tell), time.NewTimer(a.Patience.GiveUp), time.NewTicker(max(a.Patience.Tell/4, 1))
	defer tell.Stop()
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

// sight is what somebody saw who looked over those who wait in front.
type sight struct {
	free        bool   // nobody had the turn
	turn, first string // the words that were left by the one who had it last, and by the first in the lane
}

// look finds out whether the process that is first in the lane has been stopped, and reports whether the turn was taken
// past it. Such a process is told by two looks between which it did not move: nobody had the turn at either, and nobody at
// all in between; or somebody had it, but not the first one. In the second case the wait goes on in the next lane.
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

// leave reports whether the answer is not there yet; nobody waits for it then.
func (q *queue) leave() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.asked == nil {
		return false
	}
	q.asked = nil
	return true
}

// The words about processes lie in the file of the turn, each in its own place.
const (
	turnWord  = 0
	wordPlace = 256
)

func laneWord(i int) int64 { return int64(i+1) * wordPlace }

// leaveWord says in a place who is there since now. On a full disk nobody is told.
func (q *queue) leaveWord(place int64, who string) {
	_, _ = q.turn.WriteAt(fmt.Appendf(nil, "%d %d %s\n", os.Getpid(), time.Now().UnixMilli(), oneLine(who)), place)
}

// word returns what was left in a place.
func (q *queue) word(place int64) string {
	text := make([]byte, wordPlace)
	n, _ := q.turn.ReadAt(text, place) // the end of the file is an error
	line, _, _ := strings.Cut(string(text[:n]), "\n")
	return line
}

// Holder reads the word that was left by whoever has the turn.
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
