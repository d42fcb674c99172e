package telemetry

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
)

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestNothingIsTracedUnlessItIsAskedFor(t *testing.T) {
	for _, e := range []func(string) (string, bool){
		nil, env(), env("OTEL_TRACES_EXPORTER", "none", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://x"),
		env("OTEL_SDK_DISABLED", "true", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://x"),
	} {
		s, err := TraceSettingsFromEnv(e)
		if tracer := NewTracer(s, "1", slog.New(slog.DiscardHandler), http.DefaultClient.Do); err != nil || tracer != nil {
			t.Errorf("%+v, %v", s, err)
		}
	}
	var none *Tracer
	span := none.Start("", "")
	span.End("x", false)
	none.Close()
}

func TestTheVariablesOfOpenTelemetryCount(t *testing.T) {
	s, err := TraceSettingsFromEnv(env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/", "OTEL_RESOURCE_ATTRIBUTES", "service.name=a,team=the%20shop",
		"OTEL_SERVICE_NAME", "b", "OTEL_EXPORTER_OTLP_HEADERS", "api-key=s3cret", "OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG", "0.25",
		"OTEL_BSP_SCHEDULE_DELAY", "100"))
	if err != nil || s.Endpoint != "http://collector:4318/v1/traces" || s.Resource["service.name"] != "b" || s.Resource["team"] != "the shop" ||
		s.Headers["api-key"] != "s3cret" || s.Ratio != 0.25 || s.Delay.Milliseconds() != 100 || s.Queue != 2048 {
		t.Errorf("%+v, %v", s, err)
	}
	if s, err := TraceSettingsFromEnv(env("OTEL_TRACES_EXPORTER", "otlp")); err != nil || s.Endpoint != "http://localhost:4318/v1/traces" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range [][]string{
		{"OTEL_TRACES_EXPORTER", "zipkin"}, {"OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"}, {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
		{"OTEL_TRACES_SAMPLER", "jaeger_remote"}, {"OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG", "2"},
	} {
		if _, err := TraceSettingsFromEnv(env(append(bad, "OTEL_EXPORTER_OTLP_ENDPOINT", "http://x")...)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	spanID  = "00f067aa0ba902b7"
)

func TestATraceGoesOnWhereItsParentIsOne(t *testing.T) {
	for text, ok := range map[string]bool{
		"00-" + traceID + "-" + spanID + "-01":                     true,
		"cc-" + traceID + "-" + spanID + "-01-what-the-future-has": true,
		"00-" + traceID + "-" + spanID + "-01-more":                false,
		"ff-" + traceID + "-" + spanID + "-01":                     false,
		"00-" + strings.ToUpper(traceID) + "-" + spanID + "-01":    false,
		"00-" + strings.Repeat("0", 32) + "-" + spanID + "-01":     false,
		"00-" + traceID + "-" + strings.Repeat("0", 16) + "-01":    false,
		"": false, "00-1-2-3": false, strings.Repeat("-", 100): false,
	} {
		tracer := &Tracer{settings: TraceSettings{Sampler: "always_on"}, now: nowhen}
		s := tracer.Start(text, "a=b")
		if goes := s.Trace == traceID && s.parent == spanID && s.state == "a=b"; goes != ok {
			t.Errorf("%q goes on: %v", text, goes)
		}
		if trace, parent, sampled, ok := parseParent("00-" + s.Trace + "-" + s.ID + "-01"); !ok || !sampled || trace != s.Trace || parent == spanID {
			t.Errorf("%s is not a parent", s.ID)
		}
	}
}

func TestSamplersDecideAsTheyAreCalled(t *testing.T) {
	yes, no := "00-"+traceID+"-"+spanID+"-01", "00-"+traceID+"-"+spanID+"-00"
	for _, c := range []struct {
		sampler, parent string
		ratio           float64
		want            bool
	}{
		{"always_on", no, 1, true}, {"always_off", yes, 1, false}, {"parentbased_always_on", no, 1, false}, {"parentbased_always_on", "", 1, true},
		{"parentbased_always_off", yes, 1, true}, {"traceidratio", yes, 0, false}, {"traceidratio", no, 1, true}, {"parentbased_traceidratio", yes, 0, true},
	} {
		tracer := &Tracer{settings: TraceSettings{Sampler: c.sampler, Ratio: c.ratio}, now: nowhen}
		if got := tracer.Start(c.parent, "").sampled; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestSpansReachTheCollector uses a collector that is busy at first.
func TestSpansReachTheCollector(t *testing.T) {
	got := make(chan otlpRequest, 1)
	asked := 0
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		var in otlpRequest
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &in, json.RejectUnknownMembers(true)); err != nil || r.Header.Get("Content-Type") != "application/json" ||
			r.Header.Get("Api-Key") != "s3cret" || r.URL.Path != "/v1/traces" {
			t.Errorf("%v %v %s", err, r.Header, body)
		}
		got <- in
	}))
	defer collector.Close()
	s, err := TraceSettingsFromEnv(env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL, "OTEL_EXPORTER_OTLP_HEADERS", "api-key=s3cret", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2"))
	if err != nil {
		t.Fatal(err)
	}
	tracer := NewTracer(s, "1.2.3", slog.New(slog.DiscardHandler), http.DefaultClient.Do)
	defer tracer.Close()
	tracer.Start("00-"+traceID+"-"+spanID+"-01", "").End("GET /v1/x", true, Attribute{Key: "http.response.status_code", Count: 500, IsInt: true})
	tracer.Start("", "").End("GET /v1/y", false, Attribute{Key: "a", Text: "b"})
	in := <-got
	spans := in.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 2 || spans[0].TraceID != traceID || spans[0].Parent != spanID || spans[0].Status.Code != statusError || spans[1].Parent != "" ||
		*spans[0].Attributes[0].Value.Count != "500" || *spans[1].Attributes[0].Value.Text != "b" || spans[0].Kind != kindServer || spans[0].End < spans[0].Start {
		t.Errorf("%+v", in)
	}
}

func TestAFullQueueDropsAndHoldsNobodyUp(t *testing.T) {
	tracer := &Tracer{settings: TraceSettings{Sampler: "always_on"}, now: nowhen, queue: make(chan ended, 1)}
	for range 3 {
		tracer.Start("", "").End("x", false)
	}
	if len(tracer.queue) != 1 {
		t.Error(len(tracer.queue))
	}
}

func nowhen() time.Time { return time.Unix(1_700_000_000, 0) }
