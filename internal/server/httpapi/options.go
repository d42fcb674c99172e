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
	"tasker/internal/task"
	"tasker/internal/telemetry"
	"tasker/internal/views/reading"
)

// Options configures a server. Ops, Identity and NewID are required.
type Options struct {
	Ops      op.Caller
	Identity func() Identity
	NewID    func() string // generates request ids

	Feed         Feed                              // serves /v1/events/stream; nil: there is no such route
	Token        string                            // empty: local mode
	Sessions     Sessions                          // nil: nobody has one, and none is required
	Hosts        []string                          // names that clients may address us by, besides addresses and localhost
	Ready        []Check                           // checks of /readyz
	Log          *slog.Logger                      // nil: nothing is logged
	Version      string                            // of the binary, for the OpenAPI document
	PlanSchema   func() ([]byte, error)            // serves /v1/plan.schema.json
	ConfigSchema func() ([]byte, error)            // serves /v1/config.schema.json
	Extra        map[string]HandlerFunc            // more routes behind the same door, by mux pattern
	Lost         HandlerFunc                       // answers a browser's request that no route takes, outside /v1; nil: like any other client's
	Beats        func() (<-chan time.Time, func()) // when a stream sends a heartbeat, and how to stop it; nil: every 15 s
	Rechecks     func() (<-chan time.Time, func()) // when a stream checks whether its session is still valid; nil: every second
	Now          func() time.Time                  // the clock for limiting wrong credentials; nil: the system's
	Drain        time.Duration                     // how long Serve waits for running requests; 0: 6 s
	Hook         *Hook                             // the webhook of a code host; nil: none
	Metrics      *telemetry.Metrics                // counts requests, and serves /metrics; nil: nothing is counted
	Traces       *telemetry.Tracer                 // records a span for every request; nil: none
	Memory       int64                             // bytes that the process may use; 0: no limit
	Patience     time.Duration                     // how long a client may take to read a piece of an answer, or to send more of a body; 0: 30 s
}

// Identity is what the configuration says now about who may send requests, whatever they say: a request never names its
// actor.
type Identity struct {
	Closed bool        // every request must present a session
	Caller core.Caller // who acts for requests without a session: the process itself
	Err    error       // why nobody does
}

// Feed is where streams get their events from.
type Feed interface {
	// Newest returns the id of the newest event.
	Newest(ctx context.Context) (int64, error)
	// Follow passes every event after from to send, in order, until ctx ends or send fails.
	Follow(ctx context.Context, in reading.EventsIn, from int64, send func([]task.Event) error) error
}

// Check is one condition for the server to be ready.
type Check struct {
	Name string
	Do   func(context.Context) error
	Told bool // a failure is only reported as a warning: requests are still carried out
}

// HandlerFunc is a route that is not an operation. It answers with Answer or by itself; an error that it returns is
// answered in the one format, unless it has already begun to answer.
type HandlerFunc func(http.ResponseWriter, *http.Request) error

// Server is the HTTP face. It is an http.Handler.
type Server struct {
	opts     Options
	door     door
	mux      *http.ServeMux
	routes   []string
	openapi  func() ([]byte, error)
	guesses  guesses
	lookups  chan struct{} // a token for each credential lookup for addresses that guess
	streams  atomic.Int64
	stopping atomic.Bool
	outages  outages
	meter    meter
	memory   memory
	decoding chan struct{} // a token for each large body being decoded
	ending   chan struct{} // closed when streams must end
	end      func()
}

// New returns a server.
func New(opts Options) *Server {
	if opts.Beats == nil {
		opts.Beats = ticking(15 * time.Second)
	}
	if opts.Rechecks == nil {
		opts.Rechecks = ticking(time.Second)
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
