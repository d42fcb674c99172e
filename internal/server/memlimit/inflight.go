// Package memlimit counts the memory that a server holds for its clients: connections, incoming bodies and outgoing
// answers. An Account has a limit for all clients and one for each, and refuses what would exceed either, so that clients
// that hold much are refused before others are. It does not know about time or connections.
package memlimit

import (
	"sync"
	"sync/atomic"

	"tasker/internal/fault"
)

// Account counts the bytes held. A nil Account refuses nothing.
type Account struct {
	all, each int64
	used      atomic.Int64

	mu      sync.Mutex
	clients map[string]*client // clients that hold something
}

// client is what one client holds, and in how many holds.
type client struct {
	used  atomic.Int64
	holds int // guarded by the account's lock
}

// New returns an account of all bytes in total, and at most each per client.
func New(all, each int64) *Account {
	return &Account{all: all, each: min(all, each), clients: map[string]*client{}}
}

// Each returns how many bytes one client may hold; a larger request is refused even if nothing is held.
func (a *Account) Each() int64 { return a.each }

// Used returns how many bytes are held.
func (a *Account) Used() int64 { return a.used.Load() }

// Hold is bytes held for a client until they are released. A nil Hold holds nothing and refuses nothing.
type Hold struct {
	of    *Account
	name  string
	by    *client
	bytes atomic.Int64
}

// Take holds bytes for a client. The error is Unavailable.
func (a *Account) Take(name string, bytes int64) (*Hold, error) {
	if a == nil {
		return nil, nil
	}
	a.mu.Lock()
	by := a.clients[name]
	if by == nil {
		by = &client{}
		a.clients[name] = by
	}
	by.holds++
	a.mu.Unlock()
	h := &Hold{of: a, name: name, by: by}
	if err := h.Grow(bytes); err != nil {
		h.Release()
		return nil, err
	}
	return h, nil
}

// Grow holds more bytes; if it is refused, the hold stays as it was.
func (h *Hold) Grow(bytes int64) error {
	if h == nil {
		return nil
	}
	if h.by.used.Add(bytes) > h.of.each {
		h.by.used.Add(-bytes)
		return fault.Unready("this client has as many bytes under way as one client may: %d MiB", h.of.each>>20).
			WithHint("read the answers that are under way and let its other requests end, then send it again; TASKER_MEMORY gives a server more")
	}
	if h.of.used.Add(bytes) > h.of.all {
		h.of.used.Add(-bytes)
		h.by.used.Add(-bytes)
		return fault.Unready("the server has no room for this: %d of %d MiB are under way", h.of.Used()>>20, h.of.all>>20).
			WithHint("send it again in a moment; TASKER_MEMORY gives a server more")
	}
	h.bytes.Add(bytes)
	return nil
}

// Shrink releases some of the bytes.
func (h *Hold) Shrink(bytes int64) {
	if h == nil {
		return
	}
	h.bytes.Add(-bytes)
	h.by.used.Add(-bytes)
	h.of.used.Add(-bytes)
}

// Release releases all bytes. The hold must not be used afterwards.
func (h *Hold) Release() {
	if h == nil {
		return
	}
	h.Shrink(h.bytes.Load())
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	if h.by.holds--; h.by.holds == 0 {
		delete(h.of.clients, h.name)
	}
}
