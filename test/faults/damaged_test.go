package faults

import (
	"strings"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// TestWhatIsDamagedInPostgreSQLIsTold breaks a database beneath a running server, as a disk fault or a person would: the
// server is not ready from then on, and says so in its log; so does doctor. The server also notices a repair.
func TestWhatIsDamagedInPostgreSQLIsTold(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, c := range []struct {
		name, breaks, mends string
		meet                string // a request that reads it
	}{
		{"a table is gone", `ALTER TABLE note RENAME TO elsewhere`, `ALTER TABLE elsewhere RENAME TO note`, "/v1/tasks/demo-1/notes"},
		{"an index is gone", `ALTER INDEX note_task RENAME TO elsewhere`, `ALTER INDEX elsewhere RENAME TO note_task`, ""},
		{"a page cannot be read", `DO $$ BEGIN EXECUTE format('COPY (SELECT 1) TO PROGRAM %L',
			'cat > /dev/null; head -c 8192 /dev/zero | tr "\0" "\245" >> ' || pg_relation_filepath('idempotency')); END $$`, `TRUNCATE idempotency`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.Postgres(t))
			w.apply(plain(2))
			s := w.serve("bot")
			s.works("before it")
			dbtest.Exec(t, w.db, c.breaks)
			if c.meet != "" {
				got, err := s.call(who{}, c.meet, object{"text": "lost"})
				w.must(err)
				if got.status != 503 {
					t.Errorf("a note is answered with %d: %s", got.status, got.body)
				}
			}
			if text := s.notReady(); !strings.Contains(text, "damaged") {
				t.Errorf("readiness says %s", text)
			}
			report, err := w.try("ann", "", "doctor", "--json")
			w.must(err)
			if report.code != 1 || !strings.Contains(string(report.out), "damaged") {
				t.Errorf("the doctor ends with %d: %s%s", report.code, report.out, report.err)
			}
			dbtest.Exec(t, w.db, c.mends)
			s.isReady()
			s.works("after it")
			s.stop()
			if log := s.log.String(); !strings.Contains(log, "damaged") {
				t.Errorf("the log says %s", log)
			}
		})
	}
}
