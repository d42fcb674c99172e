package sqlite

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"zombiezen.com/go/sqlite"
)

const (
	// inspectFirst is how long an engine is left alone before it looks through its file for the first time.
	inspectFirst = 5 * time.Second
	// inspectEvery lies between two looks through the whole file, and inspectAgain between two where damage was found.
	inspectEvery = 10 * time.Minute
	inspectAgain = 5 * time.Second
	// inspectShare is how much longer the inspection rests than it works.
	inspectShare = 20
	// wholePages is how many pages are looked at in one go: 64 MB. A larger file is looked at table by table.
	wholePages = 16_000
)

// damage is what was found broken in the file. Readiness tells of it, since what one request met the next ones will.
type damage struct {
	mu    sync.Mutex
	found error
	count int           // of what was found so far
	news  chan struct{} // closed while something is
}

func (d *damage) init() { d.news = make(chan struct{}) }

// note remembers an error that tells of damage.
func (d *damage) note(err error) {
	if err == nil {
		return
	}
	if c := sqlite.ErrCode(err).ToPrimary(); c == sqlite.ResultCorrupt || c == sqlite.ResultNotADB {
		d.add(err)
	}
}

func (d *damage) add(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.found == nil {
		close(d.news)
	}
	d.found = err
	d.count++
}

// now returns how much was found so far, whether that is still so, and what tells when it is.
func (d *damage) now() (count int, found bool, news <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count, d.found != nil, d.news
}

// passed forgets what was found before an inspection that found nothing.
func (d *damage) passed(count int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.count == count && d.found != nil {
		d.found, d.news = nil, make(chan struct{})
	}
}

// Damage is what was found broken in the file, until an inspection finds nothing.
func (e *Engine) Damage() error {
	e.damage.mu.Lock()
	defer e.damage.mu.Unlock()
	if e.damage.found == nil {
		return nil
	}
	return damaged(e.path).WithCause(e.damage.found)
}

// Examine looks through the file once.
func (e *Engine) Examine(ctx context.Context) error {
	count, _, _ := e.damage.now()
	if e.inspect(ctx, wholePages) {
		e.damage.passed(count)
	}
	return e.Damage()
}

// Inspect looks through the file again and again: soon where somebody met damage, and else every ten minutes. It works
// for a twentieth of its time.
func (e *Engine) Inspect(ctx context.Context) {
	done := e.serve(ctx)
	defer done()
	for wait := inspectFirst; e.rest(ctx, wait); {
		count, _, _ := e.damage.now()
		began := e.world.Clock.Now()
		clean := e.inspect(ctx, wholePages)
		if ctx.Err() != nil {
			return
		}
		wait = inspectAgain
		if clean {
			e.damage.passed(count)
			wait = inspectEvery
		}
		wait = max(wait, inspectShare*e.world.Clock.Now().Sub(began))
	}
}

// rest reports whether to go on, after a time or when damage is met that was not inspected yet.
func (e *Engine) rest(ctx context.Context, wait time.Duration) bool {
	_, found, news := e.damage.now()
	if found {
		return e.world.Waiting.Sleep(ctx, wait) == nil
	}
	resting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_ = e.world.Waiting.Wait(resting, news)
	return ctx.Err() == nil
}

// inspect looks through the file once, on a connection of its own, and reports whether all of it was seen and is whole. A
// file of more pages than atOnce is looked at table by table.
func (e *Engine) inspect(ctx context.Context, atOnce int64) bool {
	file, err := e.present()
	if err != nil || file == nil {
		return false
	}
	c, err := e.open(file)
	if err != nil {
		e.damage.note(err)
		return false
	}
	defer func() { _ = c.close() }()
	c.db.SetInterrupt(ctx.Done())
	parts, err := c.parts(atOnce)
	if err != nil {
		return false
	}
	for _, part := range parts {
		began := e.world.Clock.Now()
		said, err := c.text("PRAGMA quick_check" + part)
		if err != nil {
			return false
		}
		if said != "ok" {
			e.damage.add(fmt.Errorf("quick_check: %s", said))
			return false
		}
		if len(parts) > 1 && e.world.Waiting.Sleep(ctx, inspectShare*e.world.Clock.Now().Sub(began)) != nil {
			return false
		}
	}
	return true
}

// parts are the arguments of the checks that together see the whole file.
func (c *conn) parts(atOnce int64) ([]string, error) {
	pages, err := c.number("PRAGMA page_count")
	if err != nil || pages <= atOnce {
		return []string{"(1)"}, err
	}
	s, err := c.bound(`SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name`, nil)
	if err != nil {
		return nil, c.explain(err)
	}
	out := []string{"('sqlite_schema')"}
	for {
		more, err := s.Step()
		if err != nil {
			return nil, c.explain(err)
		}
		if !more {
			return out, s.Reset()
		}
		out = append(out, "('"+strings.ReplaceAll(s.ColumnText(0), "'", "''")+"')")
	}
}
