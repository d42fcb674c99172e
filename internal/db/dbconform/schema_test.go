package dbconform

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/fault"
)

func TestStatementsAreSplitAndRenderedForEachEngine(t *testing.T) {
	ms := migrations(t, "-- A comment; with a stop;\nCREATE TABLE a (\n  id BIGINT PRIMARY KEY, -- the id;\n  t TEXT,\n  b BLOB,\n  n BIGINT\n) WITHOUT ROWID;\n"+
		"INSERT INTO a (t) VALUES ('-- no; comment');\n-- only sqlite\nSELECT 1;\n-- only postgres\nSELECT 2;\nSELECT 3;\n")
	lite, pg := ms[0].Statements(db.SQLite), ms[0].Statements(db.Postgres)
	wantLite := []string{
		"CREATE TABLE a (\n  id INTEGER PRIMARY KEY,\n  t TEXT,\n  b BLOB,\n  n BIGINT\n) WITHOUT ROWID",
		"INSERT INTO a (t) VALUES ('-- no; comment')", "SELECT 1", "SELECT 3",
	}
	wantPG := []string{
		"CREATE TABLE a (\n  id BIGINT PRIMARY KEY,\n  t TEXT COLLATE \"C\",\n  b BYTEA,\n  n BIGINT\n)",
		"INSERT INTO a (t) VALUES ('-- no; comment')", "SELECT 2", "SELECT 3",
	}
	if !slices.Equal(lite, wantLite) {
		t.Errorf("sqlite:\n%s", strings.Join(lite, "\n"))
	}
	if !slices.Equal(pg, wantPG) {
		t.Errorf("postgres:\n%s", strings.Join(pg, "\n"))
	}
}

func TestASchemaThatIsNewerThanTheBinaryIsRefusedInEveryTurnAndSnapshot(t *testing.T) {
	each(t, func(d *database) {
		old := d.open()
		old.write(add(1))
		newer := d.openWith(db.Setup{Migrations: migrations(d.t, schema1, schema2)}, db.Hooks{})
		if from, to, err := newer.Migrate(ctx); err != nil || from != 1 || to != 2 {
			d.t.Fatalf("from %d to %d: %v", from, to, err)
		}
		newer.write(add(2))
		write := old.Write(ctx, db.Request{}, add(3))
		read := old.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil })
		_, _, migrate := old.Migrate(ctx)
		for _, err := range []error{write, read, migrate} {
			f := fault.Of(err)
			if f == nil || f.Kind != fault.Unavailable || !strings.Contains(f.Message, "version 2") || !strings.Contains(f.Message, "knows 1") ||
				!strings.Contains(f.Hint, "tasker upgrade") {
				d.t.Errorf("%v (%+v)", err, f)
			}
		}
		if v, err := old.Version(ctx); err != nil || v != 2 {
			d.t.Errorf("version %d: %v", v, err)
		}
		if got := newer.items(); !slices.Equal(got, []int64{1, 2}) {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestAnOlderSchemaMovesByItselfOnlyInAFile(t *testing.T) {
	each(t, func(d *database) {
		d.open().write(add(1))
		var notices []string
		setup := db.Setup{Migrations: migrations(d.t, schema1, schema2), Notice: func(s string) { notices = append(notices, s) }}
		p := d.openWith(setup, db.Hooks{})
		err := p.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil })
		if !d.lite {
			f := fault.Of(err)
			if f == nil || f.Kind != fault.Declined || !strings.Contains(f.Hint, "tasker db migrate") || !strings.Contains(f.Message, "version 1") {
				d.t.Errorf("%v (%+v)", err, f)
			}
			if err := p.Write(ctx, db.Request{}, add(2)); !fault.Is(err, fault.Declined) {
				d.t.Errorf("write: %v", err)
			}
			if from, to, err := p.Migrate(ctx); err != nil || from != 1 || to != 2 {
				d.t.Errorf("from %d to %d: %v", from, to, err)
			}
		} else if err != nil {
			d.t.Error(err)
		}
		p.write(add(2))
		more := ""
		err = p.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
			return c.Query(`SELECT more FROM item ORDER BY id`, nil, func(r db.Row) error { more += r.Text(0); return nil })
		})
		if err != nil || more != "moremore" {
			d.t.Errorf("%q, %v", more, err)
		}
		if !d.lite {
			return
		}
		backups, err := filepath.Glob(d.at + ".v1.backup*")
		if err != nil || len(backups) != 1 {
			d.t.Fatalf("backups %v, %v", backups, err)
		}
		if len(notices) != 1 || !strings.Contains(notices[0], backups[0]) {
			d.t.Errorf("the notices are %q", notices)
		}
		copied := (&database{t: d.t, at: backups[0], lite: true}).open()
		if got := copied.items(); !slices.Equal(got, []int64{1}) {
			d.t.Errorf("the backup has %v", got)
		}
	})
}

