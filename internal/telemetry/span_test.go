package telemetry

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// collected runs fn with a tracer, and returns the spans it sent, by name.
func collected(t *testing.T, fn func(ctx context.Context)) map[string]wireSpan {
	t.Helper()
	var body []byte
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { body, _ = io.ReadAll(r.Body) }))
	defer collector.Close()
	s, err := TraceSettingsFromEnv(env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL))
	if err != nil {
		t.Fatal(err)
	}
	tracer := NewTracer(s, "1", slog.New(slog.DiscardHandler), http.DefaultClient.Do)
	fn(tracer.Into(t.Context()))
	tracer.Close()
	out := map[string]wireSpan{}
	var in otlpRequest
	if len(body) == 0 {
		return out
	}
	if err := json.Unmarshal(body, &in); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(body), "s3cret") {
		t.Errorf("a span reveals a secret: %s", body)
	}
	for _, span := range in.ResourceSpans[0].ScopeSpans[0].Spans {
		out[span.Name] = span
	}
	return out
}

func TestACallToAnotherSystemIsASpanOfItsJob(t *testing.T) {
	var parents []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parents = append(parents, r.Header.Get("Traceparent"))
		w.WriteHeader(http.StatusNotFound)
	}))
	defer other.Close()
	ask := func(ctx context.Context, at string, name string, passOn bool) {
		client := http.Client{Transport: Transport{RoundTripper: http.DefaultTransport, Name: name, PassOn: passOn}}
		defer client.CloseIdleConnections()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/s3cret?token=s3cret", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "s3cret")
		if res, err := client.Do(r); err == nil {
			_ = res.Body.Close()
		}
		if r.Header.Get("Traceparent") != "" {
			t.Error("the caller's request was changed")
		}
	}
	spans := collected(t, func(ctx context.Context) {
		ask(ctx, other.URL, "unasked", true) // outside any job
		ctx, end := Job(ctx, "job")
		ask(ctx, other.URL, "tracker", false)
		ask(ctx, other.URL, "webhook", true)
		ask(ctx, "http://127.0.0.1:1", "gone", false)
		again, _ := Job(ctx, "job within")
		if again != ctx {
			t.Error("a job within a span begins another trace")
		}
		end(false)
	})
	job := spans["job"]
	if len(spans) != 4 || job.Parent != "" || job.Kind != kindInternal {
		t.Fatalf("%+v", spans)
	}
	for _, name := range []string{"GET tracker", "GET webhook", "GET gone"} {
		if s := spans[name]; s.TraceID != job.TraceID || s.Parent != job.SpanID || s.Kind != kindClient || s.Status.Code != statusError ||
			len(s.Attributes) != 3 || *s.Attributes[1].Value.Text != "127.0.0.1" {
			t.Errorf("%s is %+v", name, s)
		}
	}
	want := []string{"", "", "00-" + job.TraceID + "-" + spans["GET webhook"].SpanID + "-01"}
	if strings.Join(parents, ",") != strings.Join(want, ",") {
		t.Errorf("passed on was %q, want %q", parents, want)
	}
}

func TestNobodyTracesACommandsCalls(t *testing.T) {
	ctx, end := Job(t.Context(), "job")
	end(true)
	if ChildSpan(ctx) != nil {
		t.Error("a span of nobody's")
	}
}
