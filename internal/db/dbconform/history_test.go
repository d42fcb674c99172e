package dbconform

import (
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
