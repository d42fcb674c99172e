package faults

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/testkit/dbtest"
)

// notReady waits until the server says that it is not ready, and returns what it says. Strangers learn nothing about
// paths, people and processes.
func (s *server) notReady() string {
	s.w.Helper()
	for stop := time.Now().Add(patience); ; time.Sleep(pause) {
		got, err := s.call(who{}, "/readyz", nil)
		s.w.must(err)
		if got.status == 503 {
			if text := string(got.body); strings.Contains(text, s.w.db) || strings.Contains(text, "pid") {
				s.w.Errorf("readiness tells everybody %s", text)
			}
			return string(got.body)
		}
		if time.Now().After(stop) {
			s.w.Fatalf("the server still reports that it is ready: %s", got.body)
		}
	}
}

// isReady waits until it is ready again.
func (s *server) isReady() {
	s.w.Helper()
	for stop := time.Now().Add(patience); ; time.Sleep(pause) {
		got, err := s.call(who{}, "/readyz", nil)
		s.w.must(err)
		if got.status == 200 {
			return
		}
		if time.Now().After(stop) {
			s.w.Fatalf("the server does not become ready again: %s", got.body)
		}
	}
}

// A database that vanishes beneath a server is an outage, and never a fresh start; once it is back, work continues.
func TestAVanishedDatabaseIsAnOutage(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(2))
		s := w.serve("bot")
		s.isReady()
		var away, back func()
		if w.postgres() {
			away = func() { dbtest.Exec(t, w.db, `ALTER TABLE turn RENAME TO turn_away`) }
			back = func() { dbtest.Exec(t, w.db, `ALTER TABLE turn_away RENAME TO turn`) }
		} else {
			away = func() { w.must(os.Rename(w.db, w.db+".away")) }
			back = func() { w.must(os.Rename(w.db+".away", w.db)) }
		}
		away()
		for range 3 {
			got, err := s.call(who{}, "/v1/apply", []byte(plain(2)))
			w.must(err)
			if got.status != 503 {
				t.Errorf("an apply into nothing was answered with %d: %s", got.status, got.body)
			}
		}
		s.notReady()
		if _, err := os.Stat(w.db); err == nil {
			t.Error("the database file was created again")
		}
		back()
		s.isReady()
		got, err := s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "back"})
		w.must(err)
		if !got.ok() {
			t.Errorf("with the file back, a note was answered with %d: %s", got.status, got.body)
		}
		w.healthy()
	})
}

// The files that SQLite keeps next to a database in use belong to it: without them a server answers no write, because
// nobody would find it again, and nobody else begins new ones. A server that ends cleanly loses nothing.
func TestALogThatIsRemovedIsAnOutage(t *testing.T) {
	for _, removed := range [][]string{{"-wal"}, {"-shm"}, {"-wal", "-shm"}} {
		t.Run(strings.Join(removed, " "), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t))
			w.apply(plain(1))
			s := w.serve("bot")
			s.isReady()
			s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "before"}, nil)
			for _, suffix := range removed {
				w.must(os.Remove(w.db + suffix))
			}
			for range 3 {
				got, err := s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "lost"})
				w.must(err)
				if got.status != 503 || !strings.Contains(string(got.body), removed[0]) {
					t.Errorf("a note was answered with %d: %s", got.status, got.body)
				}
			}
			s.notReady()
			if said, code := w.doctor(); code != 1 {
				t.Errorf("doctor ended with %d: %s", code, said)
			}
			for _, suffix := range removed {
				if _, err := os.Stat(w.db + suffix); err == nil {
					t.Errorf("%s was made again", suffix)
				}
			}
			s.stop()
			if !strings.Contains(s.log.String(), removed[0]+" was removed or replaced") {
				t.Errorf("the log says %s", s.log.String())
			}
			w.healthy()
			if shown := string(w.tasker("ann", "show", "demo-1", "--json")); !strings.Contains(shown, "before") || strings.Contains(shown, "lost") {
				t.Errorf("after the server ended: %s", shown)
			}
		})
	}
}

