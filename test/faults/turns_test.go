package faults

import (
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/testkit/dbtest"
)

// Processes take turns on PostgreSQL in the order in which they came, although every turn updates the row that all of
// them lock: nobody is overtaken again and again.
func TestTurnsOnPostgreSQLComeInOrder(t *testing.T) {
	t.Parallel()
	const processes = 12
	w := newWorld(t, dbtest.Postgres(t))
	w.apply(plain(1))
	look := w.engine()
	first, err := w.engine().Begin(t.Context(), look.Setup().Asking("first"))
	w.must(err)
	begun := first.Head().LastEvent + 1

	type turn struct {
		who, place int64 // every turn increments the counter, so its value is the position of the turn
		err        error
	}
	got := make(chan turn, processes)
	for i := range processes {
		e := w.engine()
		go func() {
			tx, err := e.Begin(t.Context(), e.Setup().Asking("next"))
			if err != nil {
				got <- turn{err: err}
				return
			}
			h := tx.Head()
			place := h.LastEvent - begun
			h.LastEvent++ // a new version of the row, as in every turn that writes
			got <- turn{int64(i), place, tx.Commit(h)}
		}()
		for stop := time.Now().Add(patience); w.waiting(look) <= i; time.Sleep(pause) {
			if time.Now().After(stop) {
				w.Fatalf("process %d is not seen to wait for its turn", i)
			}
		}
	}
	h := first.Head()
	h.LastEvent++
	w.must(first.Commit(h))
	for range processes {
		select {
		case g := <-got:
			if g.err != nil || g.who != g.place {
				t.Errorf("turn %d went to process %d: %v", g.place, g.who, g.err)
			}
		case <-time.After(patience):
			t.Fatal("no process gets a turn any more")
		}
	}
}

// waiting counts the connections that wait for a lock in the world's schema. Other tests have a schema of that name in
// databases of their own, on the same server.
func (w *world) waiting(e db.Engine) (n int) {
	w.Helper()
	w.query(
		e,
		`SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND objid::bigint = hashtext(current_schema())::bigint & 4294967295
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
		func(r db.Row) { n = int(r.Int(0)) },
	)
	return n
}
