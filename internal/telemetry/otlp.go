package telemetry

import (
	"maps"
	"slices"
	"strconv"
)

// The parts of OTLP's ExportTraceServiceRequest that we write, under their JSON names.
type (
	otlpRequest struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   resource     `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	resource struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope scope      `json:"scope"`
		Spans []wireSpan `json:"spans"`
	}
	scope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	wireSpan struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		TraceState string      `json:"traceState,omitzero"`
		Parent     string      `json:"parentSpanId,omitzero"`
		Flags      int         `json:"flags"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes"`
		Status     status      `json:"status"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		Text  *string `json:"stringValue,omitzero"`
		Count *string `json:"intValue,omitzero"` // the JSON of protocol buffers writes 64-bit numbers as strings
	}
	status struct {
		Code int `json:"code,omitzero"`
	}
)

// The OTLP constants that we use.
const (
	kindInternal = 1
	kindServer   = 2
	kindClient   = 3
	statusError  = 2
)

// document returns a batch as an OTLP request.
func (t *Tracer) document(batch []ended) otlpRequest {
	spans := make([]wireSpan, len(batch))
	for i, e := range batch {
		s := wireSpan{
			TraceID: e.Trace, SpanID: e.ID, TraceState: e.state, Parent: e.parent, Flags: 1, Name: e.name, Kind: e.kind,
			Start: strconv.FormatInt(e.start.UnixNano(), 10), End: strconv.FormatInt(e.end.UnixNano(), 10), Attributes: []attribute{},
		}
		for _, a := range e.attributes {
			v := value{Text: &a.Text}
			if a.IsInt {
				n := strconv.FormatInt(a.Count, 10)
				v = value{Count: &n}
			}
			s.Attributes = append(s.Attributes, attribute{a.Key, v})
		}
		if e.failed {
			s.Status.Code = statusError
		}
		spans[i] = s
	}
	about := []attribute{}
	for _, key := range slices.Sorted(maps.Keys(t.settings.Resource)) {
		text := t.settings.Resource[key]
		about = append(about, attribute{key, value{Text: &text}})
	}
	return otlpRequest{[]resourceSpans{{resource{about}, []scopeSpans{{scope{"tasker", t.version}, spans}}}}}
}
