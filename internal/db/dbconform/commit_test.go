package dbconform

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// kill ends the transaction of a whole turn by an error of the database itself.
func (d *database) kill() func(*db.Turn) error {
	return func(t *db.Turn) error {
		if d.lite {
			return t.Exec(1, `INSERT OR ROLLBACK INTO turn (id, schema_version, event_id, at) VALUES (1, 1, 1, 1)`)
		}
		return t.Query(`SELECT pg_terminate_backend(pg_backend_pid())`, nil, func(db.Row) error { return nil })
	}
}

func TestWhenTheTransactionIsGoneTheOthersRunAgain(t *testing.T) {
	each(t, func(d *database) {
		p := d.still()
		var at []int
		runs := 0
		run := func(*db.Turn) error { runs++; return nil }
		errs := p.together(
			then(position(&at), add(1)),
			then(position(&at), add(2), fail(errNo)),
			then(position(&at), add(3), d.kill()),
			then(position(&at), run, add(4)),
			then(position(&at), add(5), d.kill()),
			then(position(&at), add(6)),
		)
		if errs[0] != nil || !errors.Is(errs[1], errNo) || errs[3] != nil || errs[5] != nil {
			d.t.Errorf("answers %v", errs)
		}
		if errs[2] == nil || errs[4] == nil {
			d.t.Errorf("the members that broke the transaction are answered with %v and %v", errs[2], errs[4])
		}
		if got := p.items(); !slices.Equal(got, []int64{1, 4, 6}) {
			d.t.Errorf("items %v", got)
		}
		if p.lastEvent() != 3 {
			d.t.Errorf("last event %d, want 3: the lost transactions are still counted", p.lastEvent())
		}
		if len(at) < 4 || !slices.Equal(at[:5], []int{1, 2, 3, 1, 2}) {
			d.t.Errorf("positions %v: a new transaction does not start with a new State", at)
		}
		if runs == 0 {
			d.t.Error("a member did not run")
		}
	})
}

func TestATransactionThatIsLostByItsOnlyMemberIsItsOwnMatter(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		for _, alone := range []bool{false, true} {
			if err := p.Write(ctx, db.Request{Alone: alone}, then(add(1), d.kill())); err == nil {
				d.t.Error("a write whose connection was cut succeeds")
			}
		}
		p.write(add(2))
		if got := p.items(); !slices.Equal(got, []int64{2}) {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestEveryAnswerIsGivenAfterTheCommit(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		var answered atomic.Int64
		free := p.hold()
		first := p.queue(ctx, false, add(1))
		refused := p.queue(ctx, false, fail(errNo))
		early := int64(-1)
		var seen []int64
		last := p.queue(ctx, false, func(*db.Turn) error {
			for began := time.Now(); time.Since(began) < 10*time.Millisecond; {
				runtime.Gosched()
			}
			early = answered.Load()
			seen = p.items()
			return nil
		})
		count := func(from, to chan error) {
			err := <-from
			answered.Add(1)
			to <- err
		}
		a, b := make(chan error, 1), make(chan error, 1)
		go count(first, a)
		go count(refused, b)
		free()
		if err := <-last; err != nil {
			d.t.Error(err)
		}
		if err := <-a; err != nil {
			d.t.Error(err)
		}
		if err := <-b; !errors.Is(err, errNo) {
			d.t.Error(err)
		}
		if early != 0 {
			d.t.Errorf("%d members were answered before their turn was committed", early)
		}
		if len(seen) != 0 {
			d.t.Errorf("others see %v of an uncommitted turn", seen)
		}
	})
}

func TestACommitThatFailsAnswersEverybodyUnavailable(t *testing.T) {
	each(t, func(d *database) {
		p := d.still()
		orphan := func(t *db.Turn) error {
			return t.Exec(1, `INSERT INTO child (id, item) VALUES ($1, $2)`, 1, 404)
		}
		for i, err := range p.together(add(1), orphan, fail(errNo), add(2)) {
			if !fault.Is(err, fault.Unavailable) {
				d.t.Errorf("member %d is answered with %v", i, err)
			}
		}
		if got := p.items(); len(got) != 0 || p.lastEvent() != 0 {
			d.t.Errorf("items %v, last event %d", got, p.lastEvent())
		}
		if err := p.Write(ctx, db.Request{Alone: true}, orphan); !fault.Is(err, fault.Unavailable) {
			d.t.Errorf("alone: %v", err)
		}
		p.write(add(3))
		if got := p.items(); !slices.Equal(got, []int64{3}) || p.lastEvent() != 1 {
			d.t.Errorf("afterwards: items %v, last event %d", got, p.lastEvent())
		}
	})
}

func TestStateInGoIsWrittenOnceBeforeTheCommit(t *testing.T) {
	each(t, func(d *database) {
		flushes := 0
		var broken error
		p := d.openWith(db.Setup{}, db.Hooks{Flush: func(t *db.Turn) error {
			flushes++
			if broken != nil {
				return broken
			}
			if t.State == nil {
				return nil
			}
			return t.Exec(1, `UPDATE item SET n = $1 WHERE id = 1`, t.State)
		}})
		count := func(t *db.Turn) error { n, _ := t.State.(int); t.State = n + 1; return nil }
		p.together(then(add(1), count), count, count)
		n := int64(0)
		read := func(c db.Conn, _ db.Head) error {
			return c.Query(`SELECT n FROM item WHERE id = 1`, nil, func(r db.Row) error { n = r.Int(0); return nil })
		}
		if err := p.Read(ctx, db.Request{}, read); err != nil || n != 3 {
			d.t.Errorf("n = %d, %v", n, err)
		}
		if flushes != 2 { // one for the held turn, undisturbed, and one for theirs
			d.t.Errorf("flushed %d times", flushes)
		}
		before := flushes
		if err := p.Write(ctx, db.Request{}, fail(errNo)); !errors.Is(err, errNo) || flushes != before {
			d.t.Errorf("a turn that kept nothing: %v, flushed %d times", err, flushes-before)
		}
		broken = errNo
		if err := p.Write(ctx, db.Request{}, add(2)); !fault.Is(err, fault.Unavailable) || !errors.Is(err, errNo) {
			d.t.Errorf("a failed flush is answered with %v", err)
		}
		if got := p.items(); !slices.Equal(got, []int64{1}) {
			d.t.Errorf("items %v", got)
		}
	})
}
