package httpapi

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"tasker/internal/fault"
	"tasker/internal/op/wire"
)

// shaped is a listener whose connections answer in the one shape what net/http refuses before any handler sees it:
// a head that is no HTTP, too large a head, an expectation that nobody can meet. It answers those in plain text, and
// there is no hook to make it say anything else.
type shaped struct{ net.Listener }

// Accept waits for the next connection.
func (l shaped) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok && err == nil {
		return &shapedConn{TCPConn: tcp}, nil
	}
	return c, err
}

type shapedConn struct {
	*net.TCPConn
	held []byte // the beginning of an answer, which goes out with the rest of it
}

// Write writes p, or our words in place of a refusal of net/http's own, which is always one Write and the last. An answer
// that net/http cuts in two because it is larger than its buffer goes out in one piece: both sides save a call, and
// whoever waits for it is woken once.
func (c *shapedConn) Write(p []byte) (int, error) {
	if len(c.held) > 0 {
		return c.writeOn(p)
	}
	if unfinished(p) {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	status, why, own := plainRefusal(p)
	if !own {
		return c.TCPConn.Write(p)
	}
	if _, err := c.TCPConn.Write(inShape(status, why)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// writeOn writes what is held, and p behind it.
func (c *shapedConn) writeOn(p []byte) (int, error) {
	held := int64(len(c.held))
	both := net.Buffers{c.held, p}
	n, err := both.WriteTo(c.TCPConn)
	c.held = c.held[:0]
	return int(max(n-held, 0)), err
}

// ReadFrom sends a file, behind what is held.
func (c *shapedConn) ReadFrom(r io.Reader) (int64, error) {
	if len(c.held) > 0 {
		if _, err := c.writeOn(nil); err != nil {
			return 0, err
		}
	}
	return c.TCPConn.ReadFrom(r)
}

var (
	headEnd    = []byte("\r\n\r\n")
	lengthHead = []byte("\r\nContent-Length: ")
)

// netBuffer is how much net/http gathers before it writes. Should that change, answers go out as it cuts them.
const netBuffer = 4 << 10

// unfinished tells that p is a head and the beginning of a body whose declared length says that more will come: then
// there is another write, or the connection is at its end. A head alone never is, for some requests get no body.
func unfinished(p []byte) bool {
	if len(p) != netBuffer || string(p[:5]) != "HTTP/" {
		return false
	}
	head, body, _ := bytes.Cut(p, headEnd)
	if len(body) == 0 {
		return false
	}
	_, length, _ := bytes.Cut(head, lengthHead)
	digits, _, _ := bytes.Cut(length, headEnd[:2])
	n, err := strconv.Atoi(string(digits))
	return err == nil && n > len(body)
}

// What follows the first line of net/http's refusals. No answer of ours has that, and no part of one can begin with
// such lines: in JSON, line ends are escaped.
var (
	plainHead  = []byte("Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	unmetFirst = []byte(" 417 Expectation Failed\r\n")
	unmetHead  = []byte("Connection: close\r\n")
)

// plainRefusal tells whether p is a refusal that net/http writes by itself, with its status and what it says of it.
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
		why = ": " + shown(string(text))
	}
	return status, why, true
}

// inShape is the answer to a request that net/http refused.
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
	if err := wire.WriteJSON(&body, wire.FailureOf(e)); err != nil { // a Failure can always be written
		return nil
	}
	code := e.Kind.Status()
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Length: %d\r\n"+
		"Content-Type: application/json\r\nX-Content-Type-Options: nosniff\r\n\r\n",
		code, http.StatusText(code), body.Len())
	return append([]byte(head), body.Bytes()...)
}
