package sqlite

import (
	"errors"
	"io/fs"
	"sync"
	"sync/atomic"
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
	known atomic.Pointer[pair] // nil while no connection is known to have them open
}

// pair is the descriptions of the log and of its index, nil for one that was missing when it was looked up.
type pair [2]fs.FileInfo

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
		n.known.Store(nil)
	}
}

// whole refuses a database whose log or index was removed or replaced since it was opened.
func (e *Engine) whole() error {
	known := e.near.known.Load()
	if known == nil || known[0] == nil || known[1] == nil {
		return e.acquaint()
	}
	for i, was := range known {
		info, err := e.world.Files.Stat(e.near.paths[i])
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !e.world.Files.Same(was, info):
			if e.near.known.Load() != known {
				return nil // all connections were closed in the meantime, so this is no open database's
			}
			return parted(e.path, e.near.paths[i])
		case err != nil:
			return e.pathError(err)
		}
	}
	return nil
}

// acquaint looks up the files if connections have them open. It looks for a missing one again later: a connection that may
// only read goes without.
func (e *Engine) acquaint() error {
	n := &e.near
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conns == 0 {
		return nil
	}
	var now pair
	if known := n.known.Load(); known != nil {
		now = *known
	}
	for i, was := range now {
		info, err := e.world.Files.Stat(e.near.paths[i])
		switch {
		case err == nil && was == nil:
			now[i] = info
		case was != nil && (errors.Is(err, fs.ErrNotExist) || err == nil && !e.world.Files.Same(was, info)):
			return parted(e.path, e.near.paths[i])
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return e.pathError(err)
		}
	}
	n.known.Store(&now)
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
				WithHint("put it back; or compare the database with a backup, and to go on with what is in it move %s away", e.near.paths[1])
		}
	}
}
