package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// Every second, and whenever somebody asks, a server checks whether a write would succeed. A check that takes too long
// counts as a failure; who asks waits a shorter time for it, and is told what the last one found.
const (
	lookEvery = time.Second
	lookTime  = 3 * time.Second
	askTime   = time.Second
)

// watch holds what a server knows about its database. One check at a time serves everybody who asked before it began, so
// that readiness requests cost little, and strangers learn nothing else.
type watch struct {
	look func(context.Context) []db.Trouble
	log  *slog.Logger
	now  func() time.Time

	wake chan struct{} // has one while somebody asks

	mu     sync.Mutex
	asked  []chan struct{} // closed after the next check
	began  time.Time       // of the current check; zero between two
	found  []db.Trouble
	logged string
}

// run checks until ctx ends.
func (w *watch) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		w.mu.Lock()
		asked := w.asked
		w.asked = nil
		w.mu.Unlock()
		w.once(ctx)
		for _, answered := range asked {
			close(answered)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-w.wake:
		}
	}
}

// ask returns after a check that began now or later, or when that takes too long.
func (w *watch) ask(ctx context.Context) {
	answered := make(chan struct{})
	w.mu.Lock()
	w.asked = append(w.asked, answered)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default: // somebody else has asked too
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	select {
	case <-answered:
	case <-ctx.Done():
	}
}

// once checks, and logs what is new.
func (w *watch) once(ctx context.Context) {
	w.mu.Lock()
	w.began = w.now()
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	found := w.look(ctx)
	if context.Cause(ctx) == context.Canceled { //nolint:errorlint // the server stops
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began, w.found = time.Time{}, found
	text := ""
	for _, t := range found {
		text += t.About + "\n"
	}
	if text == w.logged {
		return
	}
	if w.logged = text; text == "" {
		w.log.Warn("the database works again")
	}
	for _, t := range found {
		w.log.Warn(t.About, slog.String("problem", t.Err.Error()), slog.String("hint", fault.Of(t.Err).Hint))
	}
}

// troubles returns what is wrong with the database, the clock or a copy.
func (w *watch) troubles(name string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if name == db.OfDatabase && !w.began.IsZero() && w.now().Sub(w.began) > lookTime+lookEvery {
		return fault.Unready("the database does not answer")
	}
	for _, t := range w.found {
		if t.Name == name {
			return fault.Unready("%s", t.About)
		}
	}
	return nil
}
