package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// maxStreams limits how many streams run at once.
const maxStreams = 1000

var typeStream = []string{"text/event-stream"}

// ticking returns a function that starts a clock, and with it how the clock is stopped.
func ticking(span time.Duration) func() (<-chan time.Time, func()) {
	return func() (<-chan time.Time, func()) {
		t := time.NewTicker(span)
		return t.C, t.Stop
	}
}

// stream sends events as they happen, as server-sent events: the event's id as the id, the record as the data. It begins
// after Last-Event-ID, or else since_id, or else now. Whatever can be refused is refused before the stream begins.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) error {
	in, from, err := s.start(w, r)
	if err != nil {
		return err
	}
	if s.streams.Add(1) > maxStreams {
		s.streams.Add(-1)
		return fault.Unready("%d streams are running already", maxStreams).WithHint("wait for one to end, or read GET /v1/events")
	}
	defer s.streams.Add(-1)
	if err := w.(*recorder).runs.Grow(streamCost); err != nil {
		return err
	}

	h := w.Header()
	h["Content-Type"] = typeStream
	h.Set("X-Accel-Buffering", "no") // a proxy must pass on each event
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out := &sender{w: w, c: http.NewResponseController(w), r: r}
	// The id says where the stream is, so that a client that is cut off before the first event misses none.
	fmt.Fprintf(&out.buf, "retry: 1000\nid: %d\n\n", from)
	if out.flush() != nil {
		return nil
	}
	s.follow(r.Context(), w.(*recorder), in, from, out)
	return nil
}

// start reads the filters and where to begin, and reads events once, so that an error in the filters shows.
func (s *Server) start(w http.ResponseWriter, r *http.Request) (reading.EventsIn, int64, error) {
	var in reading.EventsIn
	decoded, err := read(w, r, op.Stream, nil)
	if err != nil {
		return in, 0, err
	}
	given := decoded.(op.StreamIn)
	in = reading.EventsIn{Project: given.Project, Task: given.Task, Kind: given.Kind, By: given.By, SinceID: given.SinceID}
	if last := r.Header.Get("Last-Event-Id"); last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil {
			return in, 0, fault.Bad("Last-Event-ID must be the id of an event, not %q", words.Shown(last)).
				WithMissing("header Last-Event-ID").WithHint("send back the id that you received last")
		}
		in.SinceID = &n
	}
	if in.SinceID == nil {
		n, err := s.opts.Feed.Newest(r.Context())
		if err != nil {
			return in, 0, err
		}
		in.SinceID = &n
	}
	try := in
	try.Limit = new(1)
	if _, err = op.Events.Do(r.Context(), s.opts.Ops, try); errors.Is(err, core.ErrGap) {
		err = nil // the stream says itself what was lost
	}
	return in, *in.SinceID, err
}

// follow writes events and heartbeats until the client is gone, its session is no longer valid, the server stops, or the
// feed ends. It sends nothing that was read after a session ended.
func (s *Server) follow(ctx context.Context, w *recorder, in reading.EventsIn, from int64, out *sender) {
	ctx, cancel := context.WithCancel(ctx)
	with := w.entered
	pages, done := make(chan []task.Event), make(chan error, 1)
	written := make(chan struct{}, 1) // the feed reads no page while one is being written; it may be gone by then
	go func() { done <- s.feed(ctx, in, from, pages, written) }()
	ended := false
	defer func() {
		cancel()
		if !ended {
			<-done
		}
	}()
	beats, stop := s.opts.Beats()
	defer stop()
	var rechecks <-chan time.Time
	if s.opts.Sessions != nil {
		var stop func()
		rechecks, stop = s.opts.Rechecks()
		defer stop()
	}
	for {
		var err error
		select {
		case page := <-pages:
			if err = s.stillIn(ctx, with); err != nil {
				_ = out.failure(err) // the stream ends either way
			} else if err = s.sendPage(w, page, out); err == nil {
				written <- struct{}{}
			}
		case <-rechecks:
			if err = s.stillIn(ctx, with); err != nil && ctx.Err() == nil {
				_ = out.failure(err) // the stream ends either way
			}
		case <-beats:
			out.buf.WriteString(": beat\n\n")
			err = out.flush()
		case err = <-done:
			ended = true
			if ctx.Err() == nil {
				_ = out.failure(err) // the stream ends either way
			}
			return
		case <-s.ending:
			out.buf.WriteString(": the server is stopping\n\n")
			_ = out.flush() // the stream ends either way
			return
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// sendPage writes a page of events. One that is not small is counted while it is written; if there is no memory for it the
// stream ends, and the client reconnects after the last event it has.
func (s *Server) sendPage(w *recorder, page []task.Event, out *sender) error {
	if bytes := int64(query.EventsBytes(page)); bytes > small {
		hold, err := s.memory.bytes.Take(w.client(), 2*bytes) // as read, and as written
		if err != nil {
			_ = out.failure(err) // the stream ends either way
			return err
		}
		defer hold.Release()
	}
	return out.events(page)
}

// feed follows in a separate goroutine, where a panic would end the process.
func (s *Server) feed(ctx context.Context, in reading.EventsIn, from int64, pages chan<- []task.Event, written <-chan struct{}) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "panic: %v", p)
		}
	}()
	return s.opts.Feed.Follow(ctx, in, from, func(page []task.Event) error {
		select {
		case pages <- page:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-written:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// senderBytes is how much a sender buffers before it writes.
const senderBytes = 16 << 10

// sender writes server-sent events, one full buffer at a time.
type sender struct {
	w   http.ResponseWriter
	c   *http.ResponseController
	r   *http.Request // of the client
	buf bytes.Buffer
}

func (o *sender) events(page []task.Event) error {
	for i := range page {
		if o.buf.Len() >= senderBytes {
			if err := o.flush(); err != nil {
				return err
			}
		}
		o.buf.WriteString("id: ")
		o.buf.WriteString(strconv.FormatInt(page[i].ID, 10))
		o.buf.WriteString("\ndata: ")
		if err := wire.WriteJSON(&o.buf, &page[i]); err != nil { // it also ends the line
			return err
		}
		o.buf.WriteByte('\n')
	}
	return o.flush()
}

// failure says why the stream ends. It hides unexpected errors from clients.
func (o *sender) failure(err error) error {
	e := fault.Of(err)
	if e.Kind == fault.Internal {
		e = fault.Unready("the stream broke off").WithHint("connect again with Last-Event-ID")
	}
	o.buf.WriteString("event: error\ndata: ")
	if err := wire.WriteJSON(&o.buf, failureOf(o.r, e)); err != nil {
		return err
	}
	o.buf.WriteByte('\n')
	return o.flush()
}

func (o *sender) flush() error {
	_, err := o.w.Write(o.buf.Bytes())
	if o.buf.Reset(); o.buf.Cap() > maxPooled {
		o.buf = bytes.Buffer{} // release the buffer of a large event
	}
	if err != nil {
		return err
	}
	return o.c.Flush()
}
