package client

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

const (
	// silence is how long a stream may be silent; the server sends a heartbeat every 15 seconds.
	silence = 45 * time.Second
	// losses is how often in a row a stream may break before the client gives up.
	losses = 10
	// longestPause is the longest pause between two attempts to reconnect.
	longestPause = 5 * time.Second
)

// Follow passes every event after from to send, in order, until ctx ends or send fails. If the connection breaks, it
// reconnects after the last event received, so that no event is lost or repeated.
func (c *Client) Follow(ctx context.Context, in reading.EventsIn, from int64, send func([]task.Event) error) error {
	req, err := op.Stream.Encode(op.StreamIn{Project: in.Project, Task: in.Task, Kind: in.Kind, By: in.By})
	if err != nil {
		return err
	}
	s := &stream{last: from, send: send}
	pause := 250 * time.Millisecond
	for lost := 0; ; lost++ {
		before := s.heard
		err := c.listen(ctx, req, s)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if s.refused != nil {
			return s.refused
		}
		if s.heard > before {
			lost, pause = 0, 250*time.Millisecond
		}
		if err != nil && !fault.Is(err, fault.Unavailable) || lost == losses {
			return err
		}
		if err := c.opts.Sleep(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, longestPause)
	}
}

// listen reads the events of one connection. It always returns an error.
func (c *Client) listen(ctx context.Context, req wire.Request, s *stream) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := c.send(ctx, http.MethodGet, req, map[string]string{"Accept": "text/event-stream", "Last-Event-ID": strconv.FormatInt(s.last, 10)})
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // a refusal is small
		if err != nil {
			return c.lost(ctx, http.MethodGet, err)
		}
		return c.masked(resp.StatusCode, body)
	}
	watch := time.AfterFunc(silence, cancel)
	defer watch.Stop()
	err = s.read(bufio.NewReaderSize(resp.Body, 64<<10), func() { watch.Reset(silence) })
	if err == nil || fault.Of(err).Kind == fault.Internal {
		return fault.Unready("the stream of %s broke off", c.base).WithHint("start it again").WithCause(err)
	}
	return err
}

// stream is the state of a stream across its connections.
type stream struct {
	last    int64 // the newest event passed on
	heard   int   // how many lines arrived
	refused error // ends the stream for good: send failed, or an event cannot be parsed
	send    func([]task.Event) error
	page    []task.Event
}

// read parses server-sent events. Events that arrived together are passed on together.
func (s *stream) read(in *bufio.Reader, alive func()) error {
	var kind string
	var data []byte
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return s.flush(nil) // pass on what is complete; half a line is not
		}
		s.heard++
		alive()
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			if err := s.event(kind, data); err != nil {
				return s.flush(err)
			}
			kind, data = "", nil
			if in.Buffered() == 0 || len(s.page) >= 500 {
				if err := s.flush(nil); err != nil {
					return err
				}
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			kind = string(value)
		case "data":
			data = append(data, value...)
		}
	}
}

// event handles one event: a record of the log, or the reason why the stream ends.
func (s *stream) event(kind string, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	if kind == "error" {
		var f wire.Parted
		if err := json.Unmarshal(data, &f); err != nil || f.Message == "" {
			return fault.Unready("the stream broke off, and did not say why").WithHint("start it again").WithCause(err)
		}
		return f.Fault()
	}
	var e task.Event
	if err := json.Unmarshal(data, &e); err != nil { // every connection would deliver it again, unchanged
		s.refused = fault.New(fault.Internal, "an event of the stream cannot be read: %v", err).
			WithHint("use the same version of tasker on both sides").WithCause(err)
		return s.refused
	}
	s.page = append(s.page, e)
	return nil
}

// flush passes on what has arrived, and then returns the error it was given, if any.
func (s *stream) flush(after error) error {
	if len(s.page) == 0 {
		return after
	}
	page := s.page
	s.page = nil
	if err := s.send(page); err != nil {
		s.refused = err
		return err
	}
	s.last = page[len(page)-1].ID
	return after
}
