package httpapi

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/text/words"
)

// Headers of every answer. All answers share the slices, and nothing writes to them.
var (
	typeJSON  = []string{"application/json"}
	typeText  = []string{"text/plain; charset=utf-8"}
	noStore   = []string{"no-store"}
	noSniff   = []string{"nosniff"}
	askBearer = []string{`Bearer realm="tasker"`}
	soon      = []string{"1"}

	byEncoding = []string{"Accept-Encoding"}
)

// answerBuffers is an optimisation: an answer is written into a buffer that has already grown to the size of answers.
// Without it, "GET ready" and "GET board" of make bench take 42 to 48 % more processor time, and "POST /next" allocates 7 %
// more. To remove it, make a buffer in Answer.
var answerBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// maxPooled is the largest buffer that is returned to the pool.
const maxPooled = 256 << 10

// routes is the language of answers: calls are written as requests.
var routes = wire.Speaks(op.AsRoute, op.AsRoute)

// languageOf returns the language that a request wants: in parts for a client that writes calls in its own language.
func languageOf(r *http.Request) wire.Language {
	if r.Header.Get(wire.HintsHeader) != "" {
		return wire.Language{}
	}
	return routes
}

// Answer writes v as JSON.
func Answer(w http.ResponseWriter, status int, v any) error {
	return answerIn(w, status, v, routes, core.News{})
}

// answerIn writes v as JSON in a language, with the news for its caller. It is the only function that does.
func answerIn(w http.ResponseWriter, status int, v any, in wire.Language, news core.News) error {
	buf := answerBuffers.Get().(*bytes.Buffer)
	buf.Reset()
	err := wire.WriteWith(buf, v, in, news)
	if counter, ok := w.(*recorder); ok && err == nil && !counter.made {
		err = counter.Reserve(int64(buf.Len()))
	}
	if err == nil {
		send(w, status, typeJSON, buf.Bytes())
	}
	if buf.Cap() <= maxPooled {
		answerBuffers.Put(buf)
	}
	return err
}

// answerOf writes the answer of an operation: text as it is, anything else as JSON.
func answerOf(w http.ResponseWriter, r *http.Request, status int, reply op.Reply) error {
	if text, ok := reply.Out.(wire.Text); ok {
		send(w, status, typeText, []byte(text))
		return nil
	}
	return answerIn(w, status, reply.Out, languageOf(r), reply.News)
}

// send writes a whole answer, compressed if the client accepts that and it is worthwhile. It ignores write errors: they
// mean that the client is gone.
func send(w http.ResponseWriter, status int, contentType []string, body []byte) {
	h := w.Header()
	if to, ok := w.(*recorder); ok && len(body) >= wire.PackFrom {
		h["Vary"] = byEncoding
		if to.takes != wire.None && wire.WorthPacking(len(body), to.from) {
			h["Content-Encoding"] = []string{string(to.takes)}
			body = wire.Pack(to.takes, body)
		}
	}
	h["Content-Type"] = contentType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// fail answers an error; no other function does. The text of an unexpected error may contain anything, so it goes to the
// log, and the answer has the request id to find it there.
func (s *Server) fail(w *recorder, r *http.Request, err error) {
	e := fault.Of(err)
	shown := e
	switch e.Kind {
	case fault.Internal:
		s.log(r, slog.LevelError, "unexpected error", slog.String("requestId", w.id), slog.String("path", r.URL.Path), slog.Any("error", whole{e}))
		shown = fault.New(fault.Internal, "something unexpected happened").WithHint("the server's log has it under request %s", w.id)
	case fault.Unauthorized:
		w.Header()["Www-Authenticate"] = askBearer
	case fault.Unavailable:
		w.Header()["Retry-After"] = soon
		if s.outages.news(e.Message, s.opts.Now()) {
			s.log(r, slog.LevelWarn, "not available", slog.String("requestId", w.id), slog.String("path", r.URL.Path), slog.Any("error", whole{e}))
		}
	default: // the message is enough
	}
	if err := Answer(w, e.Kind.Status(), failureOf(r, shown)); err != nil { // a Failure can always be written
		s.log(r, slog.LevelError, "error could not be answered", slog.Any("error", err))
	}
}

// unread logs why a part of the answer to a write could not be read. The client gets the rest, with a warning.
func (s *Server) unread(w *recorder, r *http.Request, why error) {
	e := fault.Of(why)
	if e.Kind != fault.Unavailable || s.outages.news(e.Message, s.opts.Now()) {
		s.log(r, slog.LevelWarn, "the answer to a write is incomplete", slog.String("requestId", w.id), slog.String("path", r.URL.Path), slog.Any("error", whole{e}))
	}
}

// failureOf returns an error for the client of a request: in the language of routes, and in parts for a client that shows
// hints in its own.
func failureOf(r *http.Request, e *fault.Error) any {
	f := wire.FailureOf(e, op.AsRoute)
	if r.Header.Get(wire.HintsHeader) == "" {
		return f.Told()
	}
	return wire.Parted{Failure: f, Parts: e.HintParts()}.Told()
}

// whole is an error with its causes, for logs.
type whole struct{ *fault.Error }

// LogValue writes the message and its cause.
func (e whole) LogValue() slog.Value {
	if cause := e.Unwrap(); cause != nil {
		return slog.StringValue(e.Message + ": " + cause.Error())
	}
	return slog.StringValue(e.Message)
}

func (s *Server) log(r *http.Request, level slog.Level, message string, attrs ...slog.Attr) {
	if s.opts.Log != nil {
		s.opts.Log.LogAttrs(r.Context(), level, message, attrs...)
	}
}

// shaped is a listener whose connections answer in our one format what net/http refuses before any handler sees it: a head
// that is not HTTP, one that is too large, or an expectation that cannot be met. net/http answers those in plain text and
// has no hook to change that.
type shaped struct {
	net.Listener
	conns    *memoryAccount // counts connections
	patience time.Duration  // of a connection: see shapedConn
	leaving  chan struct{}  // a token for each client being turned away; nil: none waits for its answer
}

// sendBuffer is how much of an answer the system buffers for a client. That is memory too, and without a limit it grows to
// megabytes for every client that does not read.
const sendBuffer = 128 << 10

// Accept waits for the next connection. It turns away a connection that there is no memory for.
func (l shaped) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		tcp, ok := c.(*net.TCPConn)
		if err != nil || !ok {
			return c, err
		}
		hold, err := l.conns.Take(address(tcp.RemoteAddr().String()).String(), connCost)
		if err != nil {
			l.turnAway(tcp, err)
			continue
		}
		_ = tcp.SetWriteBuffer(sendBuffer) // what the system does not buffer is held by us, and counted
		return &shapedConn{TCPConn: tcp, patience: l.patience, hold: hold}, nil
	}
}

