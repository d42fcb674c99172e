package dispatch

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"tasker/internal/notify"
	"tasker/internal/store"
	"tasker/internal/task/delivery"
	"tasker/internal/telemetry"
)

const (
	// renewEvery is how often a server renews its leases, and looks for channels that nobody delivers to any more.
	renewEvery = 4 * time.Second
	// deliverEvery is how often it looks for due deliveries while nothing new happens.
	deliverEvery = time.Second
	// releaseTime is how long it may take to give back the leases when it ends.
	releaseTime = 2 * time.Second
)

// Server delivers inbox items as long as a server runs, with one goroutine for each channel, so that one that hangs
// does not block the others. If several servers declare a channel, the one with its lease delivers to it.
type Server struct {
	service  *notify.Service
	store    *store.Store
	channels *Channels
	refresh  func() // checks whether the configuration has changed
	log      *slog.Logger
	holder   string
	attempts *telemetry.Counters // counts attempts by how they ended
}

// NewServer returns the delivery of a server. refresh checks whether the configuration has changed; attempts counts
// attempts by how they ended.
func NewServer(s *notify.Service, st *store.Store, c *Channels, refresh func(), log *slog.Logger, attempts *telemetry.Counters) *Server {
	return &Server{service: s, store: st, channels: c, refresh: refresh, log: log, holder: "server-" + rand.Text(), attempts: attempts}
}

// Run delivers until ctx ends, and then gives back the leases.
func (s *Server) Run(ctx context.Context) {
	stops, said := map[string]func(){}, ""
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		s.refresh()
		channels := s.channels.Channels()
		mine, err := s.service.Hold(ctx, s.holder, channels)
		if err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			s.log.Warn("deliveries cannot be read", slog.String("problem", said))
		}
		for _, c := range channels {
			if id := c.ID(); mine[id] && stops[id] == nil {
				stops[id] = s.begin(ctx, c)
			}
		}
		for id, stop := range stops {
			if err == nil && !mine[id] { // another process has the lease, or the channel is no longer declared
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
	if channels := s.channels.Channels(); len(channels) > 0 {
		_ = s.service.Release(ending, s.holder, channels) // otherwise they run out by themselves
	}
}

// begin delivers to a channel until the returned function is called.
func (s *Server) begin(ctx context.Context, c delivery.Channel) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	ended.Go(func() { s.deliver(ctx, c) })
	return func() {
		cancel()
		ended.Wait()
	}
}

// deliver delivers to one channel until ctx ends.
func (s *Server) deliver(ctx context.Context, c delivery.Channel) {
	w := s.service.Worker(c, s.holder)
	said := ""
	for ctx.Err() == nil {
		err := s.once(ctx, w, c)
		if err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			s.log.Warn("deliveries cannot be made", slog.String("channel", c.Name()), slog.String("problem", said))
		}
		waiting, cancel := context.WithTimeout(ctx, deliverEvery)
		if err != nil {
			<-waiting.Done()
		} else {
			_ = s.store.Wait(waiting, w.Looked()) // it ends after its time
		}
		cancel()
	}
}

// once queues new items and sends due ones.
func (s *Server) once(ctx context.Context, w *notify.Worker, c delivery.Channel) error {
	if _, err := w.CollectAll(ctx); err != nil {
		return err
	}
	t, _, err := w.Send(ctx, false)
	for outcome, n := range map[string]int{"delivered": t.Delivered, "failed": t.Retried, "dead": t.Failed} {
		s.attempts.Of(outcome).Add(int64(n))
	}
	if t.Failed > 0 {
		s.log.Warn("deliveries have failed", slog.String("channel", c.Name()), slog.Int("failed", t.Failed))
	}
	return err
}
