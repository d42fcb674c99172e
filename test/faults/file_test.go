package faults

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tasker/internal/testkit/dbtest"
)

// note adds a note, and returns the status of the answer.
func (s *server) note(text string) int {
	s.w.Helper()
	got, err := s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": text})
	s.w.must(err)
	return got.status
}

// noted adds a note that must be acknowledged.
func (s *server) noted(text string) {
	s.w.Helper()
	if status := s.note(text); status != 201 {
		s.w.Fatalf("the note %q was answered with %d", text, status)
	}
}

// out checks that a server answers no write, and says so at that moment; and that no command works beside it.
func (s *server) out(says string) {
	s.w.Helper()
	got, err := s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "lost"})
	s.w.must(err)
	if got.status != 503 || !strings.Contains(string(got.body), says) {
		s.w.Errorf("a note was answered with %d: %s", got.status, got.body)
	}
	if got, err = s.call(who{}, "/readyz", nil); err != nil || got.status != 503 {
		s.w.Errorf("readiness is %d: %s (%v)", got.status, got.body, err)
	}
	for _, args := range [][]string{{"note", "demo-1", "lost"}, {"claim", "demo-1"}, {"doctor"}} {
		if got, err := s.w.try("bot", "", args...); err != nil || got.code == 0 {
			s.w.Errorf("tasker %s ended with %d: %s%s (%v)", args[0], got.code, got.out, got.err, err)
		}
	}
}

// notes checks that a task has these notes, and not what was refused, in a file that is intact.
func (w *world) notes(want ...string) {
	w.Helper()
	shown := string(w.tasker("ann", "show", "demo-1", "--json"))
	for _, text := range want {
		if !strings.Contains(shown, text) {
			w.Errorf("the note %q is missing: %s", text, shown)
		}
	}
	if strings.Contains(shown, "lost") {
		w.Errorf("a note that was refused is there: %s", shown)
	}
	w.healthy()
}

// another opens the file as another program does, which reads or writes it, and closes it.
func (w *world) another(sql string) {
	w.Helper()
	c, err := sqlite.OpenConn(w.db, sqlite.OpenReadWrite)
	w.must(err)
	if err := sqlitex.ExecuteScript(c, sql, nil); err != nil {
		w.Error(err)
	}
	w.must(c.Close())
}

// exchange replaces a file by a copy of itself.
func (w *world) exchange(path string) {
	w.Helper()
	content, err := os.ReadFile(path)
	w.must(err)
	w.must(os.WriteFile(path+".new", content, 0o600))
	w.must(os.Rename(path+".new", path))
}

// linked returns the world of a link to the database.
func (w *world) linked() *world {
	w.Helper()
	out := &world{T: w.T, dir: w.dir, db: filepath.Join(w.TempDir(), "link.db")}
	w.must(os.Symlink(w.db, out.db))
	return out
}

// A server that made its database holds SQLite's lock on it, as one does that found it: whoever looks at the file and
// closes it again does not take the log away beneath the server.
func TestAServerHoldsTheFileThatItMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	s := w.serve("bot")
	s.post(who{}, "/v1/apply", []byte(plain(1)), nil)
	for i := range 12 {
		w.another(`SELECT count(*) FROM task`)
		if !w.locked() {
			t.Fatalf("after %d looks the server has no lock on the file", i)
		}
		s.noted(fmt.Sprintf("note %d %s", i, strings.Repeat("x", 3000)))
		w.healthy()
	}
	s.isReady()
	s.stop()
	w.notes("note 0 ", "note 11 ")
}

// Where the log or its index is replaced by another file, a server and everybody who comes later refuses to write, also
// behind a link: two logs of one file destroy it.
func TestALogThatIsReplacedIsAnOutage(t *testing.T) {
	for _, suffix := range []string{"-wal", "-shm"} {
		for _, how := range []string{"", " behind a link", " of a file that the server made"} {
			t.Run(suffix+how, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, dbtest.SQLite(t))
				file := w.db
				if how == " behind a link" {
					w.apply(plain(1))
					w = w.linked()
				}
				s := w.serve("bot")
				s.post(who{}, "/v1/apply", []byte(plain(1)), nil)
				s.noted("before")
				w.tasker("bot", "note", "demo-1", "by a command")
				w.exchange(file + suffix)
				s.out(file + suffix)
				s.stop()
				w.notes("before", "by a command")
			})
		}
	}
}

