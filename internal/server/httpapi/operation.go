package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// operation is the route of an operation.
type operation struct {
	s       *Server
	op      *op.Op
	maxBody int64 // bytes
}

// commonBody limits the body of operations that set no limit of their own.
const commonBody = 16 << 20

// longest limits how long a request with a large body may take to arrive and be answered.
const longest = 10 * time.Minute

// serve decodes the input, carries out the operation, and answers.
func (h *operation) serve(w *recorder, r *http.Request) error {
	in, reply, err := h.do(w, r)
	if err != nil {
		return err
	}
	w.made = h.op.Method != http.MethodGet
	if why := reply.News.Cause; why != nil {
		h.s.unread(w, r, why)
	}
	return answerOf(w, r, h.op.SuccessOf(in), reply)
}

func (h *operation) do(w *recorder, r *http.Request) (in any, out op.Reply, err error) {
	caller, err := h.s.caller(w, r)
	if err != nil {
		return nil, op.Reply{}, err
	}
	if h.op.Method == http.MethodGet {
		if in, err = read(w, r, &h.op.Endpoint, nil); err != nil {
			return nil, op.Reply{}, err
		}
	} else {
		body, err := readBody(w, r, h.maxBody)
		if err == nil {
			caller.Idem, err = idempotency(r, caller, body)
		}
		if err == nil {
			in, err = h.decode(w, r, body)
		}
		if err != nil {
			return nil, op.Reply{}, err
		}
	}
	if caller.Scope.ReadOnly && h.op.Writes(in) {
		return nil, op.Reply{}, core.MayOnlyRead()
	}
	caller.Doing, caller.Charge, caller.Listens = h.op.Name, w.Reserve, true
	out, err = h.s.opts.Ops.Call(core.WithCaller(r.Context(), caller), h.op, in)
	return in, out, err
}

// read reads the input of an operation, and has the answer's head say what of the request was ignored.
func read(w http.ResponseWriter, r *http.Request, e *wire.Endpoint, body []byte) (any, error) {
	got, err := e.Read(r.PathValue, r.URL.RawQuery, body)
	if got.Ignored != "" {
		w.Header().Set(wire.WarningHeader, got.Ignored)
	}
	return got.In, err
}