// turnAway answers a connection that there is no memory for, without reading from it. It closes gently, so that the answer
// arrives, unless many are being turned away.
func (l shaped) turnAway(c *net.TCPConn, why error) {
	_ = c.SetDeadline(time.Now().Add(time.Second))
	_, _ = c.Write(wholeAnswer(fault.Of(why)))
	select {
	case l.leaving <- struct{}{}:
		go func() {
			defer func() { <-l.leaving }()
			_ = c.CloseWrite()
			_, _ = io.Copy(io.Discard, io.LimitReader(c, lingerBytes)) // closing with unread bytes would discard the answer
			_ = c.Close()
		}()
	default:
		_ = c.Close()
	}
}

// What follows the first line of net/http's own refusals. No answer of ours begins like this, and no part of one can: JSON
// escapes line ends.
var (
	plainHead  = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	unmetFirst = []byte(" 417 Expectation Failed\r\n")
	unmetHead  = []byte("Connection: close\r\n")
)

// plainRefusal reports whether p is a refusal that net/http wrote by itself, and returns its status and reason.
func plainRefusal(p []byte) (status, why string, own bool) {
	const version = "HTTP/1.1"
	if len(p) < len(version)+5 || string(p[:7]) != version[:7] || p[8] != ' ' || p[9] != '4' && p[9] != '5' {
		return "", "", false
	}
	first, rest, _ := bytes.Cut(p, []byte("\r\n"))
	status = string(p[9:12])
	if bytes.HasPrefix(p[8:], unmetFirst) && bytes.HasPrefix(rest, unmetHead) {
		return status, "", true
	}
	if !bytes.HasPrefix(rest, plainHead) {
		return "", "", false
	}
	if _, text, ok := bytes.Cut(first, []byte(": ")); ok {
		why = ": " + words.Shown(string(text))
	}
	return status, why, true
}

// inShape returns our answer to a request that net/http refused.
func inShape(status, why string) []byte {
	e := fault.Bad("the request is not valid HTTP%s", why).WithHint("send it through a library for HTTP/1.1")
	switch status {
	case "431":
		e = fault.New(fault.TooLarge, "the head of the request is larger than %d KiB", headerBytes>>10).WithHint("send less in its address and headers")
	case "417":
		e = fault.Bad("the header Expect asks for what this server cannot do").WithMissing("header Expect").WithHint("leave it out, or send 100-continue")
	case "501":
		e = fault.Bad("the body comes in an encoding that this server does not know").
			WithMissing("header Transfer-Encoding").WithHint("send it with a Content-Length, or chunked")
	case "505":
		e = fault.Bad("this server does not speak that version of HTTP").WithHint("send the request as HTTP/1.1")
	}
	return wholeAnswer(e)
}

// wholeAnswer returns our answer to an error with its head; the connection is closed afterwards.
func wholeAnswer(e *fault.Error) []byte {
	var body bytes.Buffer
	if err := wire.WriteJSON(&body, wire.FailureOf(e, op.AsRoute).Told()); err != nil { // a Failure can always be written
		return nil
	}
	code := e.Kind.Status()
	retry := ""
	if e.Kind == fault.Unavailable {
		retry = "Retry-After: " + soon[0] + "\r\n"
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Length: %d\r\n"+
		"Content-Type: application/json\r\n%sX-Content-Type-Options: nosniff\r\n\r\n",
		code, http.StatusText(code), body.Len(), retry)
	return append([]byte(head), body.Bytes()...)
}

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
