package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
)

func TestAFileBesideTheDatabaseThatIsRemovedOrReplacedIsAnOutage(t *testing.T) {
	for _, suffix := range []string{"-wal", "-shm"} {
		d, e := fresh(t)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(d.Write(ctx, db.Request{}, record("")))
		file := e.path + suffix
		outage := func(what string) {
			t.Helper()
			for range 2 {
				err := d.Write(ctx, db.Request{}, record(""))
				if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), file) {
					t.Errorf("%s %s: a write returned %v", file, what, err)
				}
			}
			troubles := d.Ready(ctx)
			if len(troubles) != 1 || !strings.HasPrefix(troubles[0].About, "the database cannot be ") {
				t.Errorf("%s %s: readiness is %+v", file, what, troubles)
			}
			// Another connection would begin a new log.
			if _, err := e.open(nil); !fault.Is(err, fault.Unavailable) {
				t.Errorf("%s %s: a connection returned %v", file, what, err)
			}
		}
		must(os.Rename(file, file+".away"))
		outage("removed")
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s was made again: %v", file, err)
		}
		must(os.WriteFile(file, nil, 0o600))
		outage("replaced")
		must(os.Rename(file+".away", file))
		if err := d.Write(ctx, db.Request{}, record("")); err != nil || lastEvent(t, d) != 2 {
			t.Errorf("%s put back: a write returned %v, and the newest event is %d", file, err, lastEvent(t, d))
		}

		// A writer is not told that its write succeeded.
		err := d.Write(ctx, db.Request{}, func(turn *db.Turn) error {
			must(os.Remove(file))
			return record("")(turn)
		})
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s removed in a turn: the write returned %v", file, err)
		}

		// The last one to leave moves what it wrote into the file.
		must(d.Close())
		again, _ := opened(t, e.path)
		if last := lastEvent(t, again); last != 3 {
			t.Errorf("after the process ended cleanly the newest event is %d", last)
		}
	}
}

// hasty sleeps for no time, and counts.
type hasty struct {
	db.Waiting
	slept int
}

func (h *hasty) Sleep(context.Context, time.Duration) error { h.slept++; return nil }

// A killed process leaves its log and the log's index. An index without a log shows that the log was removed.
func TestAnIndexWithoutItsLogIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasker.db")
	d, _ := opened(t, path)
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	index := path + "-shm"
	if err := os.WriteFile(index, make([]byte, 32768), 0o600); err != nil {
		t.Fatal(err)
	}
	waiting := &hasty{}
	e, err := Open(path, db.Setup{Migrations: store.Schema(), World: db.World{Waiting: waiting}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	_, err = e.Snapshot(ctx, time.Second, db.Point{})
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), path+"-wal is missing") {
		t.Errorf("got %v", err)
	}
	if waiting.slept != stepTries {
		t.Errorf("others had %d steps of time to make the log", waiting.slept)
	}
	if err := os.Remove(index); err != nil {
		t.Fatal(err)
	}
	s, err := e.Snapshot(ctx, time.Second, db.Point{})
	if err != nil {
		t.Fatalf("without the index: %v", err)
	}
	s.End()
}
