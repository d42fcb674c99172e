package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/app"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/server/httpapi"
	"tasker/internal/server/web"
	"tasker/internal/task"
)

// read is one of the reads, and how much more than one record it may cost.
type read struct {
	what   string
	path   func(i int) string
	atMost float64
	n      int // calls that make a run
}

func always(path string) func(int) string { return func(int) string { return path } }

// theReads returns the reads, which are measured on the estate: see estate.go.
func (b *bench) theReads() []read {
	tasks := b.estate().tasks
	some := func(form string) func(int) string {
		return func(i int) string { return fmt.Sprintf(form, 1+(i*7919)%tasks) }
	}
	ago := func(events int) func(int) string {
		return always(fmt.Sprintf("/v1/projects/x/board?limit=50&at=%d", b.n(1_000_000)-events))
	}
	return []read{
		{"GET ready", always("/v1/projects/x/ready?limit=50"), 10, 200},
		{"GET board", always("/v1/projects/x/board?limit=50"), 10, 200},
		{"GET board as it was 10 events ago", ago(10), 30, 100},
		{"GET board as it was 1,000 events ago", ago(1000), 300, 20},
		{"GET machine", always("/v1/projects/x/machine"), 10, 200},
		{"GET overview", always("/v1/overview"), 10, 200},
		{"GET events, the newest 100", always("/v1/events?project=x"), 10, 200},
		{"GET events past an id", func(i int) string { return fmt.Sprintf("/v1/events?project=x&since_id=%d", (i*7919)%b.n(900_000)) }, 10, 200},
		{"GET events of one actor", func(i int) string { return fmt.Sprintf("/v1/events?project=x&by=agent/%d", i%50) }, 10, 200},
		{"GET a bundle", some("/v1/tasks/x-%d"), 10, 200},
		{"GET a task's graph", some("/v1/tasks/x-%d/graph"), 10, 200},
		{"GET subtree of 50", always(fmt.Sprintf("/v1/tasks/x-%d/subtree", b.estate().root())), 10, 200},
		{"GET next", always("/v1/next?project=x"), 10, 200},
		{"GET inbox, more than 1,000 items, 500 of them stalled claims", always("/v1/projects/x/inbox"), 30, 100},
		{"GET estate", always("/v1/estate"), 30, 100},
		{"GET search for a rare word", always("/v1/search?project=x&q=" + rareWord), 10, 200},
		{"GET search for a word of half of all tasks", always("/v1/search?project=x&q=" + commonWord), 500, 10},
		{"GET work", always("/v1/projects/x/work?limit=50"), 50, 60},
		{"GET proof", always("/v1/projects/x/proof"), 50, 60},
		{"GET a project's overview", always("/v1/projects/x/overview"), 50, 60},
		{"GET bottlenecks, the graph unchanged", always("/v1/projects/x/bottlenecks"), 20, 100},
		{"the first page of the project", always("/p/x"), 30, 60},
		{"the page of the graph, the graph unchanged", always("/p/x/graph"), 300, 20},
	}
}

// reads measures every read on a large project against one record, each by one client.
func reads(ctx context.Context, b *bench) (out []*result, err error) {
	s, done, err := b.readable(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	c := dial(s.url, 1)
	defer c.close()
	get := func(path string) ([]byte, error) { return c.call(0, "GET", path, "") }
	exact, err := b.countsAreExact(get)
	if err != nil {
		return nil, err
	}
	tasks := b.estate().tasks
	for _, r := range b.theReads() {
		res := &result{what: r.what, against: "one read", unit: "µs", bound: bound{atMost: r.atMost}}
		if r.atMost == 500 {
			res.failed = exact
		}
		n, m := max(b.n(1000), 200), max(r.n, 5)
		one := func(_, i int) error { _, err := get(fmt.Sprintf("/bench/one/x-%d", 1+(i*64)%tasks)); return err }
		ours := func(_, i int) error { _, err := get(r.path(i)); return err }
		if _, _, err := load(1, 5, ours); err != nil { // warm
			return nil, fmt.Errorf("%s: %w", r.what, err)
		}
		for range b.runs {
			took, theirs, err := b.inTurns(1, n, one, m, ours)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.what, err)
			}
			res.add(took.wall*1e6/float64(m), theirs.wall*1e6/float64(n))
			res.spent(took, m)
		}
		out = append(out, res)
	}
	first, err := b.bottlenecksAnew(ctx)
	if err != nil {
		return nil, err
	}
	return append(out, first), nil
}

