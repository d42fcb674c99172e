package httpapi

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/text/words"
)

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

// Accept waits for the next connection. It turns away those that there is no memory for.
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
	var e *fault.Error
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
	default:
		e = fault.Bad("the request is not valid HTTP%s", why).WithHint("send it through a library for HTTP/1.1")
	}
	return wholeAnswer(e)
}

// wholeAnswer returns our answer to an error with its head; the connection is closed afterwards.
func wholeAnswer(e *fault.Error) []byte {
	var body bytes.Buffer
	if err := wire.WriteJSON(&body, wire.FailureOf(e, op.AsRoute)); err != nil { // a Failure can always be written
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
