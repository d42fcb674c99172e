package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(holdEnv); path != "" {
		holdTurn(path)
	}
	if path := os.Getenv(waitEnv); path != "" {
		waitTurn(path)
	}
	goleak.VerifyTestMain(m)
}

var ctx = context.Background()

func opened(t *testing.T, path string) (*db.DB, *Engine) {
	t.Helper()
	e, err := Open(path, db.Setup{Migrations: store.Schema()})
	if err != nil {
		t.Fatal(err)
	}
	d := db.New(e, db.Hooks{})
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, e
}

func fresh(t *testing.T) (*db.DB, *Engine) {
	t.Helper()
	return opened(t, filepath.Join(t.TempDir(), "tasker.db"))
}

// record returns a member that records an event with a payload.
func record(payload string) func(*db.Turn) error {
	return func(t *db.Turn) error {
		t.Record()
		return t.Exec(1, `INSERT INTO event (id, at, project, task, actor, kind, payload, batch, via, sum)
			VALUES ($1, $2, 0, 0, '', '', $3, 0, '', $4)`, t.LastEvent, t.Now, payload, t.Sum)
	}
}

func nothing(db.Conn, db.Head) error { return nil }

func lastEvent(t *testing.T, d *db.DB) (last int64) {
	t.Helper()
	if err := d.Read(ctx, db.Request{}, func(_ db.Conn, h db.Head) error { last = h.LastEvent; return nil }); err != nil {
		t.Fatal(err)
	}
	return last
}

func TestTheFileIsMadeByTheFirstWriteAndForItsOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "tasker.db")
	d, _ := opened(t, path)
	err := d.Read(ctx, db.Request{}, func(c db.Conn, h db.Head) error {
		if h.Schema != len(store.Schema()) || h.LastEvent != 0 || h.Now == 0 {
			t.Errorf("head %+v", h)
		}
		return c.Query(`SELECT id FROM task`, nil, func(db.Row) error { t.Error("a task"); return nil })
	})
	if err != nil {
		t.Error(err)
	}
	if v, err := d.Version(ctx); err != nil || v != 0 {
		t.Errorf("version %d: %v", v, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a read made %s: %v", dir, err)
	}
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Fatal(err)
	}
	if lastEvent(t, d) != 1 {
		t.Error("the next read does not see the write")
	}
	for name, want := range map[string]os.FileMode{
		filepath.Dir(dir): 0o700, dir: 0o700, path: 0o600, path + "-wal": 0o600, path + "-queue": 0o600, path + "-turn": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestAnEmptyFileIsADatabaseToBe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasker.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d, _ := opened(t, path)
	if err := d.Read(ctx, db.Request{}, nothing); err != nil {
		t.Error(err)
	}
	if err := d.Write(ctx, db.Request{}, record("")); err != nil || lastEvent(t, d) != 1 {
		t.Error(err)
	}
}

