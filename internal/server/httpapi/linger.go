package httpapi

import (
	"io"
	"net/http"
	"time"
)

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