// A rewound log, as from an older copy of the file, is an outage too.
func TestARewoundLogIsAnOutage(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(2))
		s := w.serve("bot")
		s.isReady()
		look := w.engine()
		w.exec(look, `UPDATE turn SET event_id = event_id - 1`)
		text := s.notReady()
		// A concurrent request may read before it and write after it, and gets the result of the write.
		for stop := time.Now().Add(patience); !strings.Contains(text, "is gone") && time.Now().Before(stop); time.Sleep(pause) {
			text = s.notReady()
		}
		if !strings.Contains(text, "is gone") {
			t.Errorf("readiness says %s", text)
		}
		w.exec(look, `UPDATE turn SET event_id = event_id + 1, lost_from = 0, lost_to = 0`) // as in what was there
		s.isReady()
	})
}

// A schema of another version is reported at the start, and by a running server.
func TestASchemaOfAnotherVersionIsSaid(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(1))
		s := w.serve("bot")
		s.isReady()
		look := w.engine()
		w.exec(look, `UPDATE turn SET schema_version = 999`)
		s.notReady()
		for path, body := range map[string]any{
			"/v1/tasks/demo-1": nil, "/v1/projects": nil, "/v1/tasks/demo-1/notes": object{"text": "lost"}, "/v1/next": object{"project": "demo"},
			"/v1/apply": []byte(plain(2)), "/v1/events": nil,
			"/mcp": object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": "tasker_show", "arguments": object{"id": "demo-1"}}},
		} {
			want := 503
			if path == "/mcp" { // here the answer says it
				want = 200
			}
			if got, err := s.call(who{}, path, body); err != nil || got.status != want || !strings.Contains(string(got.body), "unavailable") {
				t.Errorf("%s was answered with %d: %s, %v", path, got.status, got.body, err)
			}
		}
		got, err := w.try("bot", "", "serve", "--port", "0")
		w.must(err)
		if got.code == 0 || !strings.Contains(string(got.err), "999") {
			t.Errorf("a server on a schema that it does not know ended with %d: %s", got.code, got.err)
		}
		w.exec(look, `UPDATE turn SET schema_version = `+latest())
		s.isReady()
	})
}

// A server says that it is not ready while another process holds the turn.
func TestReadinessTellsOfAHeldTurn(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(1))
		s := w.serve("bot")
		s.isReady()
		tx := w.hold("apply by bot-2")
		if text := s.notReady(); !strings.Contains(text, "holds the turn") {
			t.Errorf("readiness says %s", text)
		}
		tx.Rollback()
		s.isReady()
	})
}

// A single write under a clock that is far ahead stops nothing: leases follow the clock, and readiness warns.
func TestALogFarAheadOfTheClockStopsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(2))
		look := w.engine()
		w.exec(look, `UPDATE turn SET at = at + 315360000000000`)
		if said, code := w.doctor(); code != 1 || !strings.Contains(said, "ahead of the clock") {
			w.Errorf("doctor ended with %d: %s", code, said)
		}
		s := w.serve("bot")
		s.isReady()
		got, err := s.call(who{}, "/readyz", nil)
		w.must(err)
		if !strings.Contains(string(got.body), "clock: ") {
			t.Errorf("readiness does not warn: %s", got.body)
		}
		var next struct {
			Claimed struct{ ClaimedAt, ExpiresAt time.Time }
		}
		got, err = s.call(who{}, "/v1/next", object{"project": "demo", "leaseMs": 60_000})
		w.must(err)
		w.must(got.into(&next))
		if end := time.Until(next.Claimed.ExpiresAt); end > time.Hour {
			t.Errorf("a lease of a minute ends in %s", end)
		}
	})
}

// exec changes rows outside of any operation, in one transaction.
func (w *world) exec(e db.Engine, statements ...string) {
	w.Helper()
	tx, err := e.Begin(w.Context(), e.Setup().Asking("test"))
	w.must(err)
	for _, sql := range statements {
		if err == nil {
			err = tx.Exec(db.Any, sql)
		}
	}
	if err == nil {
		err = tx.Flush()
	}
	if err == nil {
		h := tx.Head()
		err = tx.Commit(h)
	}
	tx.Rollback()
	w.must(err)
}

// latest returns the schema that this binary knows.
func latest() string { return strconv.Itoa(len(store.Schema())) }
