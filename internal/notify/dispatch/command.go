package dispatch

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"tasker/internal/core"
	"tasker/internal/notify"
	"tasker/internal/store"
)

const (
	// answerFirst is how long after a write a command that keeps running waits before it delivers: its answer comes
	// first.
	answerFirst = time.Second
	// attemptTime is how long a command tries to deliver the items it caused, and attemptEnd when it stops whatever hangs.
	attemptTime = 4500 * time.Millisecond
	attemptEnd  = 5 * time.Second
)

// Command delivers the items that a command, or a tool server on standard input, has caused. It makes one attempt for
// each, within a few seconds after the answer. Items that it cannot deliver stay pending.
type Command struct {
	service  *notify.Service
	channels *Channels
	holder   string

	start   sync.Once
	wake    chan struct{} // holds one: something was written
	closing chan struct{}
	ended   chan struct{}
}

// NewCommand returns the delivery of one command.
func NewCommand(s *notify.Service, c *Channels) *Command {
	return &Command{
		service: s, channels: c, holder: "command-" + rand.Text(),
		wake: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
	}
}

// Observe is the store's observer: it delivers after each turn that may have caused items. A delivery's own turns cause
// none.
func (c *Command) Observe(ctx context.Context, write bool) store.Observed {
	if !write || core.CallerOf(ctx).Doing == notify.Doing || len(c.channels.Channels()) == 0 {
		return store.Observed{}
	}
	return store.Observed{Ended: func(store.Claims, error) { c.caused() }} // also after a refusal, which may have been recorded
}

// caused has the items of a turn delivered.
func (c *Command) caused() {
	c.start.Do(func() { go c.run() })
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// run delivers whenever something was written, until the command ends.
func (c *Command) run() {
	defer close(c.ended)
	workers := map[string]*notify.Worker{}
	for {
		select {
		case <-c.wake:
		case <-c.closing:
			select {
			case <-c.wake:
			default:
				return
			}
		}
		select {
		case <-time.After(answerFirst):
		case <-c.closing:
		}
		c.attempt(workers)
	}
}

// attempt makes one attempt at each channel, all at once. Failures are left to the next process that delivers.
func (c *Command) attempt(workers map[string]*notify.Worker) {
	ctx, cancel := context.WithTimeout(context.Background(), attemptTime)
	defer cancel()
	var all sync.WaitGroup
	for _, to := range c.channels.Channels() {
		w := workers[to.ID()]
		if w == nil {
			w = c.service.Worker(to, c.holder)
			workers[to.ID()] = w
		}
		all.Go(func() { _ = w.Caught(ctx) })
	}
	all.Wait()
}

// Close waits a short time for the deliveries that are left.
func (c *Command) Close() {
	c.start.Do(func() { close(c.ended) })
	close(c.closing)
	select {
	case <-c.ended:
	case <-time.After(attemptEnd):
	}
}
