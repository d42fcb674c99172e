package faults

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"tasker/internal/testkit/dbtest"
)

// copied copies only the file, without its log, and returns the world of the copy.
func (w *world) copied() *world {
	w.Helper()
	content, err := os.ReadFile(w.db)
	w.must(err)
	out := &world{T: w.T, dir: w.dir, db: filepath.Join(w.TempDir(), "copy.db")}
	w.must(os.WriteFile(out.db, content, 0o600))
	return out
}

// vacuumed copies a database with SQLite's own means.
func (w *world) vacuumed() *world {
	w.Helper()
	out := &world{T: w.T, dir: w.dir, db: filepath.Join(w.TempDir(), "copy.db")}
	c, err := sqlite.OpenConn(w.db, sqlite.OpenReadWrite)
	w.must(err)
	stmt, _, err := c.PrepareTransient(`VACUUM INTO '` + out.db + `'`)
	w.must(err)
	_, err = stmt.Step()
	w.must(err)
	w.must(stmt.Finalize())
	w.must(c.Close())
	return out
}

// doctor returns what doctor says about a database, and its exit code.
func (w *world) doctor() (string, int) {
	w.Helper()
	got, err := w.try("ann", "", "doctor", "--json")
	w.must(err)
	return string(got.out), got.code
}

// marked writes until the server's mark of use is in the file itself; a reader of an older state may delay that.
func (s *server) marked() {
	s.w.Helper()
	for range 1000 {
		head, err := os.ReadFile(s.w.db)
		s.w.must(err)
		if binary.BigEndian.Uint32(head[60:]) != 0 {
			return
		}
		s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "one more"}, nil)
	}
	s.w.Fatal("a server has the file open, and it has no mark of that")
}

// A file that is copied without its log while a server has it open lacks the latest writes, and tasker says so: in
// doctor, and when a server starts on it. Complete copies cause no warning.
func TestACopyOfAFileInUseSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(plain(1))
	s := w.serve("bot")
	s.isReady()
	for i := range 20 {
		s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": fmt.Sprint("note ", i)}, nil)
	}
	s.marked()
	part, whole := w.copied(), w.vacuumed()
	w.healthy() // the file itself is fine, whatever is in its log
	whole.healthy()
	if shown := string(whole.tasker("ann", "show", "demo-1", "--json")); !strings.Contains(shown, "note 19") {
		t.Errorf("the copy that SQLite made lacks the last note: %s", shown)
	}
	for range 2 { // looking changes nothing
		said, code := part.doctor()
		const want = "was copied while a server had it open, or after one was killed, so that what was written last may be missing"
		if code != 1 || !strings.Contains(said, want) || !strings.Contains(said, "db accept") {
			t.Errorf("doctor on the copy ended with %d: %s", code, said)
		}
	}
	other := part.serve("bot")
	other.isReady()
	got, err := other.call(who{}, "/readyz", nil)
	w.must(err)
	if !strings.Contains(string(got.body), "copied while it was in use") {
		t.Errorf("readiness on the copy says %s", got.body)
	}
	other.stop()
	if !strings.Contains(other.log.String(), "copied") {
		t.Errorf("the log on the copy says %s", other.log.String())
	}
	if said, code := part.doctor(); code != 1 {
		t.Errorf("after a server ran on it, doctor on the copy ended with %d: %s", code, said)
	}
	part.tasker("ann", "db", "accept")
	part.healthy()

	// The database of a killed server is recovered in place, and a copy of just the file is doubted.
	s.kill()
	w.tasker("ann", "show", "demo-1")
	w.healthy()
	if said, code := w.copied().doctor(); code != 1 {
		t.Errorf("doctor on the copy of a file whose server was killed ended with %d: %s", code, said)
	}
	s = w.serve("bot")
	s.isReady()
	s.stop()
	w.copied().healthy() // a server that ended cleanly leaves everything in the file
}

// A file that replaces another one, next to that file's log, is refused before the log is written into it: a copy that
// SQLite made, and one that was made while nobody used the file.
func TestAFileBesideTheLogOfAnotherIsRefused(t *testing.T) {
	t.Parallel()
	for name, snapshot := range map[string]func(*world) *world{"a plain copy": (*world).copied, "a copy by SQLite": (*world).vacuumed} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, dbtest.SQLite(t))
			w.apply(plain(1))
			old := snapshot(w)
			s := w.serve("bot")
			s.isReady()
			s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "of the log"}, nil)
			s.kill()
			w.must(os.Rename(w.db, w.db+".away"))
			w.must(os.Rename(old.db, w.db))
			for _, args := range [][]string{{"show", "demo-1"}, {"note", "demo-1", "more"}, {"serve", "--port", "0"}} {
				got, err := w.try("bot", "", args...)
				w.must(err)
				if got.code == 0 || !strings.Contains(string(got.err), "next to the log") || !strings.Contains(string(got.err), "-wal") {
					t.Errorf("%s ended with %d: %s", args[0], got.code, got.err)
				}
			}
			w.must(os.Rename(w.db, old.db))
			w.must(os.Rename(w.db+".away", w.db))
			if shown := string(w.tasker("bot", "show", "demo-1", "--json")); !strings.Contains(shown, "of the log") {
				t.Errorf("with its files back, the database lacks what was in its log: %s", shown)
			}
			// With the log out of the way, the snapshot is all there is.
			w.must(os.Rename(old.db, w.db))
			if shown := string(w.tasker("bot", "show", "demo-1", "--json")); strings.Contains(shown, "of the log") {
				t.Errorf("the snapshot has what was written after it: %s", shown)
			}
		})
	}
}
