package db

import (
	"context"
	"sync"
	"time"
)

const (
	// inspectFirst is how long to wait before a database is inspected for the first time.
	inspectFirst = 5 * time.Second
	// inspectEvery is the time between two inspections of the whole database, and inspectAgain the time after damage was
	// found.
	inspectEvery = 10 * time.Minute
	inspectAgain = 5 * time.Second
)

// InspectShare is how many times longer an inspection rests than it works.
const InspectShare = 20

// Damage collects what requests and inspections found broken in a database.
type Damage struct {
	mu    sync.Mutex
	found error
	count int           // how much was found so far
	news  chan struct{} // closed while there is damage or a suspicion; created by the first that waits
}

// Add records damage.
func (d *Damage) Add(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found = err
	d.count++
	d.announce()
}

// Suspect requests an inspection soon.
func (d *Damage) Suspect() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.announce()
}

// announce wakes the goroutines that wait for news. The lock is held.
func (d *Damage) announce() {
	if d.news == nil {
		d.news = make(chan struct{})
	}
	select {
	case <-d.news:
	default:
		close(d.news)
	}
}

// Found returns what was found, until an inspection finds nothing.
func (d *Damage) Found() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.found
}

// Look inspects once. inspect adds what it finds, and reports whether it saw everything and found it intact; Look then
// forgets earlier damage.
func (d *Damage) Look(ctx context.Context, inspect func(context.Context) bool) (clean bool) {
	d.mu.Lock()
	count := d.count
	if d.found == nil {
		d.news = make(chan struct{})
	}
	d.mu.Unlock()
	clean = inspect(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	if clean && d.count == count && d.found != nil {
		d.found, d.news = nil, make(chan struct{})
	}
	return clean
}

// Watch inspects again and again until ctx ends: soon after a request found damage, and otherwise every ten minutes.
func (d *Damage) Watch(ctx context.Context, w World, inspect func(context.Context) bool) {
	for wait := inspectFirst; d.rest(ctx, w, wait); {
		began := w.Clock.Now()
		clean := d.Look(ctx, inspect)
		if ctx.Err() != nil {
			return
		}
		if wait = inspectAgain; clean {
			wait = inspectEvery
		}
		wait = max(wait, InspectShare*w.Clock.Now().Sub(began))
	}
}

// rest waits for a time or until there is news of damage, and reports whether to continue.
func (d *Damage) rest(ctx context.Context, w World, wait time.Duration) bool {
	d.mu.Lock()
	found := d.found != nil
	if d.news == nil {
		d.news = make(chan struct{})
	}
	news := d.news
	d.mu.Unlock()
	if found {
		return w.Waiting.Sleep(ctx, wait) == nil
	}
	resting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_ = w.Waiting.Wait(resting, news)
	return ctx.Err() == nil
}
