package httpapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
	"tasker/internal/telemetry/metrics"
	"tasker/internal/telemetry/traces"
)

// Options is what a server is made of. Ops, Identity and NewID are required.
type Options struct {
	Ops      op.Caller
	Identity Identity
	NewID    func() string // makes request ids

	Feed         Feed                              // behind /v1/events/stream; without it there is no such route
	Token        string                            // empty: local mode
	Sessions     Sessions                          // nil: no session is ever asked for
	Hosts        []string                          // names, besides addresses and localhost, under which we may be asked
	Ready        []Check                           // what /readyz looks at
	Log          *slog.Logger                      // nil: nothing is logged
	Version      string                            // of the binary, for the OpenAPI document
	PlanSchema   func() ([]byte, error)            // behind /v1/plan.schema.json
	ConfigSchema func() ([]byte, error)            // behind /v1/config.schema.json
	Extra        map[string]HandlerFunc            // more routes behind the same door, by mux pattern
	Lost         HandlerFunc                       // answers a browser that asks for what no route takes, outside /v1; nil: as all others
	Beats        func() (<-chan time.Time, func()) // when a stream beats, and how to stop it; nil: every 15 s
	Rechecks     func() (<-chan time.Time, func()) // when a stream asks whether its session is still good; nil: every second
	Now          func() time.Time                  // the clock of the limit on wrong credentials; nil: the system's
	Drain        time.Duration                     // how long Serve waits for requests under way; 0: 6 s
	Hook         *Hook                             // what a code host may ask for; nil: nothing
	Metrics      *metrics.Set                      // counts requests, and is behind /metrics; nil: nothing is counted
	Traces       *traces.Tracer                    // gets a span of every request; nil: none
	Memory       int64                             // bytes that the process may use; 0: as many as it likes
	Patience     time.Duration                     // how long a client may take to read a piece of an answer, or to send more of a body; 0: 30 s
}

// Identity says on whose behalf a request acts that needs no session. That is the process' own identity, whatever the
// request; a request never names its actor.
type Identity func(*http.Request) (core.Caller, error)

// Feed is where streams get their events from.
type Feed interface {
	// Newest is the id of the newest event.
	Newest(ctx context.Context) (int64, error)
	// Follow hands every event past from to send, in order, until ctx ends or send fails.
	Follow(ctx context.Context, in reading.EventsIn, from int64, send func([]task.Event) error) error
}

// Check is one thing that must be well before the server is ready.
type Check struct {
	Name string
	Do   func(context.Context) error
	Told bool // requests are carried out all the same: what is wrong is told, and does not make the server unready
}

// HandlerFunc is a route that is no operation. It answers with Answer or by itself; an error that it returns is
// answered in the one shape, unless it has begun to answer.
type HandlerFunc func(http.ResponseWriter, *http.Request) error

// Server is the HTTP face. It is an http.Handler.
type Server struct {
	opts     Options
	door     door
	mux      *http.ServeMux
	routes   []string
	openapi  func() ([]byte, error)
	guesses  guesses
	lookups  chan struct{} // a token for each credential that is looked up for an address that guesses
	streams  atomic.Int64
	stopping atomic.Bool
	outages  outages
	meter    meter
	memory   memory
	decoding chan struct{} // a token for each large body that is being decoded
	ending   chan struct{} // closed when streams must end
	end      func()
}

// New makes a server.
func New(opts Options) *Server {
	if opts.Beats == nil {
		opts.Beats = everyFifteenSeconds
	}
	if opts.Rechecks == nil {
		opts.Rechecks = everySecond
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Drain, opts.Patience = cmp.Or(opts.Drain, 6*time.Second), cmp.Or(opts.Patience, 30*time.Second)
	s := &Server{
		opts:     opts,
		memory:   newMemory(opts.Memory),
		decoding: make(chan struct{}, runtime.GOMAXPROCS(0)),
		guesses:  guesses{now: opts.Now},
		lookups:  make(chan struct{}, maxLookups),
		door:     newDoor(opts.Token, opts.Hosts),
		ending:   make(chan struct{}),
	}
	s.end = sync.OnceFunc(func() { close(s.ending) })
	s.openapi = sync.OnceValues(func() ([]byte, error) { return op.OpenAPI(opts.Version) })
	if opts.Metrics != nil {
		s.measure(opts.Metrics)
	}
	s.mount()
	return s
}
