package app

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"tasker/internal/notify"
	"tasker/internal/notify/delivery"
	"tasker/internal/store"
	"tasker/internal/telemetry/metrics"
)

const (
	// renewEvery is how often a server renews its leases, and looks for channels that nobody delivers to any more.
	renewEvery = 4 * time.Second
	// deliverEvery is how often it looks for what is due where nothing new happens.
	deliverEvery = time.Second
	// releaseTime is how long it may take to give the leases back when it ends.
	releaseTime = 2 * time.Second
)

// herald delivers inbox items for as long as a server runs: one goroutine a channel, so that one that hangs holds up no
// other. Of several servers that declare a channel the one with its lease delivers to it.
type herald struct {
	service  *notify.Service
	store    *store.Store
	notifier *notifier
	refresh  func() // looks whether the configuration has changed
	log      *slog.Logger
	holder   string
	told     *metrics.Counters // attempts by how they ended
}

func newHerald(a *App, refresh func(), log *slog.Logger, told *metrics.Counters) *herald {
	return &herald{
		service: a.Services.Notices, store: a.Services.Store, notifier: a.notifier, refresh: refresh, log: log, holder: "server-" + rand.Text(),
		told: told,
	}
}

// run delivers until ctx ends, and gives the leases back.
func (h *herald) run(ctx context.Context) {
	stops, said := map[string]func(){}, ""
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		h.refresh()
		channels := h.notifier.Channels()
		mine, err := h.service.Hold(ctx, h.holder, channels)
		if err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			h.log.Warn("deliveries cannot be looked at", slog.String("problem", said))
		}
		for _, c := range channels {
			if id := c.ID(); mine[id] && stops[id] == nil {
				stops[id] = h.begin(ctx, c)
			}
		}
		for id, stop := range stops {
			if err == nil && !mine[id] { // another has the lease, or it is no longer declared
				stop()
				delete(stops, id)
			}
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	for _, stop := range stops {
		stop()
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if channels := h.notifier.Channels(); len(channels) > 0 {
		_ = h.service.Release(ending, h.holder, channels) // otherwise they end by themselves
	}
}

// begin delivers to a channel until the function that it returns is called.
func (h *herald) begin(ctx context.Context, c delivery.Channel) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() { h.deliver(ctx, c) })
	return func() {
		cancel()
		ended.Wait()
	}
}

// deliver delivers to one channel until ctx ends.
func (h *herald) deliver(ctx context.Context, c delivery.Channel) {
	w := h.service.Worker(c, h.holder)
	said := ""
	for ctx.Err() == nil {
		err := h.once(ctx, w, c)
		if err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			h.log.Warn("deliveries cannot be made", slog.String("channel", c.Name()), slog.String("problem", said))
		}
		waiting, cancel := context.WithTimeout(ctx, deliverEvery)
		if err != nil {
			<-waiting.Done()
		} else {
			_ = h.store.Wait(waiting, w.Looked()) // it ends with its time
		}
		cancel()
	}
}

// once queues what is new and sends what is due.
func (h *herald) once(ctx context.Context, w *notify.Worker, c delivery.Channel) error {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if _, more, err = w.Collect(ctx); err != nil {
			return err
		}
	}
	t, _, err := w.Send(ctx, false)
	for outcome, n := range map[string]int{"delivered": t.Delivered, "failed": t.Retried, "dead": t.Failed} {
		h.told.Of(outcome).Add(int64(n))
	}
	if t.Failed > 0 {
		h.log.Warn("deliveries have failed", slog.String("channel", c.Name()), slog.Int("failed", t.Failed))
	}
	return err
}