// A process that ends while it creates the tables leaves nothing, and the next one creates them. If an older binary left
// the first of them without a record, the rest is created too, unasked and without a backup of nothing.
func TestAFirstWriteThatWasBrokenOffIsFinishedByTheNext(t *testing.T) {
	each(t, func(d *database) {
		broken := migrations(d.t, schema1, schema2)
		broken[1].After = func(c db.Conn) error {
			if d.lite {
				return errors.New("broken off")
			}
			return c.Query(`SELECT pg_terminate_backend(pg_backend_pid())`, nil, func(db.Row) error { return nil })
		}
		if err := d.openWith(db.Setup{Migrations: broken}, db.Hooks{}).Write(ctx, db.Request{}, add(1)); err == nil {
			d.t.Fatal("it was not broken off")
		}
		setup := db.Setup{Migrations: migrations(d.t, schema1, schema2), Notice: func(s string) { d.t.Errorf("a notice says %q", s) }}
		if v, err := d.openWith(setup, db.Hooks{}).Version(ctx); err != nil || v != 0 {
			d.t.Errorf("it left version %d: %v", v, err)
		}
		older := d.open()
		older.write(func(*db.Turn) error { return nil })
		if v, err := older.Version(ctx); err != nil || v != 1 {
			d.t.Fatalf("version %d: %v", v, err)
		}
		p := d.openWith(setup, db.Hooks{})
		p.write(add(1))
		if v, err := p.Version(ctx); err != nil || v != 2 || !slices.Equal(p.items(), []int64{1}) {
			d.t.Errorf("version %d, items %v: %v", v, p.items(), err)
		}
		if d.lite {
			if backups, err := filepath.Glob(d.at + ".v*"); err != nil || len(backups) > 0 {
				d.t.Errorf("backups %v, %v", backups, err)
			}
		}
	})
}

func TestConnectionsSurviveAMigrationByAnotherProcess(t *testing.T) {
	each(t, func(d *database) {
		d.open().write(add(1))
		setup := db.Setup{Migrations: migrations(d.t, schema1, schema2)}
		p, other := d.openWith(setup, db.Hooks{}), d.openWith(setup, db.Hooks{})
		if v, err := p.Version(ctx); err != nil || v != 1 { // its connection is made at the version before
			d.t.Fatalf("version %d: %v", v, err)
		}
		if !d.lite {
			if err := p.Write(ctx, db.Request{}, add(2)); !fault.Is(err, fault.Declined) {
				d.t.Fatal(err)
			}
		}
		if from, to, err := other.Migrate(ctx); err != nil || from != 1 || to != 2 {
			d.t.Fatalf("from %d to %d: %v", from, to, err)
		}
		p.write(add(2))
		if got := p.items(); len(got) != 2 {
			d.t.Errorf("items %v", got)
		}
	})
}

// If a table changes under a connection's prepared statements, at most one request is asked to try again.
func TestPreparedStatementsThatWentStaleAreLeft(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		none := func(db.Row) error { return nil }
		read := func(c db.Conn, _ db.Head) error { return c.Query(`SELECT * FROM item`, nil, none) }
		write := func(t *db.Turn) error { return t.Query(`SELECT * FROM item`, nil, none) }
		p.write(write)
		if err := p.Read(ctx, db.Request{}, read); err != nil {
			d.t.Fatal(err)
		}
		d.open().write(func(t *db.Turn) error { return t.Exec(db.Any, `ALTER TABLE item ADD COLUMN surprise BIGINT`) })
		for _, do := range []func() error{
			func() error { return p.Read(ctx, db.Request{}, read) },
			func() error { return p.Write(ctx, db.Request{}, write) },
		} {
			if err := do(); err != nil && !fault.Is(err, fault.Unavailable) {
				d.t.Errorf("first: %v", err)
			}
			if err := do(); err != nil {
				d.t.Errorf("again: %v", err)
			}
		}
	})
}

func TestManyProcessesMayMakeTheSchemaAtOnce(t *testing.T) {
	each(t, func(d *database) {
		const n = 8
		answers := make(chan error, n)
		for i := range n {
			p := d.openWith(db.Setup{Migrations: migrations(d.t, schema1, schema2)}, db.Hooks{})
			go func() { answers <- p.Write(ctx, db.Request{}, add(i)) }()
		}
		for range n {
			if err := <-answers; err != nil {
				d.t.Error(err)
			}
		}
		p := d.openWith(db.Setup{Migrations: migrations(d.t, schema1, schema2)}, db.Hooks{})
		if got := p.items(); len(got) != n {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestAMigrationThatGoesWrongLeavesTheSchemaAsItWas(t *testing.T) {
	each(t, func(d *database) {
		d.open().write(add(1))
		bad := migrations(d.t, schema1, schema2, "CREATE TABLE later (id BIGINT PRIMARY KEY);\nINSERT INTO nothing (id) VALUES (1);\n")
		p := d.openWith(db.Setup{Migrations: bad}, db.Hooks{})
		if _, _, err := p.Migrate(ctx); err == nil {
			d.t.Error("a faulty migration succeeds")
		}
		if v, err := p.Version(ctx); err != nil || v != 2 {
			d.t.Errorf("version %d: %v", v, err)
		}
		good := d.openWith(db.Setup{Migrations: migrations(d.t, schema1, schema2)}, db.Hooks{})
		if got := good.items(); !slices.Equal(got, []int64{1}) {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestNothingIsMadeAmongTheTablesOfSomethingElse(t *testing.T) {
	each(t, func(d *database) {
		foreign := d.openWith(db.Setup{Migrations: migrations(d.t, schema1)}, db.Hooks{})
		foreign.write(func(t *db.Turn) error {
			for _, table := range []string{"child", "item", "turn"} {
				if err := t.Exec(db.Any, `DROP TABLE `+table); err != nil {
					return err
				}
			}
			return t.Exec(db.Any, `CREATE TABLE theirs (id BIGINT)`)
		})
		p := d.open()
		for _, err := range []error{
			p.Write(ctx, db.Request{}, add(1)),
			p.Read(context.Background(), db.Request{}, func(db.Conn, db.Head) error { return nil }),
		} {
			if f := fault.Of(err); f == nil || f.Kind != fault.Declined || f.Hint == "" {
				d.t.Errorf("%v", err)
			}
		}
	})
}
