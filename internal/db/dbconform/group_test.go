package dbconform

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// position returns the number of a member in its turn, counted in State: a new turn starts at 1.
func position(at *[]int) func(*db.Turn) error {
	return func(t *db.Turn) error {
		n, _ := t.State.(int)
		t.State = n + 1
		*at = append(*at, n+1)
		return nil
	}
}

func TestMembersShareATurnInTheOrderTheyCame(t *testing.T) {
	each(t, func(d *database) {
		p := d.still()
		var at []int
		var order []int
		members := make([]func(*db.Turn) error, 10)
		for i := range members {
			members[i] = then(position(&at), func(*db.Turn) error { order = append(order, i); return nil }, add(i))
		}
		for i, err := range p.together(members...) {
			if err != nil {
				t.Errorf("member %d: %v", i, err)
			}
		}
		if !slices.IsSorted(order) || len(order) != 10 {
			d.t.Errorf("ran in the order %v", order)
		}
		if p.turns.Load() != 2+1 { // a migration's, the held one, theirs
			d.t.Errorf("%d turns, want the held one and one for all", p.turns.Load())
		}
		if fmt.Sprint(at) != "[1 2 3 4 5 6 7 8 9 10]" {
			d.t.Errorf("positions in the turn: %v", at)
		}
		if len(p.items()) != 10 || p.lastEvent() != 10 {
			d.t.Errorf("items %v, last event %d", p.items(), p.lastEvent())
		}
	})
}

func TestATurnEndsAt32Members(t *testing.T) {
	each(t, func(d *database) {
		p := d.still()
		var at []int
		members := make([]func(*db.Turn) error, 100)
		for i := range members {
			members[i] = position(&at)
		}
		p.together(members...)
		var want []int
		for i := range 100 {
			want = append(want, i%32+1)
		}
		if !slices.Equal(at, want) {
			d.t.Errorf("positions in their turns: %v", at)
		}
	})
}

func TestATurnEndsAfter20Milliseconds(t *testing.T) {
	each(t, func(d *database) {
		p := d.still()
		var at []int
		slow := func(*db.Turn) error { p.clock.pass(20 * time.Millisecond); return nil }
		p.together(position(&at), then(position(&at), slow), position(&at), position(&at))
		if fmt.Sprint(at) != "[1 2 1 2]" {
			d.t.Errorf("positions in their turns: %v", at)
		}
	})
}

func TestAFailingMemberRollsBackAlone(t *testing.T) {
	each(t, func(d *database) {
		p := d.still()
		var undone []string
		undo := func(what string) func(*db.Turn) error {
			return func(t *db.Turn) error { t.Undo(func() { undone = append(undone, what) }); return nil }
		}
		var seen int64
		look := func(t *db.Turn) error { seen = t.LastEvent; return nil }
		errs := p.together(
			then(undo("kept"), add(1)),
			then(undo("first"), add(2), undo("second"), fail(errNo)),
			then(look, add(3)),
		)
		if errs[0] != nil || !errors.Is(errs[1], errNo) || errs[2] != nil {
			d.t.Errorf("answers %v", errs)
		}
		if got := p.items(); !slices.Equal(got, []int64{1, 3}) {
			d.t.Errorf("items %v", got)
		}
		if seen != 1 || p.lastEvent() != 2 {
			d.t.Errorf("the next member began at event %d, the last is %d", seen, p.lastEvent())
		}
		if fmt.Sprint(undone) != "[second first]" {
			d.t.Errorf("undone: %v", undone)
		}
	})
}

func TestAMemberThatPassesOverAnErrorFailsAllTheSame(t *testing.T) {
	each(t, func(d *database) {
		p := d.still()
		p.write(add(1))
		same := func(t *db.Turn) error { _ = add(1)(t); _ = t.Flush(); return nil }
		guard := func(t *db.Turn) error {
			_ = t.Exec(1, `UPDATE item SET n = 7 WHERE id = $1`, 99)
			return nil
		}
		wrong := func(t *db.Turn) error {
			_ = t.Query(`SELECT nonsense FROM item`, nil, func(db.Row) error { return nil })
			return nil
		}
		errs := p.together(then(add(2), same), then(add(3), guard), then(add(4), wrong), add(5))
		if errs[0] == nil || errs[2] == nil || errs[3] != nil {
			d.t.Errorf("answers %v", errs)
		}
		if !errors.Is(errs[1], db.ErrGuard) {
			d.t.Errorf("a failed guard is answered with %v", errs[1])
		}
		if got := p.items(); !slices.Equal(got, []int64{1, 5}) {
			d.t.Errorf("items %v", got)
		}
	})
}

// TestAMemberWhoseLastStatementFailsIsRolledBackAlone has members that read nothing after they write, so that no query
// reveals the error. SQLite runs each statement at once and each member once; PostgreSQL sends them in batches, and runs
// the others again, once.
func TestAMemberWhoseLastStatementFailsIsRolledBackAlone(t *testing.T) {
	each(t, func(d *database) {
		p := d.still()
		runs := make([]int, 3)
		counted := func(i int, fn func(*db.Turn) error) func(*db.Turn) error {
			return func(t *db.Turn) error { runs[i]++; return fn(t) }
		}
		missing := func(t *db.Turn) error { return t.Exec(1, `UPDATE item SET n = 7 WHERE id = $1`, 99) }
		errs := p.together(counted(0, add(1)), counted(1, then(add(2), missing)), counted(2, add(3)))
		if errs[0] != nil || !errors.Is(errs[1], db.ErrGuard) || errs[2] != nil {
			d.t.Errorf("answers %v", errs)
		}
		if got := p.items(); !slices.Equal(got, []int64{1, 3}) || p.lastEvent() != 2 {
			d.t.Errorf("items %v, last event %d", got, p.lastEvent())
		}
		want := []int{2, 1, 2}
		if d.lite {
			want = []int{1, 1, 1}
		}
		if !slices.Equal(runs, want) {
			d.t.Errorf("the members ran %v times, want %v", runs, want)
		}
	})
}

