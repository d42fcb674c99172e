package faults

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/testkit/dbtest"
)

// pageSize is the size of SQLite's pages.
const pageSize = 4096

// breakTable overwrites the first page of a table or an index while nothing uses the file.
func (w *world) breakTable(name string) {
	w.Helper()
	at := int64(0)
	e := w.open()
	w.query(e, `SELECT rootpage FROM sqlite_schema WHERE name = '`+name+`'`, func(r db.Row) { at = r.Int(0) })
	w.must(e.Close())
	if at == 0 {
		w.Fatalf("there is no %s", name)
	}
	f, err := os.OpenFile(w.db, os.O_RDWR, 0)
	w.must(err)
	_, err = f.WriteAt(bytes.Repeat([]byte{0xa5}, pageSize), (at-1)*pageSize)
	w.must(err)
	w.must(f.Close())
}

// A damaged page that a request reads is an outage that is logged, and the server is not ready from then on.
func TestADamagedPageThatARequestMeetsIsAnOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(plain(2))
	w.breakTable("note")
	s := w.serve("bot")
	got, err := s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "lost"})
	w.must(err)
	if got.status != 503 || !strings.Contains(string(got.body), "damaged") {
		t.Errorf("a note into a damaged table was answered with %d: %s", got.status, got.body)
	}
	if text := s.notReady(); !strings.Contains(text, "damaged") {
		t.Errorf("readiness says %s", text)
	}
	s.stop()
	if log := s.log.String(); !strings.Contains(log, "is damaged") || !strings.Contains(log, "/v1/tasks/demo-1/notes") {
		t.Errorf("the log says %s", log)
	}
}

// A damaged page that no request reads is found by the server itself.
func TestADamagedPageThatNobodyMeetsIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(plain(2))
	w.breakTable("idempotency")
	s := w.serve("bot")
	if text := s.notReady(); !strings.Contains(text, "damaged") {
		t.Errorf("readiness says %s", text)
	}
}

// A file that is known to be damaged accepts no writes at all, not even writes that touch only intact pages: nobody could
// tell what is left of it in the end.
func TestAFileKnownToBeDamagedTakesNoWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(plain(2))
	w.breakTable("decision")
	s := w.serve("bot")
	got, err := s.call(who{}, "/v1/tasks/demo-1/decisions", object{"title": "lost"})
	w.must(err)
	if got.status != 503 {
		t.Fatalf("a decision into a damaged table was answered with %d: %s", got.status, got.body)
	}
	for path, body := range map[string]any{
		"/v1/tasks/demo-1/notes": object{"text": "into a table that is whole"},
		"/v1/tasks/demo-1/claim": object{},
		"/v1/next":               object{"project": "demo"},
		"/v1/apply":              []byte(plain(3)),
	} {
		got, err := s.call(who{}, path, body)
		w.must(err)
		if got.status != 503 || !strings.Contains(string(got.body), "is damaged") {
			t.Errorf("%s was answered with %d: %s", path, got.status, got.body)
		}
	}
	if got, err := s.call(who{}, "/v1/tasks/demo-1", nil); err != nil || !got.ok() {
		t.Errorf("a read of what is whole was answered with %d: %s, %v", got.status, got.body, err)
	}
}
