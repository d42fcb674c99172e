package httpapi

import (
	"io"
	"math"

	"tasker/internal/fault"
	"tasker/internal/server/memlimit"
)

// What is held for a client is counted before it is held, in bytes: connections with the requests that run on them, and
// apart from those the bodies and answers that are not small. So who fills one of them with what is large leaves small
// requests room. The sizes are measured: see the row "memory" of make bench.
const (
	beside      = 80 << 20 // of the process, and not for clients: the program, the caches of a database
	connCost    = 32 << 10 // a connection: buffers, and the stacks of its goroutines
	requestCost = 64 << 10 // a request that runs: deeper stacks, and what is small of its body and its answer
	streamCost  = 32 << 10 // a stream, besides its connection and what it sends
	small       = 64 << 10 // a body or an answer that is counted with its request
	bodyFactor  = 2        // how many bytes a request takes for each of its body
)

// memory is what clients hold.
type memory struct {
	conns *memlimit.Account // by address
	bytes *memlimit.Account // of bodies and answers, by session, else by address
}

// newMemory shares the memory of a process: three sixteenths for connections and nine for bodies and answers leave room for
// what reads and writes take while they run, and for the collector. No client gets all of either. Of the default memory, one
// client may hold what the largest plan takes.
func newMemory(bytes int64) memory {
	if bytes == 0 {
		return memory{}
	}
	usable := max(bytes-beside, beside/4)
	conns, large := usable/16*3, usable/16*9
	return memory{memlimit.New(conns, conns/4*3), memlimit.New(large, large/8*7)}
}

// Reserve counts bytes that are held for the request, until it is answered: before an answer of that size is begun, by
// whoever makes one. The error is to be answered instead. What is small is counted with the request.
func (w *recorder) Reserve(bytes int64) error {
	if bytes <= small || w.s.memory.bytes == nil {
		return nil
	}
	w.holding.Lock() // a request of the tool protocol may be several calls at once
	defer w.holding.Unlock()
	if w.held != nil {
		return w.held.Grow(bytes)
	}
	held, err := w.s.memory.bytes.Take(w.client(), bytes)
	w.held = held
	return err
}

// client names who a request comes from: its session, else its address.
func (w *recorder) client() string {
	if w.entered != nil {
		return "session " + string(w.entered.Caller.Via.Session)
	}
	return address(w.from).String()
}

// reserveBody counts what a body takes, before it is read. A body that no client could ever hold is too large.
func (w *recorder) reserveBody(bytes int64) error {
	if limit := w.s.memory.largestBody(); bytes > limit {
		return fault.New(fault.TooLarge, "the body is larger than the %d MiB for which this server has memory", limit>>20).
			WithHint("split it into several requests; TASKER_MEMORY gives a server more")
	}
	return w.Reserve(bytes * bodyFactor)
}

// largestBody returns the largest body for which there is memory.
func (m memory) largestBody() int64 {
	if m.bytes == nil {
		return math.MaxInt64
	}
	return m.bytes.Each() / bodyFactor
}

// counted is a body whose length is not known: what it takes is counted piece by piece.
type counted struct {
	io.ReadCloser
	w         *recorder
	known     int64 // what was counted before, where the length is known
	read, has int64 // bytes that were read, and that were counted
}

// Read reads, and fails with Unavailable where there is no room for what was read.
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
