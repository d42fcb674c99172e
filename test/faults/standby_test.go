package faults

import (
	"strings"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// A server that is started against a standby waits for its promotion, says so, and works from then on.
func TestAServerWaitsForThePromotionOfAStandby(t *testing.T) {
	t.Parallel()
	primary, standby := dbtest.Pair(t)
	w := newWorld(t, primary.URL)
	w.apply(plain(1))
	w.must(primary.Stop())
	w.db = standby.URL
	s := w.serve("bot")
	if text := s.notReady(); !strings.Contains(text, "waits for the promotion of a standby") {
		t.Errorf("readiness says %s", text)
	}
	for _, body := range []any{nil, object{"to": "in_review"}} {
		path := "/v1/tasks/demo-1"
		if body != nil {
			path += "/transition"
		}
		if got, err := s.call(who{}, path, body); err != nil || got.status != 503 || !strings.Contains(string(got.body), "is a standby") {
			t.Errorf("%s was answered with %d: %s, %v", path, got.status, got.body, err)
		}
	}
	dbtest.Exec(t, standby.URL, `SELECT pg_promote()`)
	s.isReady()
	s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "after the promotion"}, nil)
	s.stop()
	if log := s.log.String(); !strings.Contains(log, "is a standby") || !strings.Contains(log, "the database works again") {
		t.Errorf("the log says %s", log)
	}
}
