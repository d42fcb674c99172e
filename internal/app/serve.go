package app

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"tasker/internal/cli"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/httpapi"
	"tasker/internal/op"
	"tasker/internal/plan"
)

// serve runs the HTTP face until ctx ends: then it drains, and closes the database.
func serve(ctx context.Context, s cli.Serving) (err error) {
	for _, name := range s.Allowed {
		if err := httpapi.CheckHost(name); err != nil {
			return err
		}
	}
	if err := httpapi.CheckBinding(s.Host, s.Token != "", s.Open); err != nil {
		return err
	}
	holder, err := config.NewHolder(s.Options)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(s.Log, &slog.HandlerOptions{Level: level(s.Level)}))
	id := &identity{holder: holder, named: s.Named}
	a, err := Open(Options{DB: s.DB, Config: id.loaded, Version: Version, Notice: func(text string) { log.Warn(text) }})
	if err != nil {
		return err
	}
	defer func() {
		if closing := a.Close(); err == nil {
			err = closing
		}
	}()
	who, err := id.now()
	if err != nil {
		return err
	}
	if _, err := a.Services.Version(ctx, core.None{}); err != nil { // a database that is not there is said now, not to the first client
		return err
	}
	ln, err := httpapi.Listen(ctx, s.Host, s.Port)
	if err != nil {
		return err
	}
	server := httpapi.New(httpapi.Options{
		Ops: op.Local{Services: a.Services}, Identity: id.of, NewID: rand.Text, Feed: a.Services,
		Token: s.Token, Hosts: hosts(s), Log: log, Version: Version, Extra: a.pages(toolRoute(a.Services, log)),
		PlanSchema:   func() ([]byte, error) { return plan.Schema(), nil },
		ConfigSchema: func() ([]byte, error) { return config.Schema(), nil },
		Ready: []httpapi.Check{
			{Name: "database", Do: func(ctx context.Context) error {
				_, err := a.Services.Version(ctx, core.None{})
				return err
			}},
			{Name: "configuration", Do: func(context.Context) error { return holder.Problem() }},
		},
	})
	s.Listening(ln.Addr().String(), who)
	background, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); a.tend(background, id, log) }()
	defer func() { stop(); <-ended }()
	return server.Serve(ctx, ln)
}

// level reads the level of the log; anything else is warn.
func level(name string) slog.Level {
	var l slog.Level
	if name == "" || l.UnmarshalText([]byte(name)) != nil {
		return slog.LevelWarn
	}
	return l
}

// hosts are the names, besides addresses and localhost, by which clients may call the server.
func hosts(s cli.Serving) []string {
	names := s.Allowed
	if s.Host != "" {
		names = append(names, s.Host)
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	return names
}

// tend sweeps lapsed leases every second, and says when the configuration can no longer be read.
func (a *App) tend(ctx context.Context, id *identity, log *slog.Logger) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var said [2]string
	tell := func(i int, about string, err error) {
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != said[i] && text != "" {
			log.Warn(about, slog.String("problem", text))
		}
		said[i] = text
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n, err := a.Sweep(ctx)
		for n > 0 && err == nil {
			n, err = a.Sweep(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		tell(0, "lapsed leases cannot be swept", err)
		tell(1, "the configuration cannot be read, the last good one counts", id.holder.Problem())
	}
}

// identity is on whose behalf a server acts. Every request asks it first, so a changed file counts from the next
// request on, and the files are looked at once per request.
type identity struct {
	holder *config.Holder
	named  cli.Named
	last   atomic.Pointer[decided]
}

// decided is who acts under one reading of the configuration.
type decided struct {
	loaded *config.Loaded
	who    core.Caller
}

// loaded is the configuration as the last request saw it.
func (i *identity) loaded() *config.Loaded {
	if d := i.last.Load(); d != nil {
		return d.loaded
	}
	return i.holder.Current()
}

func (i *identity) of(*http.Request) (core.Caller, error) { return i.now() }

func (i *identity) now() (core.Caller, error) {
	loaded := i.holder.Current()
	if d := i.last.Load(); d != nil && d.loaded == loaded {
		return d.who, nil
	}
	eff, err := loaded.For(loaded.Project(), nil)
	if err != nil {
		return core.Caller{}, err
	}
	if eff.Auth.Mode == "session" { // never open what was meant to be closed
		return core.Caller{}, fault.New(fault.Unauthorized, "the configuration asks for sessions (auth.mode), and this tasker has none yet").
			WithHint("set auth.mode to open, and guard the server with TASKER_TOKEN")
	}
	who, err := cli.Identify(i.named, loaded, Settings(func() *config.Loaded { return loaded }))
	if err != nil {
		return core.Caller{}, err
	}
	i.last.Store(&decided{loaded, who})
	return who, nil
}
