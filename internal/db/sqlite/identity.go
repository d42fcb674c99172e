package sqlite

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// Another database can be copied into a file that is in use: cp writes into the file that is there. Whatever a statement
// then reads comes from the log as far as it is there, and from the other database where it is not, so that no statement
// tells. So the header of the file has the identity of its database in the field for an application's id, and a server reads
// it from the file itself, past SQLite, before and after every turn and before every read. An older file of the same database
// has the same identity; where SQLite made it (a backup, VACUUM INTO), it is one that was never used with a log, and that
// tells.

// identityAt is the offset of that field in the header.
const identityAt = 68

// identity returns what stands in the file for the number by which a database is recognized.
func identity(instance int64) int64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(instance))
	h := fnv.New32a()
	_, _ = h.Write(b[:])
	return int64(h.Sum32()&0x7fffffff | 1)
}

// shownBy returns the identity in a file, 0 for a file that has no header yet, and whether the file is used with a log.
func shownBy(file db.Held) (id int64, logged bool, err error) {
	var b [identityAt + 4]byte
	if _, err := file.ReadAt(b[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return 0, false, err
	}
	return int64(binary.BigEndian.Uint32(b[identityAt:])), b[walMode] == 2 && b[walMode+1] == 2, nil
}

// know remembers the identity of the database that was found in the file first.
func (f *metFile) know(h db.Head) {
	if h.Instance != 0 && f.own.Load() == 0 {
		f.own.CompareAndSwap(0, identity(h.Instance))
	}
}

// overwritten refuses a file whose content was replaced in place. The identity in the file changes once: when it is given
// one, and that goes from the log into the file.
func (e *Engine) overwritten(file *metFile) error {
	shown, logged, err := shownBy(file.held)
	if err != nil {
		return e.pathError(err)
	}
	again := logged || !file.logged.Load() // a file that is used with a log stays one
	if logged {
		file.logged.Store(true)
	}
	switch own := file.own.Load(); {
	case again && shown == file.shown.Load():
		return nil
	case again && (shown == own || own == 0): // nothing was read of it yet
		file.shown.Store(shown)
		return nil
	}
	return fault.Unready("the content of another file was written into the database %s while it is in use", e.path).
		WithHint("stop everything that uses it, move it, %s and %s away, and put an intact copy in its place", e.near.paths[0], e.near.paths[1])
}

// identify writes the identity of the database into the header of its file, if that has none yet. The turn is held.
func (c *conn) identify() error {
	h, err := c.head(0, db.Point{})
	if err != nil || h.Instance == 0 {
		return err
	}
	c.met.know(h)
	was, err := c.number("PRAGMA application_id")
	if err != nil || was != 0 {
		return err
	}
	if err := c.once("PRAGMA application_id = " + strconv.FormatInt(identity(h.Instance), 10)); err != nil {
		return err
	}
	_, _, err = c.checkpoint("PRAGMA wal_checkpoint(PASSIVE)")
	return err
}
