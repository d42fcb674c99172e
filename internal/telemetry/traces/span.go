package traces

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"time"
)

// Span is one piece of work in a trace. The zero value and nil are not recorded.
type Span struct {
	tracer  *Tracer
	Trace   string // 32 hexadecimal digits
	ID      string // 16
	parent  string // the caller's span; empty if the trace begins here
	state   string // what the caller's tracing system wants passed on
	sampled bool
	kind    int // an OTLP number
	start   time.Time
}

// Attribute describes a span: a text or a whole number.
type Attribute struct {
	Key   string
	Text  string
	Count int64
	IsInt bool
}

// Start begins the span of a request that came with these W3C Trace Context headers. It ignores an invalid parent, as the
// standard requires. Start returns nil if nothing is traced.
func (t *Tracer) Start(traceparent, tracestate string) *Span {
	if t == nil {
		return nil
	}
	s := &Span{tracer: t, kind: kindServer, start: t.now()}
	trace, parent, sampled, ok := parse(traceparent)
	if ok {
		s.Trace, s.parent = trace, parent
		if len(tracestate) <= maxState {
			s.state = tracestate
		}
	} else {
		s.Trace = randomID(16)
	}
	s.ID = randomID(8)
	s.sampled = t.samples(s.Trace, ok, sampled)
	return s
}

// maxState limits how much of a caller's state is passed on: the standard asks for at least 512 characters.
const maxState = 512

// parse reads a traceparent: version, trace, parent and flags. Later versions may append more fields.
func parse(text string) (trace, parent string, sampled, ok bool) {
	parts := strings.SplitN(text, "-", 5)
	if len(parts) < 4 || len(parts) > 4 && parts[0] == "00" {
		return "", "", false, false
	}
	for i, n := range []int{2, 32, 16, 2} {
		if len(parts[i]) != n || strings.Trim(parts[i], "0123456789abcdef") != "" {
			return "", "", false, false
		}
	}
	if parts[0] == "ff" || strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return "", "", false, false
	}
	flags, err := hex.DecodeString(parts[3])
	return parts[1], parts[2], err == nil && flags[0]&1 == 1, err == nil
}

// samples reports whether a trace is recorded.
func (t *Tracer) samples(trace string, parented, sampled bool) bool {
	sampler, based := strings.CutPrefix(t.settings.Sampler, "parentbased_")
	switch {
	case based && parented:
		return sampled
	case sampler == "always_on":
		return true
	case sampler == "always_off":
		return false
	}
	id, err := hex.DecodeString(trace[16:])
	if err != nil {
		return false
	}
	// Decide by the id, so that every service in a trace decides the same.
	return t.settings.Ratio >= 1 || float64(binary.BigEndian.Uint64(id)>>1) < t.settings.Ratio*float64(math.MaxInt64)
}

func randomID(n int) string {
	id := make([]byte, n)
	for strings.Trim(string(id), "\x00") == "" {
		_, _ = rand.Read(id) // never fails
	}
	return hex.EncodeToString(id)
}

// End records the span if it is sampled. failed means that it ended in a fault of ours.
func (s *Span) End(name string, failed bool, attributes ...Attribute) {
	if s == nil || !s.sampled {
		return
	}
	s.tracer.enqueue(ended{s, name, failed, s.tracer.now(), attributes})
}
