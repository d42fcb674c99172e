// Package cache keeps what reads have computed for as long as it is valid as an answer, and computes it once for everyone
// who asks at the same moment.
package cache

import (
	"context"
	"errors"
	"sync"
)

// Cache holds up to Max values; it is emptied when it is full.
type Cache[K comparable, V any] struct {
	Max int

	mu     sync.Mutex
	values map[K]V
}

// Get returns the value of a key, if there is one.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[key]
	return v, ok
}

// Of returns the value of a key if it is fresh, and otherwise computes and caches it. Several callers may compute it at
// the same time.
func (c *Cache[K, V]) Of(key K, fresh func(V) bool, compute func() (V, error)) (V, error) {
	if v, ok := c.Get(key); ok && fresh(v) {
		return v, nil
	}
	v, err := compute()
	if err == nil {
		c.put(key, v)
	}
	return v, err
}

func (c *Cache[K, V]) put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil || len(c.values) >= c.Max {
		c.values = map[K]V{}
	}
	c.values[key] = v
}

// Shared is a cache whose values are computed once for everyone who asks at the same moment. A caller that waits holds
// nothing that others need, and only a few values are computed at once.
type Shared[K, S comparable, V any] struct {
	Cache[K, V]
	Gate chan struct{} // has room for a token for each value being computed; several caches may share it
	// Gone returns the error for a caller whose context has ended while it waited; its cause is the context's.
	Gone func(context.Context) error

	flying map[flight[K, S]]*under[V] // guarded by the cache's lock
}

// flight identifies a value being computed.
type flight[K, S comparable] struct {
	key   K
	state S
}

// under is a value being computed.
type under[V any] struct {
	done chan struct{} // closed at the end
	out  V
	err  error
}

// Of returns the value of a key if it is fresh, and otherwise has it computed, or waits while another caller that sees the
// same state computes it. The context of compute does not end with ctx.
func (c *Shared[K, S, V]) Of(ctx context.Context, key K, state S, fresh func(V) bool, compute func(context.Context) (V, error)) (V, error) {
	name := flight[K, S]{key, state}
	for {
		c.mu.Lock()
		if v, ok := c.values[key]; ok && fresh(v) {
			c.mu.Unlock()
			return v, nil
		}
		f, others := c.flying[name]
		if !others {
			f = c.begin(name)
		}
		c.mu.Unlock()
		if !others {
			return c.fly(ctx, name, f, compute)
		}
		select {
		case <-f.done:
			left := errors.Is(f.err, context.Canceled) || errors.Is(f.err, context.DeadlineExceeded) // the one computing it
			if !left && (f.err != nil || fresh(f.out)) {
				return f.out, f.err
			}
		case <-ctx.Done():
			var none V
			return none, c.Gone(ctx)
		}
	}
}

func (c *Shared[K, S, V]) begin(name flight[K, S]) *under[V] {
	if c.flying == nil {
		c.flying = map[flight[K, S]]*under[V]{}
	}
	f := &under[V]{done: make(chan struct{}), err: context.Canceled}
	c.flying[name] = f
	return f
}

// fly computes a value for everyone who waits for it.
func (c *Shared[K, S, V]) fly(ctx context.Context, name flight[K, S], f *under[V], compute func(context.Context) (V, error)) (V, error) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.flying, name)
		close(f.done)
	}()
	select {
	case c.Gate <- struct{}{}:
		defer func() { <-c.Gate }()
	case <-ctx.Done():
		return f.out, c.Gone(ctx)
	}
	f.out, f.err = compute(context.WithoutCancel(ctx))
	if f.err == nil {
		c.put(name.key, f.out)
	}
	return f.out, f.err
}