func TestWhatIsNotOurDatabaseIsRefusedAndLeftAsItIs(t *testing.T) {
	theirs := filepath.Join(t.TempDir(), "theirs.db")
	conn, err := sqlite.OpenConn(theirs, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, "CREATE TABLE theirs (id); INSERT INTO theirs VALUES (1);", nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(theirs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		content []byte
		says    string
	}{
		{"a text", []byte(strings.Repeat("this is a text, and a long one\n", 100)), "is not a database"},
		{"a short text", []byte("x"), "is not a database"},
		{"a text of a page", []byte(strings.Repeat("x", 600)), "is not a database"},
		{"a text of nearly four", []byte(strings.Repeat("x", 4095)), "is not a database"},
		{"another program's database", foreign, "another program"},
		{"half a database", foreign[:len(foreign)/2], ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tasker.db")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			d, _ := opened(t, path)
			_, _, migrate := d.Migrate(ctx)
			for _, err := range []error{d.Read(ctx, db.Request{}, nothing), d.Write(ctx, db.Request{}, record("")), migrate} {
				f := fault.Of(err)
				if f == nil || f.Kind == fault.Internal || !strings.Contains(f.Message, c.says) || f.Hint == "" {
					t.Errorf("%+v", f)
				}
			}
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, c.content) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
	t.Run("a directory", func(t *testing.T) {
		d, _ := opened(t, t.TempDir())
		for _, err := range []error{d.Read(ctx, db.Request{}, nothing), d.Write(ctx, db.Request{}, record(""))} {
			if f := fault.Of(err); f == nil || f.Kind != fault.Invalid || !strings.Contains(f.Message, "is a directory") {
				t.Errorf("%+v", f)
			}
		}
	})
	t.Run("below a file", func(t *testing.T) {
		d, _ := opened(t, filepath.Join(theirs, "tasker.db"))
		if err := d.Write(ctx, db.Request{}, record("")); !fault.Is(err, fault.Declined) {
			t.Errorf("%v", err)
		}
	})
	t.Run("no path", func(t *testing.T) {
		if _, err := Open("", db.Setup{Migrations: store.Schema()}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%v", err)
		}
	})
}

func TestAFileThatMayNotBeWrittenCanBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tasker.db")
	d, _ := opened(t, path)
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	d, _ = opened(t, path)
	if f := fault.Of(d.Write(ctx, db.Request{}, record(""))); f == nil || f.Kind != fault.Declined || !strings.Contains(f.Message, "not written") {
		t.Errorf("%+v", f)
	}
	if lastEvent(t, d) != 1 {
		t.Error("the database cannot be read")
	}
	// Now the process knows the database, so a failure is an outage, and readiness reports it.
	if f := fault.Of(d.Write(ctx, db.Request{}, record(""))); f == nil || f.Kind != fault.Unavailable || !strings.Contains(f.Message, "not written") {
		t.Errorf("%+v", f)
	}
	if found := d.Ready(ctx); len(found) != 1 || !strings.Contains(found[0].About, "cannot be written") {
		t.Errorf("readiness reports %v", found)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Errorf("with the right back: %v", err)
	}
}

func TestAFullDiskIsTheMembersOwnMatter(t *testing.T) {
	d, _ := fresh(t)
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Fatal(err)
	}
	err := d.Write(ctx, db.Request{}, func(turn *db.Turn) error {
		if err := turn.Query("PRAGMA max_page_count = 200", nil, func(db.Row) error { return nil }); err != nil {
			return err
		}
		return record(strings.Repeat("x", 10<<20))(turn)
	})
	if f := fault.Of(err); f == nil || f.Kind != fault.Unavailable || !strings.Contains(f.Message, "full") {
		t.Errorf("%+v", f)
	}
	if err := d.Write(ctx, db.Request{}, record("")); err != nil || lastEvent(t, d) != 2 {
		t.Errorf("a small write after it: %v", err)
	}
}

// If it were bound again, nil would be a null, which equals nothing.
func TestAnEmptyValueIsNotNil(t *testing.T) {
	d, _ := fresh(t)
	err := d.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
		return c.Query(`SELECT x''`, nil, func(r db.Row) error { // the first value that the connection reads
			if r.Bytes(0) == nil {
				t.Error("an empty value reads as nil")
			}
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// An interrupt in the middle of a statement that writes ends the whole transaction.
func TestAnInterruptOfOneMemberDoesNotTakeTheOthersWithIt(t *testing.T) {
	d, e := fresh(t)
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Fatal(err)
	}
	interrupt := make(chan struct{})
	tell := func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) { // the statement is in the middle now
		select {
		case <-interrupt:
		default:
			close(interrupt)
		}
		return sqlite.IntegerValue(0), nil
	}
	runs, gone := 0, false
	members := []func(*db.Turn) error{
		func(t *db.Turn) error { runs++; return record("before")(t) },
		func(t *db.Turn) error {
			if err := record("with it")(t); err != nil {
				return err
			}
			if err := e.writer.db.CreateFunction("tell", &sqlite.FunctionImpl{NArgs: 1, Scalar: tell}); err != nil {
				return err
			}
			e.writer.db.SetInterrupt(interrupt)
			err := cmp.Or(t.Exec(db.Any, `INSERT INTO idempotency (actor, path, key, digest, answer, at)
				WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c)
				SELECT 'a', 'p', i, '', '', CASE i WHEN 1000 THEN tell(i) ELSE 0 END FROM c`), t.Flush())
			e.writer.db.SetInterrupt(nil)
			gone = e.writer.db.AutocommitEnabled()
			return err
		},
		record("after"),
	}
	answers := together(t, d, members)
	if answers[0] != nil || answers[2] != nil {
		t.Errorf("the other members: %v, %v", answers[0], answers[2])
	}
	if !fault.Is(answers[1], fault.Unavailable) {
		t.Errorf("the member of the faulty statement: %v", answers[1])
	}
	if !gone || runs != 2 {
		t.Errorf("gone %v, the first ran %d times", gone, runs)
	}
	if last := lastEvent(t, d); last != 3 {
		t.Errorf("last event %d", last)
	}
}

// together queues members in this order, so that they share a turn, and returns their answers.
func together(t *testing.T, d *db.DB, members []func(*db.Turn) error) []error {
	t.Helper()
	held, free := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		if err := d.Write(ctx, db.Request{Alone: true}, func(*db.Turn) error { close(held); <-free; return nil }); err != nil {
			t.Error(err)
		}
	})
	<-held
	answers := make([]error, len(members))
	for i, fn := range members {
		group.Go(func() { answers[i] = d.Write(ctx, db.Request{}, fn) })
		for d.Waiting() <= i {
			runtime.Gosched()
		}
	}
	close(free)
	group.Wait()
	return answers
}

