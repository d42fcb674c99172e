package mcpserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The SDK drops what is under way when its input ends. A client that sends its last call and closes the stream still
// wants the answer, so the end of the input is held back until every call that came before it is answered.

// lingering bounds how long the end is held back.
const lingering = 10 * time.Second

// maxOpen bounds how many calls of a stream are carried out at once: further ones are read when some of them are answered, so
// that a client that sends and does not read fills its own pipe and not our memory.
const maxOpen = 64

// calls are the calls of a stream that are not answered yet, by id as it was written.
type calls struct {
	mu   sync.Mutex
	open map[string]bool
	done chan struct{} // closed when none is open, once somebody waits
	room chan struct{} // closed when there is room for another, once somebody waits
}

// reader hands on the input line by line, and its end only when all is answered.
type reader struct {
	in    *bufio.Reader
	rest  []byte
	calls *calls
	wait  func(<-chan struct{}) // until all is answered, or it has taken too long
	ended <-chan struct{}
}

// writer passes the output on, and sees which calls it answers.
type writer struct {
	io.Writer
	calls *calls
}

// stream wraps both directions of a connection.
func stream(in io.Reader, out io.Writer, ended <-chan struct{}) (*reader, writer) {
	c := &calls{open: map[string]bool{}}
	wait := func(done <-chan struct{}) {
		late := time.NewTimer(lingering)
		defer late.Stop()
		select {
		case <-done:
		case <-late.C:
		case <-ended:
		}
	}
	return &reader{in: bufio.NewReader(in), calls: c, wait: wait, ended: ended}, writer{out, c}
}

// Read returns the rest of the current line, or the next one.
func (r *reader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if room := r.calls.full(); room != nil {
			select {
			case <-room:
			case <-r.ended:
				return 0, io.EOF
			}
		}
		line, err := r.line()
		if errors.Is(err, errLong) {
			return 0, err
		}
		r.calls.came(line)
		r.rest = line
		if len(line) == 0 && err != nil {
			r.wait(r.calls.answered())
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

var errLong = fmt.Errorf("a message is longer than %d MiB", maxBody>>20)

// line reads one message.
func (r *reader) line() (line []byte, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxBody {
			return nil, errLong
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// Close leaves the stream to whoever opened it.
func (*reader) Close() error { return nil }

// Write passes one message on.
func (w writer) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.calls.went(p)
	return n, err
}

// Close leaves the stream to whoever opened it.
func (writer) Close() error { return nil }

// message is the part of a message that tells whether it is a call, an answer, or the withdrawal of a call.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params struct {
		RequestID jsontext.Value `json:"requestId"`
	} `json:"params"`
}

// messages takes a line apart: one message, or several in a list. Whatever is none is for the SDK to refuse.
func messages(line []byte) []message {
	var one message
	if json.Unmarshal(line, &one) == nil {
		return []message{one}
	}
	var several []message
	_ = json.Unmarshal(line, &several)
	return several
}

func (c *calls) came(line []byte) {
	all := messages(line)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range all {
		switch {
		case m.Method == "notifications/cancelled":
			delete(c.open, string(m.Params.RequestID))
		case m.Method != "" && m.ID != nil:
			c.open[string(m.ID)] = true
		}
	}
}

func (c *calls) went(line []byte) {
	all := messages(line)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range all {
		if m.Method == "" {
			delete(c.open, string(m.ID))
		}
	}
	c.settle()
}

// answered returns a channel that is closed when nothing is open.
func (c *calls) answered() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
	}
	done := c.done
	c.settle()
	return done
}

// full returns a channel that is closed when there is room for another call; nil where there is.
func (c *calls) full() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) < maxOpen {
		return nil
	}
	if c.room == nil {
		c.room = make(chan struct{})
	}
	return c.room
}

func (c *calls) settle() {
	if c.room != nil && len(c.open) < maxOpen {
		close(c.room)
		c.room = nil
	}
	if c.done != nil && len(c.open) == 0 {
		close(c.done)
		c.done = nil
	}
}
