package app

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/config/format"
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/notify/dispatch"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/server/httpapi"
	outside "tasker/internal/site"
	"tasker/internal/sync/syncer"
	"tasker/internal/telemetry"
)

// Site is a server that does not listen yet: the operations over a database, behind the front door.
type Site struct {
	*httpapi.Server

	app  *App
	who  *decided // as decided when the site was made
	door *sessions
	log  *slog.Logger

	watch    *watch
	prompts  *syncer.Prompts     // requests of a code host for pulls
	swept    *telemetry.Counter  // leases that lapsed
	attempts *telemetry.Counters // deliveries, by outcome
	traces   *telemetry.Tracer   // nil: nothing is traced
}

// NewSite opens the database and puts the front door in front of it.
func NewSite(ctx context.Context, s frame.Serving) (*Site, error) {
	for _, name := range s.Allowed {
		if err := httpapi.CheckHost(name); err != nil {
			return nil, err
		}
	}
	holder, err := config.NewHolder(s.Options)
	if err != nil {
		return nil, err
	}
	id := &identity{holder: holder, named: s.Named}
	who := id.now()
	if who.Err != nil && !who.Closed {
		return nil, who.Err
	}
	if err := httpapi.CheckBinding(s.Host, s.Token != "" || who.Closed, s.Open); err != nil {
		return nil, err
	}
	memory, err := Memory(s.Memory)
	if err != nil {
		return nil, err
	}
	GiveMemory(memory)
	log, err := logger(s.Log, s.Level, s.LogFormat)
	if err != nil {
		return nil, err
	}
	tracing, err := telemetry.TraceSettingsFromEnv(s.Env)
	if err != nil {
		return nil, err
	}
	set := new(telemetry.Metrics)
	a, err := Open(Options{DB: s.DB, Config: id.loaded, Started: who.loaded, Version: Version, Meter: commitMeter(set), Memory: s.Known, Notice: func(text string) { log.Warn(text) }})
	if err != nil {
		return nil, err
	}
	// An unusable database is reported now, and not to the first client. Where only standbys answer, one is about to be
	// promoted, and of a log that was rewound a person decides: until then requests are answered 503, and the watch logs
	// why.
	if err := a.store.DB().Check(ctx, func(db.Head) {}); err != nil && !errors.Is(err, db.ErrStandby) && !errors.Is(err, db.ErrRewound) {
		_ = a.Close() // the first error is enough
		return nil, err
	}
	site := &Site{prompts: syncer.NewPrompts(), app: a, who: who, door: &sessions{id: id, services: a.Services}, log: log}
	if site.traces = telemetry.NewTracer(tracing, Version, log, outside.Way{}.Open().Do); site.traces != nil {
		a.store.Observe(traced)
	}
	site.watch = &watch{look: a.store.DB().Ready, log: log, now: time.Now, wake: make(chan struct{}, 1)}
	site.watch.once(ctx)
	site.measure(set)
	routes, lost := a.pages(toolRoute(a.Services, log))
	site.Server = httpapi.New(httpapi.Options{
		Ops: op.NewLocal(a.Services.All()...), Identity: func() httpapi.Identity { return id.now().Identity }, Sessions: site.door, NewID: rand.Text, Feed: feed{a.Services.Reading},
		Token: s.Token, Hook: site.hook(), Memory: memory, Metrics: set, Traces: site.traces,
		Hosts: hosts(s), Log: log, Version: Version, Extra: routes, Lost: lost,
		PlanSchema:   func() ([]byte, error) { return plan.Schema(), nil },
		ConfigSchema: func() ([]byte, error) { return format.Schema(), nil },
		Ready: []httpapi.Check{
			{Name: "database", Do: func(ctx context.Context) error { site.watch.ask(ctx); return site.watch.troubles(db.OfDatabase) }},
			{Name: "clock", Told: true, Do: func(context.Context) error { return site.watch.troubles(db.OfClock) }},
			{Name: "copy", Told: true, Do: func(context.Context) error { return site.watch.troubles(db.OfCopy) }},
			{Name: "configuration", Told: true, Do: func(context.Context) error {
				problem := holder.Problem()
				if problem == nil {
					return nil
				}
				return fault.Bad("%s; the last good one stays in force", fault.Of(problem).Message)
			}},
			{Name: "identity", Told: true, Do: func(context.Context) error { return id.now().pending }},
		},
	})
	return site, nil
}

