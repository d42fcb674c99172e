// Package memlimit counts the memory that a server holds for its clients: connections, bodies on their way in, answers on
// their way out. An Account has a limit for all of them and one for each client, and refuses what would exceed either, so
// that clients who hold much are refused before others are. It knows no time and no connections.
package memlimit

import (
	"sync"
	"sync/atomic"

	"tasker/internal/fault"
)

// Account is the bytes that are held. A nil Account refuses nothing.
type Account struct {
	all, each int64
	used      atomic.Int64

	mu      sync.Mutex
	clients map[string]*client // those that hold something
}

// client is what one client holds, in how many holds.
type client struct {
	used  atomic.Int64
	holds int // under the account's lock
}

// New returns an account of all bytes, of which one client may hold up to each.
func New(all, each int64) *Account {
	return &Account{all: all, each: min(all, each), clients: map[string]*client{}}
}

// Each returns how many bytes one client may hold; what is larger is refused however little is held.
func (a *Account) Each() int64 { return a.each }

// Used returns how many bytes are held.
func (a *Account) Used() int64 { return a.used.Load() }

// Hold is bytes that are held for a client until they are released. A nil Hold holds nothing and refuses nothing.
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

// Grow holds more bytes, or as many as before where it is refused.
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

// Shrink gives bytes back.
func (h *Hold) Shrink(bytes int64) {
	if h == nil {
		return
	}
	h.bytes.Add(-bytes)
	h.by.used.Add(-bytes)
	h.of.used.Add(-bytes)
}

// Release gives back all that is held. The hold is of no use afterwards.
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
