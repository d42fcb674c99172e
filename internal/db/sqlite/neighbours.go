package sqlite

import (
	"errors"
	"io/fs"
	"sync"
	"time"

	"tasker/internal/fault"
)

// SQLite keeps two files next to a database for as long as any process has it open: the log of what is not yet in the file
// (-wal), and the index of the log that processes share (-shm). A process that has them open does not notice when their
// names are removed: it goes on writing to files that nobody can find again, and the next process begins new ones. So the
// names are checked before a connection is opened, and before and after every turn.

// neighbours are the files next to the database, as the open connections know them.
type neighbours struct {
	paths [2]string // of the log, and of its index

	mu    sync.Mutex
	conns int
	known [2]fs.FileInfo // nil for one that was missing when it was looked up, and while no connection is open
}

// keep counts a connection that stays open, after it has read: from then until it is closed, neither file can disappear
// legitimately.
func (e *Engine) keep(c *conn) error {
	n := &e.near
	n.mu.Lock()
	n.conns++
	c.near = n
	n.mu.Unlock()
	return e.whole()
}

// leave is called before a connection is closed: the last one removes the files.
func (n *neighbours) leave() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conns--; n.conns == 0 {
		n.known = [2]fs.FileInfo{}
	}
}

// whole refuses a database whose log or index was removed or replaced since it was opened. It looks for a missing one
// again the next time: a connection that may only read goes without.
func (e *Engine) whole() error {
	n := &e.near
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conns == 0 {
		return nil
	}
	for i, was := range n.known {
		info, err := e.world.Files.Stat(n.paths[i])
		missing := errors.Is(err, fs.ErrNotExist)
		switch {
		case was != nil && (missing || err == nil && !e.world.Files.Same(was, info)):
			return parted(e.path, n.paths[i])
		case err == nil:
			n.known[i] = info
		case !missing:
			return e.pathError(err)
		}
	}
	return nil
}

// parted returns the outage of a database that was separated from its log.
func parted(path, file string) error {
	return fault.Unready("%s was removed or replaced while the database %s is in use", file, path).
		WithHint("put it back; or stop everything that uses the database without killing it, so that what it wrote goes into the file")
}

// Where SQLite locks a file that a process has open: see "The Pending Byte" in its documentation of the file format.
const (
	lockedFrom  = 1<<30 + 2
	lockedBytes = 510
)

// A process that opens the file, or closes it as the last one, does so in steps: the log is created first and removed last.
const (
	stepTime  = 10 * time.Millisecond
	stepTries = 100
)

// bereft refuses, before it is opened for the first time, a file that was separated from its log: others have it open, and
// one of the files that they have open too is missing; or the index is there without its log.
func (e *Engine) bereft() error {
	for tries := 0; ; tries++ {
		_, noLog := e.world.Files.Stat(e.near.paths[0])
		_, noIndex := e.world.Files.Stat(e.near.paths[1])
		missing := e.near.paths[0]
		if noLog == nil {
			missing = e.near.paths[1]
		}
		left := noLog != nil && noIndex == nil
		inUse := (noLog != nil || noIndex != nil) && e.world.Files.Locked(e.path, lockedFrom, lockedBytes)
		switch {
		case !left && !inUse:
			return nil
		case tries < stepTries:
			_ = e.world.Waiting.Sleep(background, stepTime)
		case inUse:
			return parted(e.path, missing)
		default:
			return fault.Unready("%s is missing, and with it what was written last to the database %s", missing, e.path).
				WithHint("put it back; or compare the database with a backup, and, to go on with what is in it, move %s away", e.near.paths[1])
		}
	}
}
