package telemetry

import (
	"net/url"
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
	first := func(names ...string) string {
		for _, n := range names {
			if v := get(n); v != "" {
				return v
			}
		}
		return ""
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
	if p := first("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"); p != "" && p != "http/json" {
		return TraceSettings{}, fault.Bad("OTEL_EXPORTER_OTLP_PROTOCOL: tasker speaks http/json, and not %q", p).
			WithHint("OTEL_EXPORTER_OTLP_PROTOCOL=http/json; collectors take it at the port of http/protobuf, 4318")
	}
	s := TraceSettings{Endpoint: endpoint, Sampler: first("OTEL_TRACES_SAMPLER"), Ratio: 1, Headers: map[string]string{}, Resource: map[string]string{}}
	return s, s.details(get, first)
}

// details reads the settings that have a default.
func (s *TraceSettings) details(get func(string) string, first func(...string) string) error {
	if s.Sampler == "" {
		s.Sampler = "parentbased_always_on"
	}
	known := false
	for _, name := range samplers {
		known = known || name == s.Sampler
	}
	if !known {
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
		&s.Resource: get("OTEL_RESOURCE_ATTRIBUTES"), &s.Headers: first("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"),
	} {
		for pair := range strings.SplitSeq(text, ",") {
			name, value, ok := strings.Cut(pair, "=")
			if value, err := url.PathUnescape(strings.TrimSpace(value)); ok && err == nil {
				(*into)[strings.TrimSpace(name)] = value
			}
		}
	}
	if name := get("OTEL_SERVICE_NAME"); name != "" {
		s.Resource["service.name"] = name
	} else if s.Resource["service.name"] == "" {
		s.Resource["service.name"] = "tasker"
	}
	milliseconds := func(fallback time.Duration, names ...string) time.Duration {
		if n, err := strconv.Atoi(first(names...)); err == nil && n > 0 {
			return time.Duration(n) * time.Millisecond
		}
		return fallback
	}
	count := func(name string, fallback int) int {
		if n, err := strconv.Atoi(get(name)); err == nil && n > 0 && n <= 100_000 {
			return n
		}
		return fallback
	}
	s.Timeout = milliseconds(10*time.Second, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
	s.Delay = milliseconds(5*time.Second, "OTEL_BSP_SCHEDULE_DELAY")
	s.Queue, s.Batch = count("OTEL_BSP_MAX_QUEUE_SIZE", 2048), count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512)
	return nil
}
