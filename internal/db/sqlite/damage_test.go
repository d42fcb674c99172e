package sqlite

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// page is the size of SQLite's pages.
const page = 4096

// broken overwrites a page of a file, and returns a function that restores it.
func broken(t *testing.T, path string, number int) (mend func()) {
	t.Helper()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(whole)
	copy(bad[(number-1)*page:], bytes.Repeat([]byte{0xa5}, page))
	put := func(content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(bad)
	return func() { put(whole) }
}

// root returns the first page of a table.
func root(t *testing.T, d *db.DB, table string) (number int) {
	t.Helper()
	err := d.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
		return c.Query(`SELECT rootpage FROM sqlite_schema WHERE name = $1`, []any{table}, func(r db.Row) error { number = int(r.Int(0)); return nil })
	})
	if err != nil || number == 0 {
		t.Fatalf("the table %s is at %d: %v", table, number, err)
	}
	return number
}

// hurried is a clock whose waits end at once.
type hurried struct{ db.Waiting }

func (hurried) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// A request that runs into a damaged page is answered with an outage, and readiness reports it until an inspection of the
// whole file finds nothing.
func TestARequestThatFindsDamageMakesTheServerNotReady(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasker.db")
	d, _ := opened(t, path)
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Fatal(err)
	}
	at := root(t, d, "event")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	mend := broken(t, path, at)
	d, e := opened(t, path)
	if found := d.Ready(ctx); len(found) != 0 {
		t.Errorf("before the damage is found, readiness reports %v", found)
	}
	read := func() error {
		return d.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
			return c.Query(`SELECT * FROM event`, nil, func(db.Row) error { return nil })
		})
	}
	if err := read(); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a read of the damaged page returns %v", err)
	}
	for range 2 { // an inspection that finds it too changes nothing
		if found := d.Ready(ctx); len(found) != 1 || !strings.Contains(found[0].About, "damaged") {
			t.Errorf("readiness reports %v", found)
		}
		if e.inspect(ctx, quickly, wholePages) {
			t.Error("an inspection found no damage")
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	mend()
	d, e = opened(t, path)
	e.world.Waiting = hurried{e.world.Waiting}
	e.damage.Add(errors.New("met before"))
	inspect, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); d.Inspect(inspect) }()
	for e.Damage() != nil { // the test's own time limit ends this
		_ = read()
	}
	stop()
	<-ended
	if found := d.Ready(ctx); len(found) != 0 {
		t.Errorf("after the repair, readiness reports %v", found)
	}
}

// An inspection finds every page that was overwritten, in one go and table by table.
func TestAnInspectionFindsEveryDamagedPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasker.db")
	d, _ := opened(t, path)
	if err := d.Write(ctx, db.Request{}, record(strings.Repeat("x", 3*page))); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	_, e := opened(t, path)
	e.world.Waiting = hurried{e.world.Waiting}
	pages := int(info.Size() / page)
	if pages < 50 {
		t.Fatalf("the file has %d pages", pages)
	}
	for number := range pages + 1 {
		mend := func() {}
		if number > 0 {
			mend = broken(t, path, number)
		}
		for _, atOnce := range []int64{wholePages, 0} {
			if whole := e.inspect(ctx, quickly, atOnce); whole != (number == 0) {
				t.Errorf("with page %d of %d broken, %d at once, an inspection says that all is whole: %t", number, pages, atOnce, whole)
			}
		}
		mend()
	}
}

// An index whose pages are intact but which differs from its table is found by an examination, and not by a server's
// background check.
func TestAnExaminationFindsAnIndexThatDiffersFromItsTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasker.db")
	d, _ := opened(t, path)
	for range 9 {
		if err := d.Write(ctx, db.Request{}, record("x")); err != nil {
			t.Fatal(err)
		}
	}
	at := (root(t, d, "event_project") - 1) * page
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	entry := []byte{4, 8, 1, 1, 9, 9} // project 0 and event 9, in row 9
	if n := bytes.Count(text[at:at+page], entry); n != 1 {
		t.Fatalf("the index has the entry %d times", n)
	}
	text[at+bytes.Index(text[at:at+page], entry)+5] = 99
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	_, e := opened(t, path)
	e.world.Waiting = hurried{e.world.Waiting}
	for _, atOnce := range []int64{wholePages, 0} {
		if !e.inspect(ctx, quickly, atOnce) || e.inspect(ctx, thoroughly, atOnce) {
			t.Errorf("%d at once: found quickly, or not at all", atOnce)
		}
	}
	if err := e.Examine(ctx); !fault.Is(err, fault.Unavailable) || !strings.Contains(errors.Unwrap(err).Error(), "event_project") {
		t.Errorf("%v", err)
	}
}
