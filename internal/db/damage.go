package db

import (
	"context"
	"sync"
	"time"
)

const (
	// inspectFirst is how long a database is left alone before it is looked through for the first time.
	inspectFirst = 5 * time.Second
	// inspectEvery lies between two looks through the whole database, and inspectAgain between two where damage was found.
	inspectEvery = 10 * time.Minute
	inspectAgain = 5 * time.Second
)

// InspectShare is how much longer an inspection rests than it works.
const InspectShare = 20

// Damage is what was found broken in a database, by requests that met it and by inspections.
type Damage struct {
	mu    sync.Mutex
	found error
	count int           // of what was found so far
	news  chan struct{} // closed while something is, or somebody has a doubt; made by the first who waits
}

// Add notes damage.
func (d *Damage) Add(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.found = err
	d.count++
	d.tell()
}

// Suspect has the database looked through soon.
func (d *Damage) Suspect() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tell()
}

// tell wakes who waits for news. The lock is held.
func (d *Damage) tell() {
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

// Look inspects once. inspect adds what it finds, and reports whether all was seen and is whole; what was found before is then
// forgotten.
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

// Watch inspects again and again until ctx ends: soon where somebody met damage, and else every ten minutes.
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

// rest reports whether to go on, after a time or when there is news of damage.
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
