package httpapi

import (
	"bytes"
	"fmt"
	"net"
	"net/http"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/words"
)

// shaped is a listener whose connections answer in our one shape what net/http refuses before any handler sees it: a
// head that is not HTTP, one that is too large, an expectation that nobody can meet. net/http answers those in plain
// text and has no hook to change that.
type shaped struct{ net.Listener }

// Accept waits for the next connection.
func (l shaped) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		return &shapedConn{joinedConn{TCPConn: tcp}}, nil
	}
	return c, err
}

type shapedConn struct{ joinedConn }

// Write writes p, or our answer in place of a refusal of net/http's own, which is always one Write and the last.
func (c *shapedConn) Write(p []byte) (int, error) {
	if len(c.held) > 0 {
		return c.joinedConn.Write(p)
	}
	status, why, own := plainRefusal(p)
	if !own {
		return c.joinedConn.Write(p)
	}
	if _, err := c.TCPConn.Write(inShape(status, why)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// What follows the first line of net/http's own refusals. No answer of ours begins so, and no part of one can: JSON
// escapes line ends.
var (
	plainHead  = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	unmetFirst = []byte(" 417 Expectation Failed\r\n")
	unmetHead  = []byte("Connection: close\r\n")
)

// plainRefusal reports whether p is a refusal that net/http writes by itself, and returns its status and its reason.
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
	var body bytes.Buffer
	if err := wire.WriteJSON(&body, wire.FailureOf(e, op.AsRoute)); err != nil { // a Failure can always be written
		return nil
	}
	code := e.Kind.Status()
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Length: %d\r\n"+
		"Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n\r\n",
		code, http.StatusText(code), body.Len())
	return append([]byte(head), body.Bytes()...)
}
