package dbconform

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// read begins a read that goes on until the returned function is called, or the test has failed. Opening a connection may
// take longer than a process's patience: then read tries again.
func (p *process) read(r db.Request) (end func()) {
	p.t.Helper()
	for range 100 {
		begun, free, answer := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			answer <- p.Read(ctx, r, func(db.Conn, db.Head) error {
				close(begun)
				<-free
				return nil
			})
		}()
		select {
		case <-begun:
		case err := <-answer:
			if fault.Is(err, fault.Unavailable) {
				continue
			}
			p.t.Fatalf("reading: %v", err)
		}
		release := sync.OnceFunc(func() { close(free) })
		p.t.Cleanup(release) // closing waits for it
		return func() {
			release()
			if err := <-answer; err != nil {
				p.t.Errorf("reading: %v", err)
			}
		}
	}
	p.t.Fatal("a read finds no connection, again and again")
	return nil
}

// nothing is a reply without reads.
type nothing struct{}

func (nothing) Read(db.Conn, db.Head, any) error { return nil }

// Reads that do not end delay others for a limited time only. The others are refused and told who reads, readiness reports
// it, a write whose answer cannot be read says that it was made, and everything continues when the reads end.
func TestAReadThatFindsNoConnectionIsRefused(t *testing.T) {
	each(t, func(d *database) {
		p := d.openWith(db.Setup{Patience: soon}, db.Hooks{})
		p.write(add(1))
		ends := []func(){p.read(db.Request{What: "bottlenecks", Whom: "bot-2"})}
		for len(ends) < p.limit {
			ends = append(ends, p.read(db.Request{}))
		}

		err := p.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil })
		if !fault.Is(err, fault.Unavailable) || !errors.Is(err, db.ErrBusy) || !strings.Contains(err.Error(), "bottlenecks by bot-2") {
			d.t.Errorf("one more read returns %v", err)
		}
		if _, err := p.Version(ctx); !errors.Is(err, db.ErrBusy) {
			d.t.Errorf("asking for the version returns %v", err)
		}
		found := p.Ready(ctx)
		if len(found) != 1 || !strings.Contains(found[0].About, "in use") || !strings.Contains(found[0].Err.Error(), "bot-2") {
			d.t.Errorf("readiness reports %v", found)
		}
		made, err := p.WriteThen(ctx, db.Request{}, add(2), nothing{})
		if !made || !fault.Is(err, fault.Unavailable) || !errors.Is(err, db.ErrBusy) {
			d.t.Errorf("a write whose answer could not be read returns %v, %v", made, err)
		}

		for _, end := range ends {
			end()
		}
		if got := p.items(); len(got) != 2 {
			d.t.Errorf("there are %v", got)
		}
		if found := p.Ready(ctx); len(found) != 0 {
			d.t.Errorf("readiness reports %v", found)
		}
	})
}

// A reader that waits for a connection gets the next free one, and one that is interrupted while waiting leaves nothing
// behind.
func TestAReadWaitsForAConnection(t *testing.T) {
	each(t, func(d *database) {
		p := d.open()
		p.write(add(1))
		for range 3 {
			var ends []func()
			for len(ends) < p.limit {
				ends = append(ends, p.read(db.Request{}))
			}
			stop, interrupt := context.WithCancel(ctx)
			gone, waiter := make(chan error, 1), make(chan error, 1)
			go func() { gone <- p.Read(stop, db.Request{}, func(db.Conn, db.Head) error { return nil }) }()
			go func() { waiter <- p.Read(ctx, db.Request{}, func(db.Conn, db.Head) error { return nil }) }()
			interrupt()
			if err := <-gone; !errors.Is(err, context.Canceled) {
				d.t.Errorf("the interrupted read returns %v", err)
			}
			for _, end := range ends {
				end()
			}
			if err := <-waiter; err != nil {
				d.t.Errorf("the read that waited returns %v", err)
			}
		}
	})
}