// countsAreExact returns what is wrong with the counts of a search, or nothing if they are right.
func (b *bench) countsAreExact(get func(string) ([]byte, error)) (string, error) {
	answer, err := get("/v1/search?project=x&q=" + commonWord)
	if err != nil {
		return "", err
	}
	var found struct {
		Counts map[string]int `json:"counts"`
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		return "", err
	}
	if want := b.estate().tasks / 2; found.Counts["title"] != want {
		return fmt.Sprintf("%d titles are counted, and there are %d.", found.Counts["title"], want), nil
	}
	return "", nil
}

// bottlenecksAnew measures the first count of a server, which has no earlier count to answer with.
func (b *bench) bottlenecksAnew(ctx context.Context) (*result, error) {
	r := &result{what: "GET bottlenecks, the first count of a server", against: "2 s", unit: "ms", bound: bound{atMost: 1}}
	for range b.runs {
		took, err := b.countOnce(ctx)
		if err != nil {
			return nil, err
		}
		r.add(took.wall*1e3, 2000)
		r.spent(took, 1)
	}
	return r, nil
}

func (b *bench) countOnce(ctx context.Context) (took cost, err error) {
	s, done, err := b.readable(ctx)
	if err != nil {
		return cost{}, err
	}
	defer func() { err = errors.Join(err, done()) }()
	c := dial(s.url, 1)
	defer c.close()
	took, _, err = load(1, 1, func(int, int) error {
		_, err := c.call(0, "GET", "/v1/projects/x/bottlenecks", "")
		return err
	})
	return took, err
}

// reader is the person who reads: the configuration of the estate declares her.
var reader = core.Caller{Actor: task.Actor{Name: "ann", Human: true, Declared: true}, How: "bench", Via: task.Via{Face: "http"}}

// readable serves the estate as `tasker serve` does, web view included, with the yardstick behind the same door.
func (b *bench) readable(ctx context.Context) (*server, func() error, error) {
	db, err := b.seedEstate(ctx)
	if err != nil {
		return nil, nil, err
	}
	loaded, err := b.estateConfig()
	if err != nil {
		return nil, nil, err
	}
	a, err := app.Open(app.Options{DB: db, Version: "0.0.0", Config: func() *config.Loaded { return loaded }})
	if err != nil {
		return nil, nil, err
	}
	ln, err := httpapi.Listen(ctx, "127.0.0.1", 0)
	if err != nil {
		return nil, nil, errors.Join(err, a.Close())
	}
	local := op.NewLocal(a.Services.All()...)
	routes := web.Routes(web.Options{
		Ops: local, Now: time.Now, Version: "0.0.0",
	})
	extra := map[string]httpapi.HandlerFunc{"GET /bench/one/{id}": one(a.Services.Store)}
	for pattern, page := range routes {
		extra[pattern] = httpapi.HandlerFunc(page)
	}
	s := httpapi.New(httpapi.Options{
		Ops: local, NewID: rand.Text, Version: "0.0.0", Extra: extra,
		Identity: func() httpapi.Identity { return httpapi.Identity{Caller: reader} },
	})
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
	stop := func() error { cancel(); return errors.Join(<-ended, a.Close()) }
	return &server{url: "http://" + ln.Addr().String(), stop: stop}, stop, nil
}
