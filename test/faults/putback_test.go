package faults

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// An older file of the same database, put in the place of the one that a server uses, is an outage for the server and for
// everybody who comes later, until a person accepts what is gone: no event is given out twice, and nothing is written that
// nobody would find again.
func TestAnOlderFilePutBackIsAnOutage(t *testing.T) {
	for _, how := range []string{"moved there", "moved there beside its log", "written into it", "written into it beside its log", "while it was down"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t))
			w.apply(plain(2))
			old := w.vacuumed()
			content, err := os.ReadFile(old.db)
			w.must(err)
			state := t.TempDir()
			s := w.serve("bot", "env", "XDG_STATE_HOME="+state)
			s.isReady()
			look := w.engine()
			kept := w.newest(look)
			for i := range 5 {
				s.noted(fmt.Sprint("note ", i, strings.Repeat("x", 3000)))
			}
			last := w.newest(look)
			w.must(look.Close())
			if how == "while it was down" {
				s.stop()
			}
			beside := strings.HasSuffix(how, "beside its log")
			aside := func() {
				for _, suffix := range []string{"-wal", "-shm"} {
					w.must(os.Rename(w.db+suffix, w.db+suffix+".away"))
				}
			}
			if !beside && how != "while it was down" {
				aside()
			}
			if strings.HasPrefix(how, "written") {
				w.must(os.WriteFile(w.db, content, 0o600))
			} else {
				w.must(os.WriteFile(w.db+".new", content, 0o600))
				w.must(os.Rename(w.db+".new", w.db))
			}
			said := fmt.Sprintf("events %d to %d are gone", kept+1, last)
			if how != "while it was down" {
				for path, body := range map[string]any{"/v1/tasks/demo-1/notes": object{"text": "lost"}, "/v1/tasks/demo-1": nil, "/v1/events": nil} {
					if got, err := s.call(who{}, path, body); err != nil || got.status != 503 {
						t.Errorf("%s was answered with %d: %s, %v", path, got.status, got.body, err)
					}
				}
				text := s.notReady()
				if how == "moved there" && !strings.Contains(text, said) {
					t.Errorf("readiness says %s", text)
				}
				if got, err := w.try("ann", "", "note", "demo-1", "lost"); err != nil || got.code == 0 {
					t.Errorf("a command ended with %d: %s, %v", got.code, got.err, err)
				}
				s.stop()
				if beside { // as the refusal says
					aside()
				}
			}
			s = w.serve("bot", "env", "XDG_STATE_HOME="+state)
			if text := s.notReady(); !strings.Contains(text, said) {
				t.Errorf("the next server says %s", text)
			}
			if status := s.note("lost"); status != 503 {
				t.Errorf("the next server answered a note with %d", status)
			}
			var out gone
			w.must(reply{body: w.tasker("ann", "db", "accept", "--yes", "--json")}.into(&out))
			if out.Lost.From != kept+1 || out.Lost.To != last || out.FirstEvent <= last {
				t.Errorf("accepted %+v", out)
			}
			s.isReady()
			s.noted("after")
			w.notes("after")
		})
	}
}
