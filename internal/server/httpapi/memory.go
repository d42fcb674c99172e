package httpapi

import (
	"io"
	"math"

	"tasker/internal/fault"
	"tasker/internal/server/memlimit"
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
	conns *memlimit.Account // by address
	bytes *memlimit.Account // of bodies and answers, by session, or else by address
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
	return memory{memlimit.New(conns, conns/4*3), memlimit.New(large, large/8*7)}
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