func TestADatabaseThatAnotherProgramLocksIsUnavailable(t *testing.T) {
	d, e := fresh(t)
	e.patience = 1 // a nanosecond: at once
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Fatal(err)
	}
	theirs, err := sqlite.OpenConn(e.path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = theirs.Close() }()
	if err := sqlitex.ExecuteScript(theirs, "SELECT 1", nil); err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(theirs, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(ctx, db.Request{}, record("")); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v", err)
	}
	if lastEvent(t, d) != 1 {
		t.Error("reads fail too")
	}
	if err := sqlitex.ExecuteTransient(theirs, "ROLLBACK", nil); err != nil {
		t.Fatal(err)
	}
	if err := d.Write(ctx, db.Request{}, record("")); err != nil || lastEvent(t, d) != 2 {
		t.Errorf("%v", err)
	}
}

// A database that vanishes is never created again while it is in use.
func TestAFileThatIsRemovedReplacedOrEmptiedIsAnOutage(t *testing.T) {
	d, e := fresh(t)
	if err := d.Write(ctx, db.Request{}, record("")); err != nil {
		t.Fatal(err)
	}
	outage := func(what string) {
		t.Helper()
		if err := d.Read(ctx, db.Request{}, nothing); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: a read returned %v", what, err)
		}
		if err := d.Write(ctx, db.Request{}, record("")); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: a write returned %v", what, err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Rename(e.path, e.path+".away"))
	outage("gone")
	if _, err := os.Stat(e.path); !os.IsNotExist(err) {
		t.Errorf("the file was created again: %v", err)
	}
	must(os.WriteFile(e.path, nil, 0o600))
	outage("emptied")
	must(os.WriteFile(e.path, []byte("SQLite"), 0o600))
	outage("truncated")
	must(os.Remove(e.path))
	another, other := opened(t, e.path+".other")
	must(another.Write(ctx, db.Request{}, record("")))
	must(another.Close())
	must(os.Rename(other.path, e.path))
	outage("replaced")
	must(os.Rename(e.path+".away", e.path))
	if err := d.Write(ctx, db.Request{}, record("")); err != nil || lastEvent(t, d) != 2 {
		t.Errorf("put back, a write returned %v, and the newest event is %d", err, lastEvent(t, d))
	}
}

func TestTheLogStaysShort(t *testing.T) {
	d, e := fresh(t)
	payload := strings.Repeat("x", 8000)
	const writers, times = 16, 300
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range times {
				if err := d.Write(ctx, db.Request{}, record(payload)); err != nil {
					t.Error(err)
				}
				if err := d.Read(ctx, db.Request{}, nothing); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	info, err := os.Stat(e.path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if written := int64(writers * times * len(payload)); info.Size() > written/2 {
		t.Errorf("the log has %d bytes after %d were written", info.Size(), written)
	}
	if last := lastEvent(t, d); last != writers*times {
		t.Errorf("last event %d", last)
	}
}

func TestParametersAreNumberedAsTheyAreWritten(t *testing.T) {
	for in, want := range map[string]string{
		"SELECT 1":                          "SELECT 1",
		"SELECT $2, $1, $12":                "SELECT ?2, ?1, ?12",
		`SELECT '$1', "$2", $3, 'it''s $4'`: `SELECT '$1', "$2", ?3, 'it''s $4'`,
	} {
		if got := numbered(in); got != want {
			t.Errorf("%s becomes %s", in, got)
		}
	}
}
