package picture

import (
	"context"
	"fmt"
	"runtime"
	"strconv"

	"tasker/internal/core"
	"tasker/internal/core/cache"
	"tasker/internal/fault"
	"tasker/internal/store"
)

// A picture of many tasks takes a while to compute, and many readers look at the same one. So it is computed once for
// everyone who asks at the same moment, and cached until something changes. A request that waits for a picture holds no
// snapshot, and only a few pictures are computed at once, so other reads and writes do not wait for them.

// shared has the pictures of one kind.
type shared[T any] = cache.Shared[string, seen, drawnAt[T]]

// seen is the state that a request sees. One that has seen a later event needs another picture.
type seen struct{ generation, event int64 }

// drawnAt is a picture and the moment that it shows.
type drawnAt[T any] struct {
	of  cache.Moment
	out T
}

// maxPictures is how many pictures of one kind are cached.
const maxPictures = 16

// newGate makes the gate that all kinds share; it leaves half of the processors to others.
func newGate() chan struct{} { return make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)) }

func newShared[T any](gate chan struct{}) *shared[T] {
	s := &shared[T]{Gate: gate, Gone: gone}
	s.Max = maxPictures
	return s
}

// sharedAt returns the picture of a key at a moment, or at a later one. compute makes it and returns the moment that it
// shows.
func sharedAt[T any](ctx context.Context, k *shared[T], key string, at cache.Moment, compute func(context.Context) (T, cache.Moment, error)) (T, error) {
	fresh := func(d drawnAt[T]) bool { return d.of.Serves(at) }
	d, err := k.Of(ctx, key, seen{at.Generation, at.Event}, fresh, func(ctx context.Context) (drawnAt[T], error) {
		out, of, err := compute(ctx)
		return drawnAt[T]{of, out}, err
	})
	return d.out, err
}

func gone(ctx context.Context) error {
	return fault.Unready("the request ended before its picture was computed").WithCause(ctx.Err())
}

// momentOf returns the moment of a snapshot.
func momentOf(tx store.View) cache.Moment {
	return cache.Moment{Generation: tx.Generation(), Event: tx.LastEvent(), Now: tx.Now()}
}

// untilOf returns the moment of a snapshot in which a picture of a project is computed, including when its next lease
// ends.
func untilOf(tx *store.Tx, project string) (m cache.Moment, err error) {
	m = momentOf(tx)
	m.Until, err = tx.NextExpiry(project)
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
