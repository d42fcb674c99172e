package app

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"tasker/internal/notify"
)

const (
	// answerFirst is how long after a write a command that goes on tells people of it: its answer comes first.
	answerFirst = time.Second
	// tellTime is how long a command tries to deliver what it caused, and tellEnd after how long it ends whatever hangs.
	tellTime = 4500 * time.Millisecond
	tellEnd  = 5 * time.Second
)

// teller delivers the items that a command, or a tool server on standard input, has caused: after its answer, one attempt
// each, within a few seconds. What it cannot deliver stays pending.
type teller struct {
	service  *notify.Service
	notifier *notifier
	holder   string

	start   sync.Once
	wake    chan struct{} // holds one: something was written
	closing chan struct{}
	ended   chan struct{}
}

func newTeller(s *notify.Service, n *notifier) *teller {
	return &teller{
		service: s, notifier: n, holder: "command-" + rand.Text(),
		wake: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
	}
}

// caused is called after a turn that may have caused items.
func (t *teller) caused() {
	t.start.Do(func() { go t.run() })
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// run delivers whenever something was written, until the command ends.
func (t *teller) run() {
	defer close(t.ended)
	workers := map[string]*notify.Worker{}
	for {
		select {
		case <-t.wake:
		case <-t.closing:
			select {
			case <-t.wake:
			default:
				return
			}
		}
		wait := time.NewTimer(answerFirst)
		select {
		case <-wait.C:
		case <-t.closing:
		}
		wait.Stop()
		t.tell(workers)
	}
}

// tell makes one attempt at each channel, all at once. What goes wrong is left to whoever delivers next.
func (t *teller) tell(workers map[string]*notify.Worker) {
	ctx, cancel := context.WithTimeout(context.Background(), tellTime)
	defer cancel()
	var all sync.WaitGroup
	for _, c := range t.notifier.Channels() {
		w := workers[c.ID()]
		if w == nil {
			w = t.service.Worker(c, t.holder)
			workers[c.ID()] = w
		}
		all.Go(func() { _ = w.Caught(ctx) })
	}
	all.Wait()
}

// close waits for what is left to tell, but not long.
func (t *teller) close() {
	t.start.Do(func() { close(t.ended) })
	close(t.closing)
	late := time.NewTimer(tellEnd)
	defer late.Stop()
	select {
	case <-t.ended:
	case <-late.C:
	}
}
