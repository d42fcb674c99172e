package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
)

// Most of what was written last is in the log next to a file (-wal) and not in the file, for as long as any process has it
// open. Copying only the file loses it, although the copy is a complete database. A server therefore marks the file itself,
// in the header's field for a user version, with a number that is derived from the file's own: a copy has another number,
// and is recognized by that. A server that ends cleanly removes the mark. SQLite's own copies (VACUUM INTO) are complete:
// they have the mark, but are not yet in WAL mode.

// unmarkPatience is how long a server that ends waits for its turn to remove the mark.
const unmarkPatience = 2 * time.Second

// markOf returns the mark of a file in use; 0 if files have no numbers here.
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

// serve marks the file as in use until ctx ends, whenever the mark is missing: another server may have ended.
func (e *Engine) serve(ctx context.Context) (end func()) {
	e.serving.Store(true)
	return func() {
		e.serving.Store(false)
		e.turn.Lock()
		defer e.turn.Unlock()
		if e.writer != nil && e.queue != nil {
			_, _ = e.mark(context.WithoutCancel(ctx), false) // a mark that stays casts doubt on a copy that may be complete
		}
	}
}

// mark sets or removes the mark of this file, and makes sure that it reaches the file itself: a reader of an older state
// delays the checkpoint that moves it there, and then the next call tries again. It keeps the mark of a copy. It reports
// whether nothing is left to do. The engine's lock is held.
func (e *Engine) mark(ctx context.Context, use bool) (settled bool, err error) {
	if err := e.whole(); err != nil {
		return false, err
	}
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
	if moved >= e.marked.pages || log < e.marked.pages { // a shorter log was started over, after all of it was moved
		e.marked.pages = 0
	}
	return e.marked.pages == 0, nil
}

// marked is a mark that was set, and how many pages of the log have to be moved into the file before the mark is there,
// where a copy of only the file includes it; 0 once it is. The file itself is not read: see the package's comment.
type marked struct {
	mark  int64
	pages int
}

// doubtful checks whether a file that was just opened is a copy of one in use.
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

// Doubt says why stored data may be missing.
func (e *Engine) Doubt() error {
	if !e.doubt.Load() {
		return nil
	}
	return fault.Unready("the database %s was copied while a server had it open, or after one was killed, so that what was written last may be missing", e.path).
		WithHint("compare it with where it came from and make copies with VACUUM INTO; if nothing is missing, say so: %s", hint.Command("db accept"))
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

// meet checks a file before it is opened for the first time, and opens it past SQLite to look at it from then on. SQLite
// writes the content of a log next to a file into it, even if the file has replaced the one that the log belongs to. meet
// refuses such a file. first is false where this process had another file open at this path.
func (e *Engine) meet(info fs.FileInfo, first bool) (_ *metFile, err error) {
	held, err := e.world.Files.Hold(e.path)
	if err != nil {
		return nil, e.pathError(err)
	}
	defer func() {
		if err != nil {
			_ = held.Close() // no engine of this process has the file open
		}
	}()
	if now, err := held.Stat(); err != nil || !e.same(now, info) {
		return nil, foreignLog(e.path)
	}
	if err := e.greet(held, info, first); err != nil {
		return nil, err
	}
	out := &metFile{info: info, held: held}
	shown, logged, err := shownBy(held)
	if err != nil {
		return nil, e.pathError(err)
	}
	out.shown.Store(shown)
	out.logged.Store(logged)
	return out, nil
}

// greet refuses a file that is not with its own log.
func (e *Engine) greet(held db.Held, info fs.FileInfo, first bool) error {
	head := make([]byte, walMode+2)
	n, err := held.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return e.pathError(err)
	}
	unlogged := n == len(head) && head[walMode] == 1 && head[walMode+1] == 1 // it was never used with a log
	if first && n > 0 && !unlogged {
		if err := e.bereft(held); err != nil {
			return err
		}
	}
	log, err := e.world.Files.Lstat(e.near.paths[0])
	if err != nil || log.Size() == 0 {
		return nil //nolint:nilerr // there is no log
	}
	if !first || unlogged {
		return foreignLog(e.path)
	}
	was := e.lastUsed()
	if was.file == 0 || was.log == 0 || was.log != e.world.Files.Number(log) {
		return nil
	}
	shown, _, err := shownBy(held)
	if err != nil {
		return e.pathError(err)
	}
	if was.file != e.world.Files.Number(info) || was.identity != 0 && shown != 0 && shown != was.identity {
		return foreignLog(e.path)
	}
	return nil
}

// walMode is the offset of the two header bytes that say whether a file is in WAL mode.
const walMode = 18

// foreignLog refuses a file that is next to the log of another.
func foreignLog(path string) error {
	return fault.Unready("another file has replaced the database %s, next to the log of the one that was there", path).
		WithHint("put the old file back; or stop everything that uses it, and move %s-wal and %s-shm away with the old file", path, path).
		WithCause(errForeignLog)
}

var errForeignLog = errors.New("the log does not belong to the file")

// uses is a record of which file a log belongs to: their numbers, and the identity of the database in them; 0 where it is not
// known.
type uses struct {
	file, log uint64
	identity  int64
}

// used records, next to the file, which file its log belongs to, and that this process has both open from now on. Where
// another process has, the record is there. The turn is held.
func (e *Engine) used(c *conn) {
	if !e.queue.Others() {
		log, err := e.world.Files.Lstat(e.near.paths[0])
		if err != nil {
			return
		}
		word := fmt.Appendf(nil, "%d %d %d\n", e.world.Files.Number(c.file), e.world.Files.Number(log), c.met.own.Load())
		_ = e.world.Files.Write(e.path+"-queue", word) // without it a log is not recognized
	}
	e.queue.Stay()
}

// lastLog reports whether a log is the one that was recorded last.
func (e *Engine) lastLog(log fs.FileInfo) bool {
	was := e.lastUsed()
	return was.log == 0 || was.log == e.world.Files.Number(log)
}

// lastUsed reads that record. An earlier version wrote no identity.
func (e *Engine) lastUsed() (was uses) {
	word, err := e.world.Files.Begin(e.path+"-queue", 64)
	if err != nil {
		return uses{}
	}
	if n, _ := fmt.Sscan(string(word), &was.file, &was.log, &was.identity); n < 2 {
		return uses{}
	}
	return was
}
