package picture

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
)

// A picture of many tasks takes a while to compute, and many readers look at the same one. So it is computed once for
// everyone who asks at the same moment, and cached until something changes. A request that waits for a picture holds no
// snapshot, and only a few pictures are computed at once, so other reads and writes do not wait for them.

// shared computes pictures of one kind.
type shared[T any] struct {
	gate chan struct{} // a token for each picture being computed, of any kind

	mu     sync.Mutex
	flying map[flight]*under[T]
	cached map[string]kept[T]
}

// moment is the state that a picture shows: the newest event of a generation of the database. Leases lapse and tasks
// become overdue without an event, so the time counts too.
type moment struct {
	generation int64
	event      int64
	now        task.Time
	until      task.Time // when the next lease ends; zero: no lease does
}

// flight identifies a picture being computed. A request that has seen a later event needs another one.
type flight struct {
	key        string
	generation int64
	event      int64
}

// under is a picture being computed.
type under[T any] struct {
	done chan struct{} // closed at the end
	out  T
	of   moment
	err  error
}

type kept[T any] struct {
	of  moment
	out T
}

const (
	maxPictures = 16        // cached pictures of one kind; the cache is emptied when full
	pictureAge  = 2_000_000 // how long one is served although tasks may have become overdue, in microseconds
)

// errLeft says that the request that was to compute a picture for others ended before it began.
var errLeft = errors.New("the request ended before its picture was begun")

// newGate makes the gate that all kinds share; it leaves half of the processors to others.
func newGate() chan struct{} { return make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)) }

func newShared[T any](gate chan struct{}) shared[T] {
	return shared[T]{gate: gate, flying: map[flight]*under[T]{}, cached: map[string]kept[T]{}}
}

// of returns the picture of a key at a moment, or at a later one. compute makes it and returns the moment that it shows.
func (k *shared[T]) of(ctx context.Context, key string, at moment, compute func(context.Context) (T, moment, error)) (T, error) {
	for {
		k.mu.Lock()
		if c, ok := k.cached[key]; ok && c.of.serves(at) {
			k.mu.Unlock()
			return c.out, nil
		}
		name := flight{key, at.generation, at.event}
		f, under := k.flying[name]
		if !under {
			f = k.begin(name)
		}
		k.mu.Unlock()
		if !under {
			return k.fly(ctx, name, f, compute)
		}
		select {
		case <-f.done:
			if !errors.Is(f.err, errLeft) && (f.err != nil || f.of.serves(at)) {
				return f.out, f.err
			}
		case <-ctx.Done():
			var none T
			return none, gone(ctx)
		}
	}
}

// serves reports whether a picture of moment m answers a request at the given moment.
func (m moment) serves(at moment) bool {
	if m.generation != at.generation || m.event < at.event {
		return false
	}
	return at.now <= m.now || m.event == at.event && at.now < m.now+pictureAge && (m.until == 0 || at.now < m.until)
}

func (k *shared[T]) begin(name flight) *under[T] {
	f := &under[T]{done: make(chan struct{}), err: errLeft}
	k.flying[name] = f
	return f
}

// fly computes a picture for everyone who waits for it. Once begun it is finished, even if the caller leaves.
func (k *shared[T]) fly(ctx context.Context, name flight, f *under[T], compute func(context.Context) (T, moment, error)) (T, error) {
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.flying, name)
		close(f.done)
	}()
	select {
	case k.gate <- struct{}{}:
		defer func() { <-k.gate }()
	case <-ctx.Done():
		return f.out, gone(ctx)
	}
	out, of, err := compute(context.WithoutCancel(ctx))
	f.out, f.of, f.err = out, of, err
	if err == nil {
		k.keep(name.key, of, out)
	}
	return out, err
}

func (k *shared[T]) keep(key string, of moment, out T) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.cached) >= maxPictures {
		clear(k.cached)
	}
	k.cached[key] = kept[T]{of, out}
}

func gone(ctx context.Context) error {
	return fault.Unready("the request ended before its picture was computed").WithCause(ctx.Err())
}

// momentOf returns the moment of a snapshot.
func momentOf(tx store.View) moment {
	return moment{generation: tx.Generation(), event: tx.LastEvent(), now: tx.Now()}
}

// untilOf returns the moment of a snapshot in which a picture of a project is computed, including when its next lease
// ends.
func untilOf(tx *store.Tx, project string) (m moment, err error) {
	m = momentOf(tx)
	m.until, err = tx.NextExpiry(project)
	return m, err
}

// eventOf returns the part of a key that names the event as of which a picture is requested.
func eventOf(at *int64) string {
	if at == nil {
		return "now"
	}
	return strconv.FormatInt(*at, 10)
}

// asks returns the part of a key that depends on the caller: what the caller may reach, and what orders a lane for it.
func asks(ctx context.Context, sc core.Scene) string {
	p := sc.Policy
	return fmt.Sprintf("%q %+v %v %q %q %q", core.CallerOf(ctx).Scope.Projects, sc.Actor, p.Selection, p.DefaultAutonomy, p.PreferredActor, p.MayExecute)
}