func TestARefusalCanKeepWhatItWrote(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		refuse := fail(db.Keep(fault.Decline("no, and that is written down")))
		errs := p.together(then(add(1), refuse), then(add(2), fail(errNo)))
		if !fault.Is(errs[0], fault.Declined) || !errors.Is(errs[1], errNo) {
			d.t.Errorf("answers %v", errs)
		}
		if err := p.Write(ctx, db.Request{Alone: true}, then(add(3), refuse)); !fault.Is(err, fault.Declined) {
			d.t.Errorf("alone: %v", err)
		}
		if got := p.items(); !slices.Equal(got, []int64{1, 3}) {
			d.t.Errorf("items %v", got)
		}
		if db.Keep(nil) != nil {
			d.t.Error("Keep(nil) is not nil")
		}
	})
}

func TestAMemberCancelledBeforeItsTurnIsDropped(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		free := p.hold()
		before := p.queue(ctx, false, add(1))
		leaving, leave := context.WithCancel(ctx)
		answer := p.queue(leaving, false, add(2))
		after := p.queue(ctx, false, add(3))
		leave()
		if err := <-answer; !errors.Is(err, context.Canceled) || !fault.Is(err, fault.Unavailable) {
			d.t.Errorf("a member that was cancelled during another's turn is answered with %v", err)
		}
		free()
		if a, b := <-before, <-after; a != nil || b != nil {
			d.t.Errorf("the others: %v, %v", a, b)
		}
		if got := p.items(); !slices.Equal(got, []int64{1, 3}) {
			d.t.Errorf("items %v", got)
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := p.Write(gone, db.Request{}, add(4)); !errors.Is(err, context.Canceled) {
			d.t.Errorf("cancelled from the start: %v", err)
		}
	})
}

// A large write that others wait for is told from a database that cannot be written.
func TestReadinessTellsOfALargeWrite(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		free := p.holdAs(db.Request{What: "apply", Whom: "bot", Alone: true})
		asked, cancel := context.WithCancel(ctx)
		go func() {
			until(func() bool { return p.Waiting() > 0 })
			cancel()
		}()
		found := p.Ready(asked)
		free()
		if len(found) != 1 || found[0].About != "the database is busy with a large write, and others wait for it" ||
			!strings.Contains(found[0].Err.Error(), "held by apply by bot") {
			d.t.Errorf("it says %+v", found)
		}
		if found := p.Ready(ctx); len(found) != 0 {
			d.t.Errorf("afterwards it says %+v", found)
		}
	})
}

func TestAMemberCancelledInItsTurnRunsToItsEnd(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		leaving, leave := context.WithCancel(ctx)
		err := p.Write(leaving, db.Request{}, then(add(1), func(*db.Turn) error { leave(); return nil }, add(2)))
		if err != nil {
			d.t.Errorf("the answer is %v", err)
		}
		if got := p.items(); !slices.Equal(got, []int64{1, 2}) {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestAloneIsATurnOfItsOwn(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		var at []int
		free := p.hold()
		var answers []chan error
		for i, alone := range []bool{false, false, true, false, true, true, false} {
			answers = append(answers, p.queue(ctx, alone, then(position(&at), add(i))))
		}
		free()
		for i, a := range answers {
			if err := <-a; err != nil {
				d.t.Errorf("member %d: %v", i, err)
			}
		}
		if fmt.Sprint(at) != "[1 2 1 1 1 1 1]" {
			d.t.Errorf("positions in their turns: %v", at)
		}
		if err := p.Write(ctx, db.Request{Alone: true}, then(add(10), fail(errNo))); !errors.Is(err, errNo) {
			d.t.Errorf("a failing member: %v", err)
		}
		if got := p.items(); len(got) != 7 {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestAPanicIsTheMembersOwn(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		errs := p.together(add(1), then(add(2), func(*db.Turn) error { panic("oh") }), add(3))
		if errs[0] != nil || !fault.Is(errs[1], fault.Internal) || errs[2] != nil {
			d.t.Errorf("answers %v", errs)
		}
		if !strings.Contains(fmt.Sprint(errors.Unwrap(errs[1])), "group_test.go") {
			d.t.Errorf("its cause does not say where: %v", errors.Unwrap(errs[1]))
		}
		if got := p.items(); !slices.Equal(got, []int64{1, 3}) {
			d.t.Errorf("items %v", got)
		}
	})
}

func TestAMemberThatEndsItsGoroutineEndsItsTurnAlone(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		errs := p.together(add(1), func(*db.Turn) error { runtime.Goexit(); return nil })
		if !fault.Is(errs[0], fault.Internal) || !fault.Is(errs[1], fault.Internal) {
			d.t.Errorf("answers %v", errs)
		}
		p.write(add(2))
		if got := p.items(); !slices.Equal(got, []int64{2}) {
			d.t.Errorf("items %v", got)
		}
	})
}
