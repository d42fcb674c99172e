package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
)

// Most of what was written last stands in the log beside a file (-wal) and not in the file, for as long as anybody has it
// open. So whoever copies the file alone loses it, and the copy is a whole database all the same. A server therefore marks
// the file itself, in the header's field for a version of the user's, with a number that is made from the file's own: a
// copy has another number, and is known by that. A server that ends in order takes the mark away. SQLite's own copies
// (VACUUM INTO) are whole: they have the mark, but are not yet set to a log beside them.

// unmarkPatience is how long a server that ends waits for its turn to take the mark away.
const unmarkPatience = 2 * time.Second

// markOf is the mark of a file in use; 0 where files have no numbers here.
func (e *Engine) markOf(file fs.FileInfo) int64 {
	id := e.world.Files.Number(file)
	if id == 0 {
		return 0
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], id)
	h := fnv.New32a()
	_, _ = h.Write(b[:])
	return int64(h.Sum32()&0x7fffffff | 1)
}

// serve marks the file as in use while ctx lasts, whenever the mark is missing: another server may have ended.
func (e *Engine) serve(ctx context.Context) (end func()) {
	e.serving.Store(true)
	return func() {
		e.serving.Store(false)
		e.turn.Lock()
		defer e.turn.Unlock()
		if e.writer != nil && e.queue != nil {
			_, _ = e.mark(context.WithoutCancel(ctx), false) // one that stays accuses a copy that may be whole
		}
	}
}

// mark sets the mark of this file or takes it away, and has it in the file itself: a reader of an older state holds up the
// checkpoint that moves it there, and the next call tries again. The mark of a copy stays. It reports whether nothing is left
// to do. The engine's lock is held.
func (e *Engine) mark(ctx context.Context, use bool) (settled bool, err error) {
	mine := e.markOf(e.writer.file)
	was, err := e.writer.number("PRAGMA user_version")
	if err != nil {
		return false, err
	}
	want := int64(0)
	if use {
		want = mine
	}
	if mine == 0 || was != 0 && was != mine || was == want && e.marked == (marked{mark: want}) {
		return true, nil
	}
	a := e.setup.Asking("mark of use")
	a.Patience.GiveUp = min(a.Patience.GiveUp, unmarkPatience)
	if err := e.queue.Take(ctx, a); err != nil {
		return false, err
	}
	defer e.queue.Give()
	if was != want {
		if err := e.writer.once("PRAGMA user_version = " + strconv.FormatInt(want, 10)); err != nil {
			return false, err
		}
	}
	log, moved, err := e.writer.checkpoint("PRAGMA wal_checkpoint(PASSIVE)")
	if err != nil {
		return false, err
	}
	if was != want || e.marked.mark != want {
		e.marked = marked{want, log}
	}
	if moved >= e.marked.pages || log < e.marked.pages { // a log that is shorter was begun anew, when all of it was moved
		e.marked.pages = 0
	}
	return e.marked.pages == 0, nil
}

// marked is a mark that was set, and how many pages of the log have to be moved into the file so that it stands there, where
// whoever copies the file alone takes it along; 0 when it does. The file itself is not looked at: see the package's comment.
type marked struct {
	mark  int64
	pages int
}

// doubtful looks whether a file that was just opened is a copy of one in use.
func (e *Engine) doubtful(c *conn) error {
	was, err := c.number("PRAGMA user_version")
	if err != nil {
		return err
	}
	mode, err := c.text("PRAGMA journal_mode")
	if err != nil {
		return err
	}
	mine := e.markOf(c.file)
	e.doubt.Store(mine != 0 && was != 0 && was != mine && strings.EqualFold(mode, "wal"))
	return nil
}

// Doubt says why something may be missing in what is stored.
func (e *Engine) Doubt() error {
	if !e.doubt.Load() {
		return nil
	}
	return fault.Unready("the database %s was copied while a server had it open, or after one was killed, so that what was written last may be missing", e.path).
		WithHint("compare it with where it came from and make copies with VACUUM INTO; where nothing is missing, say so: %s", hint.Command("db accept"))
}

// Accept ends the doubt.
func (e *Engine) Accept(ctx context.Context) error {
	e.turn.Lock()
	defer e.turn.Unlock()
	if err := e.take(ctx, e.setup.Asking("acceptance of a copy")); err != nil {
		return err
	}
	defer e.queue.Give()
	if err := e.writer.once("PRAGMA user_version = 0"); err != nil {
		return err
	}
	e.doubt.Store(false)
	return nil
}

// meet looks at a file before it is opened for the first time. SQLite writes whatever is in a log that lies beside a file
// into it, also where the file was put in the place of the one that the log belongs to. It is refused then.
func (e *Engine) meet(info fs.FileInfo) error {
	head, err := e.world.Files.Begin(e.path, walMode+2)
	if err != nil {
		return e.pathError(err)
	}
	logged := len(head) < walMode+2 || head[walMode] != 1 || head[walMode+1] != 1
	if logged {
		if err := e.bereft(); err != nil {
			return err
		}
	}
	log, err := e.world.Files.Stat(e.near.paths[0])
	if err != nil || log.Size() == 0 {
		return nil //nolint:nilerr // there is no log
	}
	if !logged {
		return beside(e.path) // it was never used with a log
	}
	file, own := e.lastUsed()
	if file != 0 && own != 0 && own == e.world.Files.Number(log) && file != e.world.Files.Number(info) {
		return beside(e.path)
	}
	return nil
}

// walMode is where in a file's header two bytes say whether it is used with a log beside it.
const walMode = 18

// beside refuses a file that lies beside the log of another.
func beside(path string) error {
	return fault.Unready("another file was put in the place of the database %s, beside the log of the one that was there", path).
		WithHint("put the old file back; or stop everything that uses it, and move %s-wal and %s-shm away with the old file", path, path).
		WithCause(errBeside)
}

var errBeside = errors.New("the log does not belong to the file")

// used leaves word, beside the file, of which file its log belongs to.
func (e *Engine) used(file fs.FileInfo) {
	log, err := e.world.Files.Stat(e.path + "-wal")
	if err != nil {
		return
	}
	word := fmt.Appendf(nil, "%d %d\n", e.world.Files.Number(file), e.world.Files.Number(log))
	_ = e.world.Files.Write(e.path+"-queue", word) // without it a log is not recognised
}

// lastUsed reads the word that was left.
func (e *Engine) lastUsed() (file, log uint64) {
	word, err := e.world.Files.Begin(e.path+"-queue", 64)
	if err != nil {
		return 0, 0
	}
	if n, err := fmt.Sscanf(string(word), "%d %d\n", &file, &log); err != nil || n != 2 {
		return 0, 0
	}
	return file, log
}
