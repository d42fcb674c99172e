package httpapi

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// shapedConn is a connection that answers in our format, and whose client must keep reading.
type shapedConn struct {
	*net.TCPConn
	patience time.Duration // how long the client may take to read a piece of an answer; 0: for ever
	hold     *memoryHold
	closed   atomic.Bool
}

// Close closes the connection, and releases its memory.
func (c *shapedConn) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.hold.Release()
	}
	return c.TCPConn.Close()
}

// Write writes p, or our answer instead of a refusal by net/http itself, which is always a single Write and the last.
func (c *shapedConn) Write(p []byte) (int, error) {
	status, why, own := plainRefusal(p)
	if !own {
		return c.send(p)
	}
	if _, err := c.TCPConn.Write(inShape(status, why)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// ReadFrom sends a file piece by piece.
func (c *shapedConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{c}, r) }

// pieceBytes is how much a client must read within its patience: 1 KiB a second.
const pieceBytes = 32 << 10

// send writes p piece by piece. A client that does not read a piece in time is cut off: its memory would otherwise be held
// for ever.
func (c *shapedConn) send(p []byte) (n int, err error) {
	for {
		if c.patience > 0 {
			_ = c.SetWriteDeadline(time.Now().Add(c.patience)) // if this fails, so does the write
		}
		wrote, err := c.TCPConn.Write(p[n:min(len(p), n+pieceBytes)])
		if n += wrote; err != nil || n == len(p) {
			return n, err
		}
	}
}

// A client that sends a large body often reads the answer only after the last byte. If a request is refused before its body
// is read, closing the connection would discard the answer: the client would see a broken pipe and never learn why. So the
// rest of the body is read and thrown away, up to a limit.
const (
	lingerBytes = 128 << 20 // twice the largest body that a route takes
	lingerTime  = 10 * time.Second
)

// linger keeps reading after a refusal, so that the client gets to read the answer.
func (s *Server) linger(w *recorder, r *http.Request, body io.Reader) {
	if w.status < http.StatusBadRequest || r.ContentLength == 0 || s.stopping.Load() || len(r.Header["Expect"]) > 0 {
		return // nothing is left, or the client asked before sending and has its answer
	}
	c := http.NewResponseController(w)
	if c.Flush() != nil || c.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(body, lingerBytes)) // it ended, the client is gone, or it is too much
}
