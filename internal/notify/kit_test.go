package notify_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"tasker/internal/notify"
	"tasker/internal/store"
	"tasker/internal/store/notifydb"
	"tasker/internal/task"
	"tasker/internal/task/delivery"
	"tasker/internal/task/query"
	"tasker/internal/testkit/coretest"
)

// post is where items go in tests. It accepts everything unless outcome is set.
type post struct {
	channels []delivery.Channel
	outcome  func(delivery.Message) delivery.Outcome // nil: delivered

	mu   sync.Mutex
	sent []string // what was sent: the channel's target, and the kind and task
}

func (p *post) Channels() []delivery.Channel { return p.channels }

func (p *post) Send(_ context.Context, c delivery.Channel, m delivery.Message) delivery.Outcome {
	p.mu.Lock()
	p.sent = append(p.sent, c.Target+" "+m.Kind+" "+string(m.Task))
	outcome := p.outcome
	p.mu.Unlock()
	if outcome != nil {
		return outcome(m)
	}
	return delivery.Outcome{}
}

// taken returns what was sent since the last call.
func (p *post) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.sent
	p.sent = nil
	return out
}

// kit is a test with a post, under rules that require a lead's approval and bob's verification for everything that
// passes the gate ship.
type kit struct {
	*coretest.Kit
	*post
}

func each(t *testing.T, channels []delivery.Channel, fn func(k kit)) {
	t.Helper()
	coretest.Each(t, func(inner *coretest.Kit) {
		inner.Policy = task.Policy{
			Gates: map[string][]string{"ship": nil},
			ReviewPolicy: map[string][]task.Requirement{
				"ship": {{Role: "lead", Reason: "it ships"}, {Actor: "bob", Kind: task.KindVerification}},
			},
		}
		k := kit{inner, &post{channels: channels}}
		inner.Notifier = k.post
		inner.Apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A", "gate": "ship"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}]}`)
		k.begin()
		fn(k)
	})
}

func channel(target string, kinds ...string) delivery.Channel {
	return delivery.Channel{Type: delivery.Exec, Target: target, Kinds: delivery.Kinds(kinds)}
}

// begin opens every channel, as the first write of a process does.
func (k kit) begin() {
	k.Helper()
	k.Must(k.Store.Write(k.Context(), task.By{}, func(tx *store.Tx) error { return notify.Begin(tx, k.channels) }))
}

// deliver does what a server does once a second, for the first channel.
func (k kit) deliver(w *notify.Worker) (notify.Tally, task.Time) {
	k.Helper()
	for more := true; more; {
		var err error
		_, more, err = w.Collect(k.Context())
		k.Must(err)
	}
	out, next, err := w.Send(k.Context(), false)
	k.Must(err)
	return out, next
}

// server returns a worker that delivers to the n-th channel.
func (k kit) server(n int, holder string) *notify.Worker {
	k.Helper()
	mine, err := k.Notify.Hold(k.Context(), holder, k.channels[n:n+1])
	k.Must(err)
	if !mine[k.channels[n].ID()] {
		k.Fatalf("%s does not have the lease", holder)
	}
	return k.Notify.Worker(k.channels[n], holder)
}

// got checks what was sent since the last call.
func (k kit) got(what string, want ...string) {
	k.Helper()
	if got := k.taken(); !slices.Equal(got, want) {
		k.Errorf("%s: %q, not %q", what, got, want)
	}
}

func (k kit) log() []notify.View {
	k.Helper()
	out, err := k.Notify.Log(coretest.Ann, notify.LogIn{})
	k.Must(err)
	return out
}

// last returns the newest event.
func (k kit) last() (ev task.Event) {
	k.Helper()
	k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) error {
		all, err := tx.Events(query.Events{Limit: 1})
		if err == nil {
			ev = all[0]
		}
		return err
	}))
	return ev
}

// expire lets the lease of the first channel run out.
func (k kit) expire() {
	k.Helper()
	k.Must(k.Store.Write(k.Context(), task.By{}, func(tx *store.Tx) error {
		q, err := notifydb.Queue(tx, k.channels[0].ID())
		if err != nil {
			return err
		}
		q.Lease.ExpiresAt = tx.Now()
		return notifydb.SaveQueue(tx, *q)
	}))
}
