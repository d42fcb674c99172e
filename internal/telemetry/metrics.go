package telemetry

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// seriesLimit is the most series that a family may have. Further ones are counted under the label value "other", so that no
// client can make a server hold more and more of them.
const seriesLimit = 1000

// Metrics is the metrics of a process. Its zero value is empty. Families are written in the order in which they were added.
type Metrics struct {
	writing sync.Mutex // held by Write
	mu      sync.Mutex
	sources []metricSource
}

// metricSource writes families with their series.
type metricSource func(context.Context, *metricsWriter)

func (s *Metrics) add(f metricSource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sources = append(s.sources, f)
}

// Write writes every family with its series, in order.
func (s *Metrics) Write(ctx context.Context, to io.Writer) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	sources := slices.Clone(s.sources)
	s.mu.Unlock()
	w := &metricsWriter{Writer: bufio.NewWriter(to)}
	for _, f := range sources {
		f(ctx, w)
	}
	return w.Flush()
}

// metricsWriter writes the series of a family. An error of its Writer is kept until Flush.
type metricsWriter struct {
	*bufio.Writer
	name string
}

// begin begins a family.
func (w *metricsWriter) begin(name, help, kind string) {
	w.name = name
	_, _ = w.WriteString("# HELP " + name + " " + helpText.Replace(help) + "\n# TYPE " + name + " " + kind + "\n")
}

// sample writes one line; labels are name and value pairs, without braces.
func (w *metricsWriter) sample(suffix, labels string, value string) {
	_, _ = w.WriteString(w.name + suffix)
	if labels != "" {
		_, _ = w.WriteString("{" + labels + "}")
	}
	_, _ = w.WriteString(" " + value + "\n")
}

var (
	helpText  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelText = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// labelled returns a series' labels as they are written.
func labelled(names, values []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name + `="` + labelText.Replace(strings.ToValidUTF8(values[i], "\uFFFD")) + `"`
	}
	return strings.Join(out, ",")
}

func metricNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// series holds the series of a family by their labels.
type series[T any] struct {
	labels []string
	mu     sync.Mutex
	byPair map[string]*T
}

// of returns the series with these label values, and creates it if necessary.
func (s *series[T]) of(values []string, fresh func() *T) *T {
	key := labelled(s.labels, values)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byPair) >= seriesLimit-1 && s.byPair[key] == nil {
		key = labelled(s.labels, slices.Repeat([]string{"other"}, len(values)))
	}
	if s.byPair[key] == nil {
		s.byPair[key] = fresh()
	}
	return s.byPair[key]
}

// each calls f for every series, in the order of their labels.
func (s *series[T]) each(f func(labels string, one *T)) {
	s.mu.Lock()
	all := maps.Clone(s.byPair)
	s.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(all)) {
		f(key, all[key])
	}
}

// Counter only grows.
type Counter struct{ n atomic.Int64 }

// Add counts n more.
func (c *Counter) Add(n int64) { c.n.Add(n) }

// Counters are the counters of one family.
type Counters struct{ series series[Counter] }

// Counters adds a family of counters that differ in their label values. Its name ends in _total.
func (s *Metrics) Counters(name, help string, labels ...string) *Counters {
	c := &Counters{series[Counter]{labels: labels, byPair: map[string]*Counter{}}}
	s.add(func(_ context.Context, w *metricsWriter) {
		w.begin(name, help, "counter")
		c.series.each(func(labels string, one *Counter) { w.sample("", labels, strconv.FormatInt(one.n.Load(), 10)) })
	})
	return c
}

// Of returns the counter with these label values, in the order of the labels.
func (c *Counters) Of(values ...string) *Counter {
	return c.series.of(values, func() *Counter { return new(Counter) })
}

// Sample is one value, with the values of its family's labels in their order.
type Sample struct {
	Labels []string
	Value  float64
}

// Family is the samples of one name, as a scrape finds them.
type Family struct {
	Name, Help string
	Kind       string   // gauge, unless given
	Labels     []string // the names of the labels
	Samples    []Sample // none where the values cannot be read
}

// Read adds families whose values are read at each scrape, together, so that they agree. The context of read says who asks.
// Only one scrape runs at a time.
func (s *Metrics) Read(read func(context.Context) []Family) {
	s.add(func(ctx context.Context, w *metricsWriter) {
		for _, f := range read(ctx) {
			w.begin(f.Name, f.Help, cmp.Or(f.Kind, "gauge"))
			for _, one := range f.Samples[:min(len(f.Samples), seriesLimit)] {
				w.sample("", labelled(f.Labels, one.Labels), metricNumber(one.Value))
			}
		}
	})
}

// Histogram counts values by size.
type Histogram struct {
	bounds []float64      // upper bounds of the buckets, ascending
	counts []atomic.Int64 // one more than bounds, for values above all of them
	sum    atomic.Uint64  // the bits of a float64
}

// Observe counts a value.
func (h *Histogram) Observe(v float64) {
	h.counts[sort.SearchFloat64s(h.bounds, v)].Add(1)
	for {
		was := h.sum.Load()
		if h.sum.CompareAndSwap(was, math.Float64bits(math.Float64frombits(was)+v)) {
			return
		}
	}
}

// Histograms are the histograms of one family.
type Histograms struct {
	bounds []float64
	series series[Histogram]
}

// Histograms adds a family of histograms that differ in their label values; bounds are the upper bounds of their buckets,
// ascending.
func (s *Metrics) Histograms(name, help string, bounds []float64, labels ...string) *Histograms {
	h := &Histograms{bounds, series[Histogram]{labels: labels, byPair: map[string]*Histogram{}}}
	s.add(func(_ context.Context, w *metricsWriter) {
		w.begin(name, help, "histogram")
		h.write(w)
	})
	return h
}

// Of returns the histogram with these label values, in the order of the labels.
func (h *Histograms) Of(values ...string) *Histogram {
	return h.series.of(values, func() *Histogram {
		return &Histogram{bounds: h.bounds, counts: make([]atomic.Int64, len(h.bounds)+1)}
	})
}

func (h *Histograms) write(w *metricsWriter) {
	h.series.each(func(labels string, one *Histogram) {
		before := labels
		if before != "" {
			before += ","
		}
		total := int64(0)
		for i := range one.counts {
			total += one.counts[i].Load()
			end := "+Inf"
			if i < len(one.bounds) {
				end = metricNumber(one.bounds[i])
			}
			w.sample("_bucket", before+`le="`+end+`"`, strconv.FormatInt(total, 10))
		}
		w.sample("_sum", labels, metricNumber(math.Float64frombits(one.sum.Load())))
		w.sample("_count", labels, strconv.FormatInt(total, 10))
	})
}
