package httpapi

import (
	"io"
	"math"
	"sync"
	"sync/atomic"

	"tasker/internal/fault"
)

// Memory held for a client is counted before it is held, in bytes: connections with their running requests, and separately
// the bodies and answers that are not small. So a client that fills one account with large data leaves room for small
// requests. The sizes are measured: see the row "memory" of make bench.
const (
	itself      = 80 << 20 // not for clients: the program itself, and database caches
	connCost    = 32 << 10 // a connection: buffers, and the stacks of its goroutines
	requestCost = 64 << 10 // a running request: deeper stacks, and its body and answer if they are small
	streamCost  = 32 << 10 // a stream, besides its connection and what it sends
	small       = 64 << 10 // a body or an answer up to this size is counted with its request
	bodyFactor  = 2        // bytes that a request takes per byte of its body
)

// memory counts what clients hold.
type memory struct {
	conns *memoryAccount // by address
	bytes *memoryAccount // of bodies and answers, by session, or else by address
}

// newMemory divides the memory of a process: three sixteenths for connections and nine for bodies and answers, which leaves
// room for running reads and writes, and for the collector. No client can use all of either. With the default memory, one
// client may hold the largest plan.
func newMemory(bytes int64) memory {
	if bytes == 0 {
		return memory{}
	}
	usable := max(bytes-itself, itself/4)
	conns, large := usable/16*3, usable/16*9
	return memory{newMemoryAccount(conns, conns/4*3), newMemoryAccount(large, large/8*7)}
}

// Reserve counts bytes that the request holds until it is answered. Call it before an answer of that size is begun; if it
// fails, answer with its error instead. Small amounts are counted with the request.
func (w *recorder) Reserve(bytes int64) error {
	if bytes <= small || w.s.memory.bytes == nil {
		return nil
	}
	w.holding.Lock() // a request of the tool protocol may run several calls at once
	defer w.holding.Unlock()
	if w.held != nil {
		return w.held.Grow(bytes)
	}
	held, err := w.s.memory.bytes.Take(w.client(), bytes)
	w.held = held
	return err
}

// client names where a request comes from: its session, or else its address.
func (w *recorder) client() string {
	if w.entered != nil {
		return "session " + string(w.entered.Caller.Via.Session)
	}
	return address(w.from).String()
}

// reserveBody counts the memory for a body before it is read. It refuses as too large a body that no client could ever
// hold.
func (w *recorder) reserveBody(bytes int64) error {
	if limit := w.s.memory.largestBody(); bytes > limit {
		return fault.New(fault.TooLarge, "the body is larger than the %d MiB for which this server has memory", limit>>20).
			WithHint("split it into several requests; TASKER_MEMORY gives a server more")
	}
	return w.Reserve(bytes * bodyFactor)
}

// largestBody returns the largest body that there can be memory for.
func (m memory) largestBody() int64 {
	if m.bytes == nil {
		return math.MaxInt64
	}
	return m.bytes.Each() / bodyFactor
}

// counted is a body of unknown length: its memory is counted piece by piece.
type counted struct {
	io.ReadCloser
	w         *recorder
	known     int64 // counted before, if the length is known
	read, has int64 // bytes read, and bytes counted
}

// Read reads, and fails with Unavailable if there is no memory for what was read.
func (b *counted) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.known >= 0 {
		return n, err
	}
	if b.read += int64(n); b.read > b.has {
		piece := max(2*b.has, 2*small) - b.has
		if err := b.w.reserveBody(piece); err != nil {
			return n, err
		}
		b.has += piece
	}
	return n, err
}

// memoryAccount counts the bytes that a server holds for its clients. It has a limit for all clients and one for each, and
// refuses what would exceed either, so that clients that hold much are refused before others are. A nil account refuses
// nothing.
type memoryAccount struct {
	all, each int64
	used      atomic.Int64

	mu      sync.Mutex
	clients map[string]*memoryClient // clients that hold something
}

// memoryClient is what one client holds, and in how many holds.
type memoryClient struct {
	used  atomic.Int64
	holds int // guarded by the account's lock
}

// newMemoryAccount returns an account of all bytes in total, and at most each per client.
func newMemoryAccount(all, each int64) *memoryAccount {
	return &memoryAccount{all: all, each: min(all, each), clients: map[string]*memoryClient{}}
}

// Each returns how many bytes one client may hold; a larger request is refused even if nothing is held.
func (a *memoryAccount) Each() int64 { return a.each }

// Used returns how many bytes are held.
func (a *memoryAccount) Used() int64 {
	if a == nil {
		return 0
	}
	return a.used.Load()
}

// memoryHold is bytes held for a client until they are released. A nil hold holds nothing and refuses nothing.
type memoryHold struct {
	of    *memoryAccount
	name  string
	by    *memoryClient
	bytes atomic.Int64
}

// Take holds bytes for a client. The error is Unavailable.
func (a *memoryAccount) Take(name string, bytes int64) (*memoryHold, error) {
	if a == nil {
		return nil, nil
	}
	a.mu.Lock()
	by := a.clients[name]
	if by == nil {
		by = &memoryClient{}
		a.clients[name] = by
	}
	by.holds++
	a.mu.Unlock()
	h := &memoryHold{of: a, name: name, by: by}
	if err := h.Grow(bytes); err != nil {
		h.Release()
		return nil, err
	}
	return h, nil
}

// Grow holds more bytes; if it is refused, the hold stays as it was.
func (h *memoryHold) Grow(bytes int64) error {
	if h == nil {
		return nil
	}
	if h.by.used.Add(bytes) > h.of.each {
		h.by.used.Add(-bytes)
		return fault.Unready("too many bytes are in flight for one client: it may have %d MiB", h.of.each>>20).
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
func (h *memoryHold) Shrink(bytes int64) {
	if h == nil {
		return
	}
	h.bytes.Add(-bytes)
	h.by.used.Add(-bytes)
	h.of.used.Add(-bytes)
}

// Release releases all bytes. The hold must not be used afterwards.
func (h *memoryHold) Release() {
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
