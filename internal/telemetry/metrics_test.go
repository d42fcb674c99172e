package telemetry_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tasker/internal/telemetry"
)

func written(t *testing.T, s *telemetry.Metrics) string {
	t.Helper()
	var b strings.Builder
	if err := s.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheTextIsWhatPrometheusReads(t *testing.T) {
	var s telemetry.Metrics
	c := s.Counters("calls_total", `Calls, by "who" \ where`, "who")
	c.Of("b").Add(2)
	c.Of("a\n\"\\\xff").Add(1)
	h := s.Histograms("took_seconds", "How long.", []float64{0.5, 1})
	for _, v := range []float64{0.25, 0.5, 0.75, 3} {
		h.Of().Observe(v)
	}
	s.Read(func(context.Context) []telemetry.Family {
		samples := []telemetry.Sample{{[]string{"open"}, 3}, {[]string{"done"}, 1e9}}
		return []telemetry.Family{{Name: "tasks", Help: "Tasks.", Labels: []string{"state"}, Samples: samples}}
	})
	want := `# HELP calls_total Calls, by "who" \\ where
# TYPE calls_total counter
calls_total{who="a\n\"\\` + "\uFFFD" + `"} 1
calls_total{who="b"} 2
# HELP took_seconds How long.
# TYPE took_seconds histogram
took_seconds_bucket{le="0.5"} 2
took_seconds_bucket{le="1"} 3
took_seconds_bucket{le="+Inf"} 4
took_seconds_sum 4.5
took_seconds_count 4
# HELP tasks Tasks.
# TYPE tasks gauge
tasks{state="open"} 3
tasks{state="done"} 1e+09
`
	if got := written(t, &s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A client that chooses label values cannot make a server hold more and more series.
func TestSeriesAreBounded(t *testing.T) {
	var s telemetry.Metrics
	c := s.Counters("calls_total", "Calls.", "who")
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 1000 {
				c.Of(strconv.Itoa(g*1000 + i)).Add(1)
			}
		})
	}
	all.Wait()
	text := written(t, &s)
	if n := strings.Count(text, "\n") - 2; n != 1000 {
		t.Errorf("got %d series, want 1000", n)
	}
	if !strings.Contains(text, `calls_total{who="other"} 3001`+"\n") {
		t.Errorf("the rest is not counted together: %s", text[len(text)-300:])
	}
}