// decode reads the input. If the input says that it takes more memory than its body did, that is counted too. Only a few
// large bodies are decoded at once, because the size of the result is known only afterwards.
func (h *operation) decode(w *recorder, r *http.Request, body []byte) (any, error) {
	if len(body) > small {
		select {
		case h.s.decoding <- struct{}{}:
			defer func() { <-h.s.decoding }()
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	in, err := read(w, r, &h.op.Endpoint, body)
	if err != nil {
		return nil, err
	}
	if weighed, ok := in.(interface{ Bytes() int64 }); ok {
		texts := int64(len(body)) // they are parts of the body, and a few of them copies
		err = w.Reserve(weighed.Bytes() + texts*5/4 - texts*bodyFactor)
	}
	return in, err
}

// caller returns on whose behalf the request acts. The request itself may only name the instance of that actor.
func (s *Server) caller(w *recorder, r *http.Request) (core.Caller, error) {
	var c core.Caller
	if w.entered != nil {
		c = w.entered.Caller
	} else {
		own := s.opts.Identity()
		if own.Err != nil {
			return core.Caller{}, own.Err
		}
		c = own.Caller
	}
	c.Via.Face, c.Via.RequestID = "http", task.Opt(w.id)
	if err := inShell(r, &c); err != nil {
		return core.Caller{}, err
	}
	c.Command = r.Header.Get(wire.CommandHeader) == "yes"
	given := r.Header["Tasker-Instance"]
	switch {
	case len(given) == 0:
	case len(given) > 1:
		return core.Caller{}, fault.Bad("the header Tasker-Instance is given %d times", len(given)).
			WithMissing("header Tasker-Instance").WithHint("send it once")
	default:
		_, instance, err := task.ParseCaller(c.Actor.Name + "/" + given[0])
		if err != nil || given[0] == "" {
			return core.Caller{}, fault.Bad("%q is not the instance of an actor", words.Shown(given[0])).WithMissing("header Tasker-Instance").
				WithHint("send what distinguishes this worker from others of its name, without a slash: Tasker-Instance: 3")
		}
		c.Actor.Instance = instance
	}
	return c, nil
}

// inShell reads the header Tasker-Agent, by which a command says that it runs in an agent's shell. It can only take rights
// away: events name the agent, and with ";unnamed" appended, if nobody named who acts, a human has no more rights than an
// agent.
func inShell(r *http.Request, c *core.Caller) error {
	given := r.Header["Tasker-Agent"]
	if len(given) == 0 {
		return nil
	}
	agent, unnamed, more := strings.Cut(given[0], ";")
	if _, instance, err := task.ParseActor(agent); err != nil || instance != "" || len(given) > 1 || more && unnamed != "unnamed" {
		return fault.Bad("%q is not the name of an agent", words.Shown(given[0])).WithMissing("header Tasker-Agent").
			WithHint("send it once, such as Tasker-Agent: claude, or Tasker-Agent: claude;unnamed where nobody says who acts")
	}
	c.Via.Agent = task.Opt(agent)
	if more && c.Via.Session == "" {
		c.Actor.Shell = agent
	}
	return nil
}

// idempotency reads the request's key. The digest covers the whole request, including the query.
func idempotency(r *http.Request, caller core.Caller, body []byte) (*core.Idem, error) {
	given := r.Header["Idempotency-Key"]
	if len(given) == 0 {
		return nil, nil
	}
	if len(given) > 1 || !printable(given[0]) {
		return nil, fault.Bad("the header Idempotency-Key is not one key").WithMissing("header Idempotency-Key").
			WithHint("send it once, 1 to 200 printable ASCII characters")
	}
	digest := sha256.New()
	digest.Write(body)
	if r.URL.RawQuery != "" {
		digest.Write([]byte{0}) // no JSON contains it, so nothing else has the same digest
		digest.Write([]byte(r.URL.RawQuery))
	}
	if reach := caller.Scope.Projects; len(reach) > 0 { // an answer to a caller who sees more is not for this one
		digest.Write([]byte("\x00" + strings.Join(reach, ",")))
	}
	return &core.Idem{
		Key:    query.IdemKey{Actor: caller.Actor.Full(), Path: r.URL.Path, Key: given[0]},
		Digest: hex.EncodeToString(digest.Sum(nil)),
	}, nil
}

func printable(key string) bool {
	return len(key) >= 1 && len(key) <= 200 && !strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' })
}

// readBody reads the whole body, up to limit bytes. It counts the memory before reading or, if the length is not known,
// piece by piece.
func readBody(w *recorder, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	if err := w.reserveBody(r.ContentLength); err != nil {
		return nil, err
	}
	buf := make([]byte, 0, r.ContentLength+1)
	slow := w.s.slowly(w, limit)
	for {
		if len(buf) == cap(buf) {
			was := cap(buf)
			grown := append(buf, 0)[:len(buf)] //nolint:gocritic // the old one is no longer used
			if r.ContentLength < 0 {
				if err := w.reserveBody(int64(cap(grown))); err != nil {
					return nil, err
				}
				w.held.Shrink(reserved(was))
			}
			buf = grown
		}
		slow.wait()
		n, err := r.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return nil, tooLarge(limit)
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, fault.Bad("the body did not arrive whole: %s", words.Shown(err.Error())).
				WithHint("send it again; its length must be the one announced").WithCause(err)
		}
	}
}

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "the body is larger than %d MiB", limit>>20).WithHint("send less at once: split it into several requests")
}

// reserved returns how much reserveBody counted for so many bytes.
func reserved(body int) int64 {
	if n := int64(body) * bodyFactor; n > small {
		return n
	}
	return 0
}

// sending is the sender of a body: it may take its time, but must keep sending.
type sending struct {
	c        *http.ResponseController
	until    time.Time // when all of it must have arrived
	patience time.Duration
}

// slowly returns the sender of a body that may be large; nil for one that must arrive in the usual time.
func (s *Server) slowly(w http.ResponseWriter, limit int64) *sending {
	if limit <= commonBody {
		return nil
	}
	return &sending{http.NewResponseController(w), time.Now().Add(longest), s.opts.Patience}
}

// wait gives the sender time for the next piece.
func (d *sending) wait() {
	if d == nil {
		return
	}
	at := time.Now().Add(d.patience)
	if at.After(d.until) {
		at = d.until
	}
	_ = d.c.SetReadDeadline(at) // a test's reader has no deadlines
}
