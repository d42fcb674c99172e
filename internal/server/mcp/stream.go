package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The SDK ends a connection at the first line that it cannot read, and drops pending calls when its input ends. So it
// gets only messages that it can read, one per line: everything else is answered here, and so are batches, whose parts
// are collected here. And a client that sends its last call and closes the stream still wants the answer: the end of
// the input is held back until every earlier call is answered.

// lingering bounds how long the end is held back.
const lingering = 10 * time.Second

// maxOpen bounds how many calls of a stream are carried out at once: further ones are read when some of them are
// answered, so that a client that sends without reading fills its own pipe and not our memory. A batch may add as many
// again.
const maxOpen = 64

// calls are the unanswered calls of a stream, each with the batch that it came in, or nil.
type calls struct {
	mu   sync.Mutex
	open map[jsonrpc.ID]*batch
	few  chan struct{} // closed when fewer than most are open; nil if the reader does not wait for that
	most int
}

// batch is a list of calls that is answered with a list, once all of them are answered.
type batch struct {
	ids     []jsonrpc.ID // stay open until the list is written
	waiting map[jsonrpc.ID]bool
	answers [][]byte
}

// reader passes on the input message by message, and its end only when everything is answered.
type reader struct {
	in    *bufio.Reader
	out   *writer
	rest  []byte
	calls *calls
	ended <-chan struct{}
}

// writer passes on the output, and sees which calls it answers.
type writer struct {
	mu    sync.Mutex
	to    io.Writer
	calls *calls
}

// stream wraps both directions of a connection.
func stream(in io.Reader, out io.Writer, ended <-chan struct{}) (*reader, *writer) {
	c := &calls{open: map[jsonrpc.ID]*batch{}}
	w := &writer{to: out, calls: c}
	return &reader{in: bufio.NewReader(in), out: w, calls: c, ended: ended}, w
}

// Read returns the rest of the current messages, or the next ones.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		select {
		case <-r.calls.fewer(maxOpen):
		case <-r.ended:
			return 0, io.EOF
		}
		line, err := r.line()
		switch {
		case errors.Is(err, errLong):
			err = r.out.refuse(refusal(nil, jsonrpc.CodeInvalidRequest, errLong.Error()))
		case len(line) == 0 && err != nil:
			r.linger()
		default:
			r.rest, err = r.take(bytes.TrimSpace(line))
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// linger waits until everything is answered, or it has taken too long.
func (r *reader) linger() {
	late := time.NewTimer(lingering)
	defer late.Stop()
	select {
	case <-r.calls.fewer(1):
	case <-late.C:
	case <-r.ended:
	}
}

var errLong = fmt.Errorf("a message is longer than %d MiB, which is the maximum", maxBody>>20)

// line reads one line. A line that is too long is skipped to its end, and nothing of it is kept.
func (r *reader) line() (line []byte, err error) {
	for long := false; ; {
		part, err := r.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxBody; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case long:
			return nil, errLong
		default:
			return line, err
		}
	}
}

// take returns the part of a line that is passed on. It answers messages that cannot be read, which may fail.
func (r *reader) take(line []byte) ([]byte, error) {
	switch {
	case len(line) == 0:
		return nil, nil
	case !jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true)):
		return nil, r.out.refuse(refusal(nil, jsonrpc.CodeParseError, "this line is not JSON: each line is one message of the protocol"))
	case line[0] == '[':
		return r.takeBatch(line)
	}
	msg, refused := decode(line)
	if refused != nil {
		return nil, r.out.refuse(refused)
	}
	return append(line, '\n'), r.out.put(r.calls.came(msg, nil))
}