// Close writes what is left to write, and closes the database.
func (x *Site) Close() error {
	x.door.write(context.Background())
	x.traces.Close()
	return x.app.Close()
}

// stopWithin is how long a server may take to stop, whatever hangs.
const stopWithin = 9 * time.Second

// serve runs the HTTP face until ctx ends. Then it lets running requests finish and closes the database; what does not end
// in time is left to the end of the process.
func serve(ctx context.Context, s frame.Serving) error {
	s.Known = known()
	ended := make(chan error, 1)
	go func() { ended <- serveUntil(ctx, s) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(stopWithin)
	defer late.Stop()
	select {
	case err := <-ended:
		return err
	case <-late.C:
		return fault.Unready("the server could not shut down cleanly within %s: something that it waits for hangs", stopWithin).
			WithHint("a request without an answer may or may not have been carried out: send it again with its Idempotency-Key")
	}
}

// serveUntil runs the HTTP face until ctx ends; then it drains, and closes the database.
func serveUntil(ctx context.Context, s frame.Serving) (err error) {
	site, err := NewSite(ctx, s)
	if err != nil {
		return err
	}
	defer func() {
		if closing := site.Close(); err == nil {
			err = closing
		}
	}()
	ln, err := httpapi.Listen(ctx, s.Host, s.Port)
	if err != nil {
		return err
	}
	s.Listening(ln.Addr().String(), site.who.Caller, site.who.Closed)
	site.log.Info("started", slog.String("address", ln.Addr().String()), slog.String("version", Version), slog.Int("pid", os.Getpid()))
	defer func() { site.log.Info("stopped", slog.String("address", ln.Addr().String())) }()
	background, stop := context.WithCancel(site.traces.Into(ctx))
	deliveries := dispatch.NewServer(site.app.Services.Notify, site.app.store, site.app.channels, func() { site.door.id.now() }, site.log, site.attempts)
	var ended sync.WaitGroup
	ended.Go(func() { site.tend(background) })
	ended.Go(func() { deliveries.Run(background) })
	ended.Go(func() { site.prompts.Run(background, site.pullRepo) })
	go site.watch.run(background)
	if s.Sync > 0 {
		looped := make(chan struct{})
		go func() { defer close(looped); site.loop(background, s.Sync) }()
		defer func() { <-looped }()
	}
	go site.app.store.DB().Inspect(background)
	defer func() { stop(); ended.Wait() }()
	return site.Serve(ctx, ln)
}

// hosts returns the names by which clients may call the server, besides addresses and localhost.
func hosts(s frame.Serving) []string {
	names := s.Allowed
	if s.Host != "" {
		names = append(names, s.Host)
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	return names
}

// tend sweeps lapsed leases every second, records which sessions were used, notices guidance that drifted, and logs when
// the configuration can no longer be read.
func (x *Site) tend(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var said [4]string
	report := func(i int, about string, err error) {
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != said[i] && text != "" {
			x.log.Warn(about, slog.String("problem", text))
		}
		said[i] = text
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := x.app.Sweep(ctx)
		for n > 0 && err == nil {
			x.swept.Add(int64(n))
			n, err = x.app.Sweep(ctx)
		}
		x.door.write(ctx)
		drift := x.app.Services.NoticeDrift(ctx)
		if ctx.Err() != nil {
			return
		}
		report(0, "lapsed leases cannot be swept", err)
		report(1, "the configuration cannot be read, the last good one stays in force", x.door.id.holder.Problem())
		report(2, "tracked guidance cannot be checked", drift)
		report(3, "the files now say something else of the actor that this server acts as", x.door.id.now().pending)
	}
}
