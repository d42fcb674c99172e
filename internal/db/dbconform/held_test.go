package dbconform

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// soon is a patience so short that tests need not wait; the tests decide how long the turn itself is held.
var soon = db.Patience{Tell: 10 * time.Millisecond, GiveUp: 500 * time.Millisecond}

// A stopped process that holds its turn does not hold others up for ever. A process that waits learns which one it waits
// for, is refused with that process's name and number, and writes again once the turn is given back.
func TestWhoWaitsForAStoppedProcessIsToldAndRefused(t *testing.T) {
	each(t, func(d *database) {
		d.open().write(add(0))
		holder := d.open()
		free := holder.holdAs(db.Request{What: "apply", Whom: "bot-2\n\x1b[31m", Alone: true})
		notices := make(chan string, 10)
		p := d.openWith(db.Setup{Patience: soon, Notice: func(text string) { notices <- text }}, db.Hooks{})

		err := p.Write(ctx, db.Request{}, add(1))
		if !fault.Is(err, fault.Unavailable) || !errors.Is(err, db.ErrHeld) {
			t.Fatalf("the write returns %v", err)
		}
		for _, part := range []string{"apply by bot-2", "pid " + strconv.Itoa(os.Getpid())} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the refusal does not name %q: %v", part, err)
			}
		}
		if text := <-notices; !strings.HasPrefix(text, "waiting for apply by bot-2") || strings.ContainsAny(text, "\n\x1b") {
			t.Errorf("the notice is %q", text)
		}
		free()
		p.write(add(1))
		if p.WaitsFor() != nil {
			t.Errorf("WaitsFor is still %v", p.WaitsFor())
		}
	})
}

// A process that came later keeps waiting when the first one is refused.
func TestARefusalIsOfThoseWhoHaveWaitedLongEnough(t *testing.T) {
	each(t, func(d *database) {
		d.open().write(add(0))
		free := d.open().hold()
		var clock atomic.Int64
		now := func() time.Time { return time.UnixMicro(clock.Load()) }
		p := d.openWith(db.Setup{Patience: soon, World: db.World{Clock: db.ClockFunc(now)}}, db.Hooks{})
		first := p.queue(ctx, false, add(1))
		clock.Add(time.Hour.Microseconds()) // the second has only just arrived
		second := p.queue(ctx, false, add(2))
		if err := <-first; !errors.Is(err, db.ErrHeld) {
			t.Errorf("the first write returns %v", err)
		}
		free()
		if err := <-second; err != nil {
			t.Errorf("the second write returns %v", err)
		}
	})
}

// A process that is interrupted while it waits ends at once. If its turn comes too late, the turn goes to the next process.
func TestAnInterruptedWaitLeavesTheTurnToOthers(t *testing.T) {
	each(t, func(d *database) {
		d.open().write(add(0))
		free := d.open().hold()
		p := d.open()
		stop, interrupt := context.WithCancel(ctx)
		answer := p.queue(stop, false, add(1))
		interrupt()
		if err := <-answer; !errors.Is(err, context.Canceled) {
			t.Errorf("the interrupted write returns %v", err)
		}
		free()
		d.open().write(add(2))
		p.write(add(3))
	})
}

// A database can be closed while it waits for another process.
func TestCloseDoesNotWaitForAStoppedProcess(t *testing.T) {
	each(t, func(d *database) {
		d.open().write(add(0))
		free := d.open().hold()
		defer free()
		p := d.open()
		answer := p.queue(ctx, false, add(1))
		if err := p.Close(); err != nil {
			t.Errorf("Close returns %v", err)
		}
		if err := <-answer; err == nil {
			t.Error("a write that never had a turn succeeds")
		}
	})
}