// A log that is removed is an outage behind a link too; a second process that comes by the link or by the name works as
// long as it is there.
func TestALinkToTheDatabaseIsFollowedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(plain(1))
	link := w.linked()
	s := link.serve("bot")
	s.noted("before")
	link.tasker("bot", "note", "demo-1", "by the link")
	w.tasker("bot", "note", "demo-1", "by the name")
	for _, suffix := range []string{"-wal", "-shm", "-queue", "-turn"} {
		if _, err := os.Lstat(link.db + suffix); err == nil {
			t.Errorf("%s is next to the link", suffix)
		}
	}
	w.must(os.Remove(w.db + "-wal"))
	s.w = link
	s.out(w.db + "-wal")
	s.stop()
	w.notes("before", "by the link", "by the name")
}

// A file that is moved beneath a server, with a link in its place, is an outage: whoever follows the link would write into
// a second log. The same goes for a link that is led elsewhere. Nothing that was acknowledged is lost, and no fence is
// given twice.
func TestAFileThatIsMovedBehindALinkIsAnOutage(t *testing.T) {
	for _, how := range []string{"moved", "moved with its log", "led elsewhere", "removed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t))
			w.apply(plain(2))
			own := w
			if how == "led elsewhere" || how == "removed" {
				w = w.linked()
			}
			s := w.serve("bot")
			var held, again struct {
				Fence int64 `json:"fence"`
			}
			s.post(who{}, "/v1/tasks/demo-1/claim", object{}, &held)
			for i := range 18 {
				s.noted(fmt.Sprint("note ", i))
			}
			big := filepath.Join(t.TempDir(), "big.db")
			switch how {
			case "moved", "moved with its log":
				w.must(os.Rename(w.db, big))
				w.must(os.Symlink(big, w.db))
				if how == "moved with its log" {
					w.must(os.Rename(w.db+"-wal", big+"-wal"))
					w.must(os.Rename(w.db+"-shm", big+"-shm"))
				}
			case "led elsewhere":
				w.must(os.Remove(w.db))
				w.must(os.Symlink(big, w.db))
			case "removed":
				w.must(os.Remove(w.db))
			}
			got, err := s.call(who{}, "/v1/tasks/demo-2/claim", object{})
			w.must(err)
			if got.status != 503 {
				t.Errorf("a claim was answered with %d: %s", got.status, got.body)
			}
			s.notReady()
			if how == "moved" {
				s.out("was moved")
			}
			s.stop()
			if how == "led elsewhere" || how == "removed" {
				w = own
			}
			w.notes("note 0", "note 17")
			w.tasker("ann", "release", "demo-1")
			w.must(reply{body: w.tasker("bot", "claim", "demo-1", "--json")}.into(&again))
			if again.Fence <= held.Fence {
				t.Errorf("the fence %d was given twice: %d", held.Fence, again.Fence)
			}
		})
	}
}

// cp writes into the file that is there. The next write is refused, although all that it needs may still be in the log. The
// log stays where it is, however the server ends, and nobody writes it into the other database.
func TestAnotherDatabaseCopiedIntoTheFileIsAnOutage(t *testing.T) {
	for _, how := range []string{"stopped", "killed", "killed, of an older file"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t))
			if how == "killed, of an older file" {
				w.apply(plain(1))
			}
			other := newWorld(t, dbtest.SQLite(t))
			other.apply(plain(3))
			s := w.serve("bot")
			s.post(who{}, "/v1/apply", []byte(plain(1)), nil)
			for i := range 3 {
				s.noted(fmt.Sprint("note ", i))
			}
			content, err := os.ReadFile(other.db)
			w.must(err)
			w.must(os.WriteFile(w.db, content, 0o600))
			for range 3 {
				if status := s.note("lost"); status != 503 {
					t.Errorf("a note was answered with %d", status)
				}
			}
			if got, err := s.call(who{}, "/readyz", nil); err != nil || got.status != 503 {
				t.Errorf("readiness is %d: %s (%v)", got.status, got.body, err)
			}
			if how == "stopped" {
				s.stop()
			} else {
				s.kill()
			}
			for _, args := range [][]string{{"note", "demo-1", "lost"}, {"list"}, {"doctor"}} {
				if got, err := w.try("bot", "", args...); err != nil || got.code == 0 || !strings.Contains(string(got.err), "another file has replaced") {
					t.Errorf("tasker %s ended with %d: %s%s (%v)", args[0], got.code, got.out, got.err, err)
				}
			}
			if now, err := os.ReadFile(w.db); err != nil || !bytes.Equal(now, content) {
				t.Errorf("the file that was copied there has changed (%v)", err)
			}
			w.must(os.Rename(w.db+"-wal", w.db+"-wal.away"))
			w.must(os.Rename(w.db+"-shm", w.db+"-shm.away"))
			w.tasker("bot", "note", "demo-3", "in the other one")
			w.healthy()
		})
	}
}

