package dbconform

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// meddle changes the row that identifies a database, as a restore or a copy of an older file would.
func (d *database) meddle(sql string) {
	d.t.Helper()
	d.open().write(func(t *db.Turn) error { return t.Exec(1, sql) })
}

// rewind removes the events after one from the log, as the failover to a standby that lacks them does.
func (d *database) rewind(to int) {
	d.t.Helper()
	d.open().write(func(t *db.Turn) error {
		err := t.Exec(db.Any, `DELETE FROM event WHERE id > $1`, to)
		return errors.Join(err, t.Exec(1, `UPDATE turn SET event_id = $1, sum = 77`, to))
	})
}

// meddleAnyway is meddle on a database that answers nobody.
func (d *database) meddleAnyway(sql string) {
	d.t.Helper()
	e := d.engine(db.Setup{})
	tx, err := e.Begin(ctx, e.Setup().Asking("test"))
	if err != nil {
		d.t.Fatal(err)
	}
	err = tx.Exec(1, sql)
	if err == nil {
		err = tx.Commit(tx.Head())
	}
	tx.Rollback()
	if err = errors.Join(err, e.Close()); err != nil {
		d.t.Fatal(err)
	}
}

// ready looks, as a server does, whether a write would succeed.
func (p *process) ready(want error) {
	p.t.Helper()
	found := p.Ready(ctx)
	if want == nil && len(found) == 0 || len(found) == 1 && errors.Is(found[0].Err, want) && strings.Contains(found[0].About, "gone") {
		return
	}
	p.t.Errorf("Ready says %+v, want %v", found, want)
}

func outage(t *testing.T, p *process, want string) {
	t.Helper()
	for what, err := range map[string]error{
		"a write": p.Write(ctx, db.Request{}, add(9)),
		"a read":  p.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil }),
	} {
		if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s returns %v, want an outage that says %q", what, err, want)
		}
	}
}

func TestAProcessGoesOnWithTheDatabaseItMetAndNoOther(t *testing.T) {
	for name, c := range map[string]struct{ sql, want, back string }{
		"another database": {
			`UPDATE turn SET instance = instance + 1`, "another database", `UPDATE turn SET instance = instance - 1`,
		},
		"a log that was rewound": {
			`UPDATE turn SET event_id = event_id - 1`, "rewound", `UPDATE turn SET event_id = event_id + 1`,
		},
		"a log that went another way": {
			`UPDATE turn SET sum = sum + 1`, "rewound", `UPDATE turn SET sum = sum - 1`,
		},
		"what was there before a restore": {
			`UPDATE turn SET generation = generation - 1`, "rewound", `UPDATE turn SET generation = generation + 1`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(d *database) {
				p := d.open()
				p.write(add(1))
				p.write(add(2))
				d.meddle(c.sql)
				outage(d.t, p, c.want)
				d.meddle(c.back)
				p.write(add(3))
			})
		})
	}
}

// logged returns a member that records an event with its checksum.
func logged(t *db.Turn) error {
	t.Record("said")
	return t.Exec(1, `INSERT INTO event (id, sum) VALUES ($1, $2)`, t.LastEvent, t.Sum)
}

// A log that was rewound is an outage however long it has grown since: what counts is the event that was seen.
func TestALogThatWasRewoundAndGrewIsAnOutage(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		for range 5 {
			p.write(logged)
		}
		d.rewind(2)
		other := d.open()
		for range 6 { // another server is restarted, and goes on
			other.write(logged)
		}
		outage(d.t, p, "event 5 is gone, and perhaps others before it")
		d.meddle(`DELETE FROM event WHERE id = 5`) // what was removed from the log says nothing
		p.write(logged)
	})
}

