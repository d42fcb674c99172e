package httpapi

import (
	"io"
	"net"
	"sync/atomic"
	"time"

	"tasker/internal/server/memlimit"
)

// shapedConn is a connection that answers in our shape, and whose client has to read.
type shapedConn struct {
	*net.TCPConn
	patience time.Duration // how long the client may take for a piece of an answer; 0: for ever
	hold     *memlimit.Hold
	closed   atomic.Bool
}

// Close closes the connection, and gives back what was held for it.
func (c *shapedConn) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.hold.Release()
	}
	return c.TCPConn.Close()
}

// Write writes p, or our answer in place of a refusal of net/http's own, which is always one Write and the last.
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

// ReadFrom sends a file, piece by piece.
func (c *shapedConn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{c}, r) }

// pieceBytes is how much a client that reads takes within the patience with it, however slow it is: 1 KiB a second.
const pieceBytes = 32 << 10

// send writes p piece by piece. A client that does not take one in time does not read, and is cut off: what is held for it
// would be held for ever.
func (c *shapedConn) send(p []byte) (n int, err error) {
	for {
		if c.patience > 0 {
			_ = c.SetWriteDeadline(time.Now().Add(c.patience)) // where that fails, so does the write
		}
		wrote, err := c.TCPConn.Write(p[n:min(len(p), n+pieceBytes)])
		if n += wrote; err != nil || n == len(p) {
			return n, err
		}
	}
}