// A log whose file is gone, or was emptied, still has what was written last: nobody begins a new database over it, and
// nobody says that all is well. A server that ends after its file was removed leaves the log where it is.
func TestALogWithoutItsFileIsRefused(t *testing.T) {
	for _, how := range []string{"gone", "empty", "gone beneath a server"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t))
			w.apply(plain(1))
			s := w.serve("bot")
			s.noted("of the log")
			kept, err := os.ReadFile(w.db)
			w.must(err)
			if how != "gone beneath a server" {
				s.kill()
			}
			if how == "empty" {
				w.must(os.Truncate(w.db, 0))
			} else {
				w.must(os.Remove(w.db))
			}
			s.stop()
			for _, args := range [][]string{{"doctor"}, {"list"}, {"add", "x"}, {"serve", "--port", "0"}} {
				got, err := w.try("bot", "", args...)
				w.must(err)
				if got.code == 0 || !strings.Contains(string(got.out)+string(got.err), w.db+"-wal") {
					t.Errorf("tasker %s ended with %d: %s%s", args[0], got.code, got.out, got.err)
				}
			}
			if info, err := os.Stat(w.db + "-wal"); err != nil || info.Size() == 0 {
				t.Errorf("the log is gone: %v", err)
			}
			if how == "empty" { // the file that the log belongs to, by its number
				w.must(os.WriteFile(w.db, kept, 0o600))
				w.notes("of the log")
			}
		})
	}
}

// A link that somebody has put where our lock files are is not followed: another file of the user would be overwritten.
func TestALinkAtALockFileIsNotFollowed(t *testing.T) {
	for _, suffix := range []string{"-queue", "-turn"} {
		t.Run(suffix, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t))
			w.apply(plain(1))
			precious := filepath.Join(t.TempDir(), "precious")
			w.must(os.WriteFile(precious, []byte("precious"), 0o600))
			w.must(os.Remove(w.db + suffix))
			w.must(os.Symlink(precious, w.db+suffix))
			got, err := w.try("bot", "", "note", "demo-1", "lost")
			w.must(err)
			if got.code == 0 || !strings.Contains(string(got.err), w.db+suffix) {
				t.Errorf("a note ended with %d: %s", got.code, got.err)
			}
			if content, err := os.ReadFile(precious); err != nil || string(content) != "precious" {
				t.Errorf("the other file is %q, %v", content, err)
			}
			w.must(os.Remove(w.db + suffix))
			w.tasker("bot", "note", "demo-1", "after")
			w.notes("after")
		})
	}
}

// The file itself says which database is in it, from the first command of this version that writes to an older one.
func TestAFileShowsWhichDatabaseItHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	shown := func() uint32 {
		head, err := os.ReadFile(w.db)
		w.must(err)
		return binary.BigEndian.Uint32(head[68:])
	}
	w.apply(plain(1))
	first := shown()
	if first == 0 {
		t.Error("a new file does not say it")
	}
	w.another(`PRAGMA application_id = 0`) // as in a file of an earlier version
	s := w.serve("bot")
	s.isReady()
	w.tasker("bot", "note", "demo-1", "by a command")
	s.noted("by the server")
	s.isReady()
	if now := shown(); now != first {
		t.Errorf("the file says %d and not %d", now, first)
	}
	s.stop()
	w.notes("by a command", "by the server")
}
