package faults

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"tasker/internal/db"
)

// eventsAfter opens a stream of the events after one.
func (s *server) eventsAfter(after int64, query string) *bufio.Scanner {
	s.w.Helper()
	req, err := http.NewRequest(http.MethodGet, s.url+"/v1/events/stream?"+query, nil)
	s.w.must(err)
	req.Header.Set("Last-Event-Id", strconv.FormatInt(after, 10))
	resp, err := s.client.Transport.RoundTrip(req)
	s.w.must(err)
	s.w.Cleanup(func() { _ = resp.Body.Close() })
	slow := time.AfterFunc(patience, func() { _ = resp.Body.Close() })
	s.w.Cleanup(func() { slow.Stop() })
	return bufio.NewScanner(resp.Body)
}

// event returns the next event of a stream that has data.
func (w *world) event(lines *bufio.Scanner) (id int64, kind string) {
	w.Helper()
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			ID   int64  `json:"id"`
			Kind string `json:"kind"`
		}
		w.must(reply{body: []byte(text)}.into(&e))
		if e.ID == 0 {
			w.Fatalf("the stream ends with %s", text)
		}
		return e.ID, e.Kind
	}
	w.Fatal("the stream has ended")
	return 0, ""
}

// newest returns the id of the newest event.
func (w *world) newest(e db.Engine) (last int64) {
	w.Helper()
	w.query(e, `SELECT event_id FROM turn`, func(r db.Row) { last = r.Int(0) })
	return last
}

// restore sets the log back by a number of events, as a restore does: a new generation, with an event of its own. Only
// the log changes, so the events must not have records of their own.
func (w *world) restore(e db.Engine, events int64) (restored int64) {
	w.Helper()
	restored = w.newest(e) - events + 1
	w.exec(e, fmt.Sprintf(`DELETE FROM event WHERE id >= %d`, restored),
		fmt.Sprintf(`INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via)
			SELECT %d, at, 0, 0, actor, 'database.restored', payload, %d, via FROM event WHERE id = 1`, restored, restored),
		fmt.Sprintf(`UPDATE turn SET generation = generation + 1, event_id = %d, sum = 5`, restored))
	return restored
}

// A server follows a restore beneath it: open streams continue with its event and what comes after it, and so do streams
// that begin with an event of the old log; writes continue, and the server stays ready.
func TestARestoreBeneathAServerIsFollowed(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(2))
		s := w.serve("bot")
		s.isReady()
		note := func(text string) { s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": text}, nil) }
		note("before")
		for range 2 {
			s.post(who{}, "/v1/tasks/demo-2/claim", object{}, nil)
			s.post(who{}, "/v1/tasks/demo-2/release", object{}, nil)
		}
		look := w.engine()
		last := w.newest(look)
		open := []*bufio.Scanner{s.eventsAfter(last, ""), s.eventsAfter(last, "project=demo"), s.eventsAfter(last, "task=demo-1&kind=note.added")}
		restored := w.restore(look, 3)
		open = append(open, s.eventsAfter(last, ""), s.eventsAfter(last+100, "project=demo"))
		for i, lines := range open {
			if id, kind := w.event(lines); id != restored || kind != "database.restored" {
				w.Errorf("stream %d goes on with event %d, %s, want %d", i, id, kind, restored)
			}
		}
		for n := range int64(3) {
			note("after")
			for i, lines := range open {
				if id, kind := w.event(lines); id != restored+1+n || kind != "note.added" {
					w.Errorf("stream %d goes on with event %d, %s, want %d", i, id, kind, restored+1+n)
				}
			}
		}
		s.isReady()
		s.stop()
		if !strings.Contains(s.log.String(), "was restored") {
			w.Errorf("the log does not mention the restore: %s", s.log.String())
		}
	})
}

// What a server caches about a project belongs to one generation: after a restore it answers like a server that has just
// started, although the project's versions are the same as before.
func TestNothingThatIsRememberedOutlivesARestore(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(`{"project":"demo","tasks":[{"key":"a","title":"A"},{"key":"b","title":"B","deps":["a"]},{"key":"c","title":"C","deps":["b"]}]}`)
		s := w.serve("bot")
		s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "of an actor that is remembered"}, nil)
		s.post(who{}, "/v1/tasks/demo-1/claim", object{}, nil)
		s.post(who{}, "/v1/tasks/demo-1/release", object{}, nil)
		paths := []string{
			"/v1/projects/demo/bottlenecks", "/v1/tasks/demo-2/graph", "/v1/projects/demo/work", "/v1/projects/demo/board",
		}
		read := func(s *server) (out []string) {
			for _, path := range paths {
				got, err := s.call(who{}, path, nil)
				w.must(err)
				if got.status != 200 {
					w.Fatalf("%s is answered with %d: %s", path, got.status, got.body)
				}
				out = append(out, string(got.body))
			}
			return out
		}
		before := read(s)
		look := w.engine()
		w.restore(look, 2)
		w.exec(look, `DELETE FROM dep`, `DELETE FROM actor`, `UPDATE task SET title='Restored', open_deps=0, has_deps=0`)
		s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "after the restore"}, nil)
		after, fresh := read(s), read(w.serve("bot"))
		for i, path := range paths {
			if after[i] != fresh[i] {
				w.Errorf("%s is answered with %s, and by a server that has just started with %s", path, after[i], fresh[i])
			}
		}
		if before[0] == after[0] || before[1] == after[1] {
			w.Errorf("bottlenecks and graph are as before the restore: %s %s", after[0], after[1])
		}
		n := 0
		w.query(look, `SELECT name FROM actor`, func(db.Row) { n++ })
		if n != 1 {
			w.Errorf("%d actors are known to the search", n)
		}
	})
}
