package sqlite

import (
	"errors"
	"io/fs"
	"sync"
	"time"

	"tasker/internal/db"
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

// whole refuses a database that is not where it was, or whose log or index was removed or replaced since it was opened. It
// looks for a missing one again the next time: a connection that may only read goes without.
func (e *Engine) whole() error {
	if err := e.there(); err != nil {
		return err
	}
	n := &e.near
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conns == 0 {
		return nil
	}
	for i, was := range n.known {
		info, err := e.world.Files.Lstat(n.paths[i])
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

// Where SQLite locks files that a process has open: see "The Pending Byte" in its documentation of the file format, and
// UNIX_SHM_DMS in its source, a byte of the index that is locked by everybody who has it open.
const (
	lockedFrom  = 1<<30 + 2
	lockedBytes = 510
	indexLocked = 128
)

// A process that opens the file, or closes it as the last one, does so in steps: the log is created first and removed last.
const (
	stepTime  = 10 * time.Millisecond
	stepTries = 100
)

// bereft refuses, before it is opened for the first time, a file that was separated from its log: others have it open, and
// one of the files that they have open too is missing or is another; or the index is there without its log.
func (e *Engine) bereft(held db.Held) error {
	for tries := 0; ; tries++ {
		log, noLog := e.world.Files.Lstat(e.near.paths[0])
		index, noIndex := e.world.Files.Lstat(e.near.paths[1])
		for i, info := range []fs.FileInfo{log, index} {
			if info != nil && info.Mode()&fs.ModeSymlink != 0 {
				return fault.Decline("%s is a link, and the database %s needs a file of that name", e.near.paths[i], e.path).
					WithHint("find out who made it, and remove it")
			}
		}
		left := noLog != nil && noIndex == nil
		lost := ""
		if held.Locked(lockedFrom, lockedBytes) {
			lost = e.lost(log, index)
		}
		switch {
		case !left && lost == "":
			return nil
		case tries < stepTries:
			_ = e.world.Waiting.Sleep(background, stepTime)
		case lost != "":
			return parted(e.path, lost)
		default:
			return fault.Unready("%s is missing, and with it what was written last to the database %s", e.near.paths[0], e.path).
				WithHint("put it back; or compare the database with a backup, and, to go on with what is in it, move %s away", e.near.paths[1])
		}
	}
}

// lost returns the path of the log or index that is not the one that others have open; "" if both are, as far as can be seen.
func (e *Engine) lost(log, index fs.FileInfo) string {
	switch {
	case log == nil:
		return e.near.paths[0]
	case index == nil, !e.world.Files.Locked(e.near.paths[1], indexLocked, 1):
		return e.near.paths[1]
	case e.world.Locks.Staying(e.path) && !e.lastLog(log):
		return e.near.paths[0]
	}
	return ""
}