// takeBatch returns the messages of a batch, one per line.
func (r *reader) takeBatch(line []byte) (lines []byte, err error) {
	all, err := parts(line)
	if err != nil {
		return nil, r.out.refuse(refusal(nil, jsonrpc.CodeInvalidRequest, err.Error()))
	}
	b := &batch{waiting: map[jsonrpc.ID]bool{}}
	for _, part := range all {
		msg, refused := decode(part)
		if refused == nil && r.calls.taken(msg) {
			refused = refusal(part, jsonrpc.CodeInvalidRequest, "another call that is not answered yet has this id")
		}
		if refused != nil {
			b.answers = append(b.answers, refused)
			continue
		}
		if err := r.out.put(r.calls.came(msg, b)); err != nil {
			return nil, err
		}
		lines = append(append(lines, part...), '\n')
	}
	if len(b.waiting) == 0 { // its messages are not calls, or were withdrawn
		return lines, r.out.put(b)
	}
	return lines, nil
}

// Close does nothing: the stream belongs to the code that opened it.
func (*reader) Close() error { return nil }

// Write passes on one message, or keeps it for the batch that it belongs to.
func (w *writer) Write(p []byte) (int, error) {
	msg, err := jsonrpc.DecodeMessage(p)
	answer, ok := msg.(*jsonrpc.Response)
	if err != nil || !ok {
		return w.write(p)
	}
	if whole, kept := w.calls.kept(answer.ID, p); kept {
		return len(p), w.put(whole)
	}
	n, err := w.write(p)
	w.calls.went(answer.ID)
	return n, err
}

func (w *writer) write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// put writes the answers of a complete batch; nil means none.
func (w *writer) put(b *batch) error {
	if b == nil {
		return nil
	}
	var err error
	if len(b.answers) > 0 {
		list := append(append([]byte{'['}, bytes.Join(b.answers, []byte{','})...), "]\n"...)
		_, err = w.write(list)
	}
	w.calls.went(b.ids...)
	return err
}

// refuse answers a message that was not passed on.
func (w *writer) refuse(answer []byte) error {
	_, err := w.write(append(answer, '\n'))
	return err
}

// Close does nothing: the stream belongs to the code that opened it.
func (*writer) Close() error { return nil }

// came notes a message that is passed on. It returns a batch that no longer waits for anything, because the rest of it
// was withdrawn.
func (c *calls) came(msg jsonrpc.Message, in *batch) *batch {
	call, ok := msg.(*jsonrpc.Request)
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if call.IsCall() {
		c.open[call.ID] = in
		if in != nil {
			in.ids, in.waiting[call.ID] = append(in.ids, call.ID), true
		}
		return nil
	}
	id, withdrawn := withdrawal(call)
	b, open := c.open[id]
	switch {
	case !withdrawn || !open:
	case b == nil:
		delete(c.open, id)
		c.settle()
	case b.waiting[id]:
		if delete(b.waiting, id); len(b.waiting) == 0 && b != in {
			return b
		}
	}
	return nil
}

// taken reports whether a message is a call with the id of an open call.
func (c *calls) taken(msg jsonrpc.Message) bool {
	call, ok := msg.(*jsonrpc.Request)
	if !ok || !call.IsCall() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.open[call.ID]
	return open
}

// kept stores an answer to a call of a batch, and returns the batch if it was the last one.
func (c *calls) kept(id jsonrpc.ID, answer []byte) (whole *batch, kept bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.open[id]
	if b == nil || !b.waiting[id] {
		return nil, false
	}
	delete(b.waiting, id)
	if b.answers = append(b.answers, bytes.Clone(bytes.TrimSpace(answer))); len(b.waiting) > 0 {
		return nil, true
	}
	return b, true
}

// went notes that calls are answered.
func (c *calls) went(ids ...jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		delete(c.open, id)
	}
	c.settle()
}

// fewer returns a channel that is closed when fewer calls than most are open. Only the reader waits, for one number at a
// time.
func (c *calls) fewer(most int) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	few := make(chan struct{})
	c.few, c.most = few, most
	c.settle()
	return few
}

func (c *calls) settle() {
	if c.few != nil && len(c.open) < c.most {
		close(c.few)
		c.few = nil
	}
}
