package faults

import (
	"fmt"
	"strings"
	"testing"
)

// gone is what `tasker db accept` answers.
type gone struct {
	Generation int64 `json:"generation"`
	Lost       struct {
		From int64 `json:"from"`
		To   int64 `json:"to"`
	} `json:"lost"`
	FirstEvent int64 `json:"firstEvent"`
}

// rewind takes the newest events out of the log, as a failover to a standby that lacks them does. They must have no records
// of their own.
func (w *world) rewind(to int64) {
	w.Helper()
	e := w.engine()
	w.exec(e, fmt.Sprintf(`DELETE FROM event WHERE id > %d`, to), fmt.Sprintf(`UPDATE turn SET event_id = %d, sum = 77`, to))
	w.must(e.Close())
}

// A log that lost its end is an outage for everybody, and stays one: for the servers that saw those events, for one that is
// restarted first, for one that never saw them, and for commands. A person accepts the loss, and all of them go on: with ids and
// fences that nobody has had, from an event that names what is lost, and with an answer for those who ask for it. A server
// that was away all the time goes on too.
func TestALostEndOfTheLogIsAccepted(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(2))
		serve := func(state string) *server { return w.serve("bot", "env", "XDG_STATE_HOME="+state) }
		first, away := t.TempDir(), t.TempDir()
		a, b, c := serve(first), serve(t.TempDir()), serve(away)
		look := w.engine()
		kept := w.newest(look)
		var claim struct {
			Fence int64 `json:"fence"`
		}
		for range 3 {
			a.post(who{}, "/v1/tasks/demo-1/claim", object{}, &claim)
			a.post(who{}, "/v1/tasks/demo-1/release", object{}, nil)
		}
		last := w.newest(look)
		for _, s := range []*server{a, b, c} {
			s.isReady()
		}
		c.kill()
		a.stop()
		w.rewind(kept)
		a = serve(first)
		said := fmt.Sprintf("events %d to %d are gone", kept+1, last)
		servers := []*server{a, b, serve(t.TempDir())} // the last one never saw them
		for i, s := range servers {
			if text := s.notReady(); !strings.Contains(text, said) {
				t.Errorf("readiness of server %d says %s", i, text)
			}
			for path, body := range map[string]any{
				"/v1/events?since_id=1": nil, "/v1/events/stream": nil, "/v1/tasks/demo-1": nil, "/v1/tasks/demo-1/notes": object{"text": "lost"},
			} {
				if got, err := s.call(who{}, path, body); err != nil || got.status != 503 || !strings.Contains(string(got.body), said) {
					t.Errorf("%s of server %d was answered with %d: %s, %v", path, i, got.status, got.body, err)
				}
			}
		}
		if text, code := w.doctor(); code != 1 || !strings.Contains(text, "the log of the database was rewound: "+said) || !strings.Contains(text, "db accept") {
			t.Errorf("doctor ended with %d: %s", code, text)
		}
		if got, err := w.try("ann", "", "note", "demo-1", "lost"); err != nil || got.code == 0 || !strings.Contains(string(got.err), said) {
			t.Errorf("a command ended with %d: %s, %v", got.code, got.err, err)
		}
		if got, err := w.try("ann", "", "db", "accept"); err != nil || got.code == 0 || !strings.Contains(string(got.err), "are gone, and going on without them cannot be taken back") {
			t.Errorf("nobody was asked, and accept ended with %d: %s, %v", got.code, got.err, err)
		}

		var out gone
		w.must(reply{body: w.tasker("ann", "db", "accept", "--yes", "--json")}.into(&out))
		if out.Lost.From != kept+1 || out.Lost.To != last || out.FirstEvent <= last || out.Generation < 2 {
			t.Errorf("accepted: %+v, want what follows %d to %d", out, kept, last)
		}
		servers = append(servers, serve(away))
		for i, s := range servers {
			s.isReady()
			for _, cursor := range []int64{kept + 1, last, out.FirstEvent - 2} {
				got, err := s.call(who{}, fmt.Sprintf("/v1/events?since_id=%d", cursor), nil)
				if err != nil || got.status != 410 || !strings.Contains(string(got.body), fmt.Sprintf("the events after %d were lost: the log goes on with event %d", kept, out.FirstEvent)) || !strings.Contains(string(got.body), fmt.Sprintf("since_id=%d", out.FirstEvent-1)) {
					t.Errorf("events after %d of server %d are answered with %d: %s, %v", cursor, i, got.status, got.body, err)
				}
				if id, kind := w.event(s.eventsAfter(cursor, "project=demo")); id != out.FirstEvent || kind != "database.restored" {
					t.Errorf("a stream from %d of server %d goes on with event %d, %s", cursor, i, id, kind)
				}
			}
			for _, cursor := range []int64{kept, out.FirstEvent - 1} {
				var page []struct {
					ID int64 `json:"id"`
				}
				s.get(fmt.Sprintf("/v1/events?since_id=%d", cursor), &page)
				if len(page) == 0 || page[0].ID != out.FirstEvent {
					t.Errorf("events after %d of server %d: %+v", cursor, i, page)
				}
			}
		}
		was := claim.Fence
		b.post(who{}, "/v1/tasks/demo-1/claim", object{}, &claim)
		if claim.Fence <= was+1_000_000 {
			t.Errorf("the fence is %d, and was %d before", claim.Fence, was)
		}
		if got := string(w.tasker("ann", "db", "accept", "--json")); !strings.Contains(got, `"lost":null`) {
			t.Errorf("with nothing lost, accept answers %s", got)
		}
	})
}
