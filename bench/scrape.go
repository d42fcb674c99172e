package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/server/httpapi"
)

// scrape measures what a scrape of the metrics costs with a large project, against one record. The record is read through the
// server of the benchmarks, the metrics from one as `tasker serve` makes it, over the same database.
func scrape(ctx context.Context, b *bench) (out []*result, err error) {
	db, err := b.copyOf(ctx, b.large())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	a, err := b.open(db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	s, err := serve(ctx, a)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	measured, err := site(ctx, db)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, measured.stop()) }()
	r := &result{what: "GET /metrics at 100,000 tasks", against: "one read", unit: "µs", bound: bound{atMost: 5}}
	c := dial(s.url, 1)
	defer c.close()
	meters := dial(measured.url, 1)
	defer meters.close()
	one := func(caller, i int) error {
		_, err := c.call(caller, "GET", fmt.Sprintf("/bench/one/x-%d", 1+i%b.large().tasks), "")
		return err
	}
	all := func(caller, _ int) error {
		_, err := meters.call(caller, "GET", "/metrics", "")
		return err
	}
	n, m := b.n(2000), b.n(600)
	for _, do := range []func(int, int) error{one, all} { // warm
		if _, _, err := load(1, b.n(200), do); err != nil {
			return nil, err
		}
	}
	for range b.runs {
		theirs, _, err := load(1, n, one)
		if err != nil {
			return nil, err
		}
		var ours cost
		err = b.profiled(func() error {
			ours, _, err = load(1, m, all)
			return err
		})
		if err != nil {
			return nil, err
		}
		r.add(ours.wall*1e6/float64(m), theirs.wall*1e6/float64(n))
		r.spent(ours, m)
	}
	return []*result{r}, nil
}

// site starts a server as `tasker serve` makes it, on loopback.
func site(ctx context.Context, db string) (*server, error) {
	o, err := config.FromOS()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "tasker-bench-")
	if err != nil {
		return nil, err
	}
	x, err := app.NewSite(ctx, frame.Serving{
		DB: db, Log: io.Discard, Options: config.Options{Dir: dir, Files: o.Files, Now: time.Now},
		Named: frame.Named{Actor: "bench", How: "TASKER_ACTOR", User: "bench"},
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	ln, err := httpapi.Listen(ctx, "127.0.0.1", 0)
	if err != nil {
		return nil, errors.Join(err, x.Close(), os.RemoveAll(dir))
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- x.Serve(ctx, ln) }()
	return &server{url: "http://" + ln.Addr().String(), stop: func() error {
		cancel()
		return errors.Join(<-ended, x.Close(), os.RemoveAll(dir))
	}}, nil
}