// What a server has noticed stands in the database, and holds for all that come later.
func TestALossIsToldToEverybody(t *testing.T) {
	each(t, func(d *database) {
		server := d.openWith(db.Setup{Memory: d.t.TempDir()}, db.Hooks{})
		for range 5 {
			server.write(logged)
		}
		server.ready(nil)
		d.rewind(2)
		before := d.open()
		before.write(logged)
		const gone = "events 4 to 5 are gone"
		server.ready(db.ErrRewound)
		outage(d.t, server, gone)
		outage(d.t, before, gone)
		outage(d.t, d.open(), gone)
		d.meddleAnyway(`UPDATE turn SET generation = 2, event_id = 50, lost_from = 0, lost_to = 0`)
		server.write(logged)
		d.open().write(logged)
	})
}

// A server that was restarted remembers the log: it is told which events are gone although the log has grown.
func TestARestartDoesNotForgetTheLog(t *testing.T) {
	each(t, func(d *database) {
		memory := db.Setup{Memory: filepath.Join(d.t.TempDir(), "known")}
		server := d.openWith(memory, db.Hooks{})
		for range 40 {
			server.write(logged)
			server.ready(nil)
		}
		if err := server.Close(); err != nil {
			d.t.Fatal(err)
		}
		d.openWith(memory, db.Hooks{}).write(logged) // nothing has happened
		d.rewind(30)
		other := d.open()
		for range 20 {
			other.write(logged)
		}
		again := d.openWith(memory, db.Hooks{})
		outage(d.t, again, "event 40 is gone")
		again.ready(db.ErrRewound)
		outage(d.t, other, "events 31 to 40 are gone")
		elsewhere := d.openWith(db.Setup{Memory: d.t.TempDir()}, db.Hooks{})
		outage(d.t, elsewhere, "events 31 to 40 are gone")
	})
}

// A file that was only half written is not believed.
func TestAHalfWrittenMemoryCountsForNothing(t *testing.T) {
	each(t, func(d *database) {
		dir := d.t.TempDir()
		server := d.openWith(db.Setup{Memory: dir}, db.Hooks{})
		server.write(logged)
		server.ready(nil)
		files, err := os.ReadDir(dir)
		if err != nil || len(files) != 1 {
			d.t.Fatalf("%d files, %v", len(files), err)
		}
		for _, text := range []string{"", "7 1\n", "7 1\n900 12\n", "7 1\n900 x\nend\n", "nonsense"} {
			if err := os.WriteFile(filepath.Join(dir, files[0].Name()), []byte(text), 0o600); err != nil {
				d.t.Fatal(err)
			}
			d.openWith(db.Setup{Memory: dir}, db.Hooks{}).items()
		}
	})
}

// A restored database is followed although its log is shorter, and waits for an event of the old log end.
func TestARestoredDatabaseIsFollowed(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		p.write(add(2))
		waiter := make(chan error, 1)
		go func() { waiter <- p.Wait(ctx, 2) }()
		d.meddle(`UPDATE turn SET generation = generation + 1, event_id = 1, sum = 5`)
		p.write(add(3))
		if last := p.lastEvent(); last != 2 {
			d.t.Errorf("the newest event is %d", last)
		}
		p.write(add(4))
		if err := <-waiter; err != nil && !fault.Is(err, fault.Unavailable) {
			d.t.Error(err)
		}
	})
}

// The clock counts, and events do not run backwards while it is within five minutes of the log; beyond that the clock's own
// time is used.
func TestAClockThatIsOffStopsNothing(t *testing.T) {
	const minute = 60_000_000
	for _, c := range []struct{ newest, eventAt, lag int64 }{
		{-minute, 0, 0}, {4 * minute, 4 * minute, 0}, {6 * minute, 0, 6 * minute},
	} {
		now := time.Now().UnixMicro()
		h := db.Head{Newest: now + c.newest}.HeadAt(now)
		if h.Now != now || h.EventAt != now+c.eventAt || h.Lag() != c.lag {
			t.Errorf("with the newest event at %+d an event is recorded at %+d, and the lag is %d", c.newest, h.EventAt-now, h.Lag())
		}
	}
}
