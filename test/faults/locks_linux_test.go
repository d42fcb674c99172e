package faults

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// locked reports whether another process holds SQLite's lock on an open file.
func (w *world) locked() bool {
	w.Helper()
	f, err := os.Open(w.db)
	w.must(err)
	defer func() { _ = f.Close() }()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: 1<<30 + 2, Len: 510}
	w.must(syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock))
	return lock.Type != syscall.F_UNLCK
}

// A server keeps its lock on the file whatever it does, also where the file is among those that its configuration tells it to
// read: it would lose the lock as soon as anything in the process opened
// the file and closed it again. Then another program that closes the file, such as the sqlite3 shell, would believe that
// it was the last one and remove the log beneath the server.
func TestAServerKeepsItsLockOnTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.db = filepath.Join(w.dir, "tasker.db")
	w.must(os.WriteFile(filepath.Join(w.dir, ".tasker.json"), []byte(`{"version": 1, "project": "demo", "context": {"track": ["**"]}}`), 0o600))
	w.apply(plain(1))
	s := w.serve("bot")
	s.isReady()
	for i := range 40 {
		s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": fmt.Sprint("note ", i)}, nil)
		if i%10 == 0 {
			var claim struct{ News []object }
			s.post(who{}, "/v1/tasks/demo-1/claim", object{}, &claim)
			s.post(who{}, "/v1/tasks/demo-1/release", object{}, nil)
			if len(claim.News) > 0 {
				t.Errorf("a claim has the news %v", claim.News)
			}
		}
		if !w.locked() {
			t.Fatalf("after %d writes the server has no lock on the file", i+1)
		}
	}
	s.marked()
	s.stop()
	if w.locked() {
		t.Error("the server has ended, and the file is locked")
	}
}
