package telemetry

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tasker/internal/fault"
)

// TraceSettings says where spans go, and which spans.
type TraceSettings struct {
	Endpoint string            // the complete URL; empty: nothing is traced
	Headers  map[string]string // sent with every request
	Timeout  time.Duration     // for one request
	Resource map[string]string // describes the process, including service.name
	Sampler  string
	Ratio    float64       // share of traces started here, for samplers that take one
	Queue    int           // the most spans that may wait; further ones are dropped
	Batch    int           // spans in one request
	Delay    time.Duration // between requests that are smaller than a batch
}

// samplers are the values of OTEL_TRACES_SAMPLER that we support.
var samplers = []string{"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"}

// TraceSettingsFromEnv reads OpenTelemetry's environment variables. Nothing is traced unless they give an endpoint or
// OTEL_TRACES_EXPORTER=otlp.
func TraceSettingsFromEnv(env func(string) (string, bool)) (TraceSettings, error) {
	if env == nil {
		return TraceSettings{}, nil
	}
	get := func(name string) string {
		v, _ := env(name)
		return strings.TrimSpace(v)
	}
	exporter := get("OTEL_TRACES_EXPORTER")
	if strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") || exporter == "none" {
		return TraceSettings{}, nil
	}
	if exporter != "" && exporter != "otlp" {
		return TraceSettings{}, fault.Bad("OTEL_TRACES_EXPORTER: tasker does not know %q", exporter).WithHint("otlp or none")
	}
	endpoint := get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
	if base := get("OTEL_EXPORTER_OTLP_ENDPOINT"); endpoint == "" && base != "" {
		endpoint = strings.TrimRight(base, "/") + "/v1/traces"
	}
	if endpoint == "" {
		if exporter == "" {
			return TraceSettings{}, nil
		}
		endpoint = "http://localhost:4318/v1/traces"
	}
	if u, err := url.Parse(endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return TraceSettings{}, fault.Bad("the endpoint for traces is not an HTTP address").
			WithHint("OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318, for example")
	}
	if p := cmp.Or(get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), get("OTEL_EXPORTER_OTLP_PROTOCOL")); p != "" && p != "http/json" {
		return TraceSettings{}, fault.Bad("OTEL_EXPORTER_OTLP_PROTOCOL: tasker speaks http/json, not %q", p).
			WithHint("OTEL_EXPORTER_OTLP_PROTOCOL=http/json; collectors accept it on the http/protobuf port, 4318")
	}
	s := TraceSettings{Endpoint: endpoint, Sampler: cmp.Or(get("OTEL_TRACES_SAMPLER"), "parentbased_always_on"), Ratio: 1, Headers: map[string]string{}, Resource: map[string]string{}}
	return s, s.details(get)
}

// details reads the settings that have a default.
func (s *TraceSettings) details(get func(string) string) error {
	if !slices.Contains(samplers, s.Sampler) {
		return fault.Bad("OTEL_TRACES_SAMPLER: tasker does not know %q", s.Sampler).WithHint("one of %s", strings.Join(samplers, ", "))
	}
	if arg := get("OTEL_TRACES_SAMPLER_ARG"); arg != "" && strings.HasSuffix(s.Sampler, "traceidratio") {
		ratio, err := strconv.ParseFloat(arg, 64)
		if err != nil || ratio < 0 || ratio > 1 {
			return fault.Bad("OTEL_TRACES_SAMPLER_ARG: %q is not a number from 0 to 1", arg)
		}
		s.Ratio = ratio
	}
	for into, text := range map[*map[string]string]string{
		&s.Resource: get("OTEL_RESOURCE_ATTRIBUTES"), &s.Headers: cmp.Or(get("OTEL_EXPORTER_OTLP_TRACES_HEADERS"), get("OTEL_EXPORTER_OTLP_HEADERS")),
	} {
		for pair := range strings.SplitSeq(text, ",") {
			name, value, ok := strings.Cut(pair, "=")
			if value, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil {
				(*into)[strings.TrimSpace(name)] = value
			}
		}
	}
	s.Resource["service.name"] = cmp.Or(get("OTEL_SERVICE_NAME"), s.Resource["service.name"], "tasker")
	number := func(text string, most, fallback int) int {
		if n, err := strconv.Atoi(text); err == nil && n > 0 && n <= most {
			return n
		}
		return fallback
	}
	milliseconds := func(text string, fallback int) time.Duration {
		return time.Duration(number(text, math.MaxInt, fallback)) * time.Millisecond
	}
	s.Timeout = milliseconds(cmp.Or(get("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"), get("OTEL_EXPORTER_OTLP_TIMEOUT")), 10_000)
	s.Delay = milliseconds(get("OTEL_BSP_SCHEDULE_DELAY"), 5_000)
	s.Queue, s.Batch = number(get("OTEL_BSP_MAX_QUEUE_SIZE"), 100_000, 2048), number(get("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"), 100_000, 512)
	return nil
}
