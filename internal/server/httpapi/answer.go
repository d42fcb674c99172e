package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"strconv"
	"sync"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/op/wire"
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
	return answerIn(w, status, v, routes, core.Told{})
}

// answerIn writes v as JSON in a language, with the news for its caller. It is the only function that does.
func answerIn(w http.ResponseWriter, status int, v any, in wire.Language, told core.Told) error {
	buf := answerBuffers.Get().(*bytes.Buffer)
	buf.Reset()
	err := wire.WriteWith(buf, v, in, told)
	if counter, ok := w.(*recorder); ok && err == nil {
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
	return answerIn(w, status, reply.Out, languageOf(r), reply.Told)
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

// failureOf returns an error for the client of a request: in the language of routes, and in parts for a client that shows
// hints in its own.
func failureOf(r *http.Request, e *fault.Error) any {
	f := wire.FailureOf(e, op.AsRoute)
	if r.Header.Get(wire.HintsHeader) == "" {
		return f
	}
	return wire.Parted{Failure: f, Parts: e.HintParts()}
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
