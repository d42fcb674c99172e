package dbconform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
)

func TestWaitEndsWithACommitOfThisProcessAtOnce(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		if err := p.Wait(ctx, 0); err != nil {
			d.t.Error(err)
		}
		answer := make(chan error, 1)
		go func() { answer <- p.Wait(ctx, 1) }()
		p.write(add(2))
		if err := <-answer; err != nil {
			d.t.Error(err)
		}
	})
}

func TestWaitEndsWithACommitOfAnotherProcess(t *testing.T) {
	each(t, func(d *database) {
		p, other := d.open(), d.open()
		limited, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		for i := range 3 { // the first before there is any database
			answer := make(chan error, 1)
			go func() { answer <- p.Wait(limited, int64(i)) }()
			other.write(add(i))
			if err := <-answer; err != nil {
				d.t.Errorf("commit %d: %v", i, err)
			}
			if p.lastEvent() != int64(i)+1 {
				d.t.Errorf("the wait ended before the event could be read")
			}
		}
	})
}

func TestWaitGoesOnUntilThereIsAnEvent(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		limited, cancel := context.WithCancel(ctx)
		answer := make(chan error, 1)
		go func() { answer <- p.Wait(limited, 1) }()
		p.write(func(t *db.Turn) error { return t.Exec(1, `UPDATE item SET n = 5 WHERE id = 1`) })
		select {
		case err := <-answer:
			d.t.Errorf("a commit without an event ended the wait: %v", err)
		default:
		}
		cancel()
		if err := <-answer; !errors.Is(err, context.Canceled) {
			d.t.Error(err)
		}
	})
}

func TestCloseAnswersEveryWaiterAndDrainsTheQueue(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(0))
		waiter := make(chan error, 1)
		go func() { waiter <- p.Wait(ctx, 99) }()
		free := p.hold()
		var queued []chan error
		for i := range 60 {
			queued = append(queued, p.queue(ctx, false, add(i+1)))
		}
		closed := make(chan error, 1)
		go func() { closed <- p.Close() }()
		until(func() bool {
			return fault.Is(p.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil }), fault.Unavailable)
		})
		if err := p.Write(ctx, db.Request{}, add(1000)); !fault.Is(err, fault.Unavailable) {
			d.t.Errorf("a write into a database that is being closed: %v", err)
		}
		free()
		for i, a := range queued {
			if err := <-a; err != nil {
				d.t.Errorf("queued write %d: %v", i, err)
			}
		}
		if err := <-closed; err != nil {
			d.t.Error(err)
		}
		if err := <-waiter; !fault.Is(err, fault.Unavailable) {
			d.t.Errorf("waiter: %v", err)
		}
		if err := p.Close(); err != nil {
			d.t.Errorf("closing twice: %v", err)
		}
		if got := d.open().items(); len(got) != 61 {
			d.t.Errorf("%d items", len(got))
		}
	})
}

// Several processes count in one row; each reads it before it writes.
func TestProcessesTakeTurns(t *testing.T) {
	each(t, func(d *database) {
		first := d.open()
		first.write(then(add(1), func(t *db.Turn) error { return t.Exec(1, `UPDATE item SET n = 0`) }))
		const processes, writers, times = 4, 8, 15
		count := func(t *db.Turn) error {
			n := int64(0)
			err := t.Query(`SELECT n FROM item WHERE id = 1`, nil, func(r db.Row) error { n = r.Int(0); return nil })
			if err != nil {
				return err
			}
			t.Record()
			if err := t.Exec(1, `INSERT INTO item (id, name) VALUES ($1, $2)`, 1000+t.LastEvent, "event"); err != nil {
				return err
			}
			return t.Exec(1, `UPDATE item SET n = $1 WHERE id = 1 AND n = $2`, n+1, n)
		}
		var group sync.WaitGroup
		for range processes {
			p := d.open()
			for range writers {
				group.Go(func() {
					for range times {
						if err := p.Write(ctx, db.Request{}, count); err != nil {
							d.t.Error(err)
						}
					}
				})
			}
		}
		group.Wait()
		const all = processes * writers * times
		n := int64(0)
		err := first.Read(ctx, db.Request{}, func(c db.Conn, _ db.Head) error {
			return c.Query(`SELECT n FROM item WHERE id = 1`, nil, func(r db.Row) error { n = r.Int(0); return nil })
		})
		if err != nil || n != all || first.lastEvent() != all+1 {
			d.t.Errorf("counted %d, last event %d: %v", n, first.lastEvent(), err)
		}
		if got := first.items(); len(got) != all+1 || got[len(got)-1] != 1000+all+1 {
			d.t.Errorf("event ids are not dense")
		}
	})
}

// A process that arrives at a busy server waits for a few of its turns, not for the end of its work.
func TestABusyProcessYieldsItsTurn(t *testing.T) {
	each(t, func(d *database) {
		busy, guest := d.open(), d.open()
		busy.write(add(0))
		guest.write(add(1))
		done := make(chan struct{})
		var group sync.WaitGroup
		touch := func(t *db.Turn) error { return t.Exec(1, `UPDATE item SET n = n + 1 WHERE id = 0`) }
		for range 64 {
			group.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					if err := busy.Write(ctx, db.Request{}, touch); err != nil {
						d.t.Error(err)
					}
				}
			})
		}
		var waited []int64
		for i := range 21 {
			before := busy.turns.Load()
			guest.write(func(t *db.Turn) error {
				waited = append(waited, busy.turns.Load()-before)
				return add(2 + i)(t)
			})
		}
		close(done)
		group.Wait()
		slices.Sort(waited)
		if median := waited[len(waited)/2]; median > 5 {
			d.t.Errorf("the wait lasted %v turns", waited)
		}
	})
}

// The clock counts even if the log is ahead of it. If the log is slightly ahead, times continue from its newest event; if
// it is further ahead, they are the clock's, so that time never stands still.
func TestAnEventIsNotRecordedBeforeTheNewestOneUnlessThatIsFarAhead(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		for _, c := range []struct {
			ahead time.Duration
			from  bool // the log's times continue from its newest event
		}{{4 * time.Minute, true}, {10 * time.Minute, false}} {
			var newest int64
			p.write(func(t *db.Turn) error {
				t.Record()
				t.EventAt = t.Now + c.ahead.Microseconds()
				newest = t.EventAt
				return nil
			})
			p.write(func(t *db.Turn) error {
				if t.Now >= newest {
					d.t.Errorf("the clock is %d, at or past %d", t.Now, newest)
				}
				if (t.EventAt == newest) != c.from || (t.Lag() == 0) != c.from {
					d.t.Errorf("with the log %s ahead an event is recorded at %d, the lag is %d", c.ahead, t.EventAt, t.Lag())
				}
				return nil
			})
		}
	})
}

func TestHeadsTellTheSchema(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(func(t *db.Turn) error {
			if t.Schema != 1 {
				return fmt.Errorf("schema %d", t.Schema)
			}
			return nil
		})
	})
}
