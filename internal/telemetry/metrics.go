package telemetry

import (
	"bufio"
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
	writing  sync.Mutex // held by Write
	mu       sync.Mutex
	families []metricFamily
	before   []func(context.Context)
}

// Before registers f to run at the beginning of each Write, with its context, which says who asks. Values that several
// families show are read once there, so that the families agree. Only one Write runs at a time.
func (s *Metrics) Before(f func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = append(s.before, f)
}

// metricFamily is all series of one name.
type metricFamily struct {
	name, help, kind string
	write            func(w *metricsWriter)
}

func (s *Metrics) add(f metricFamily) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.families = append(s.families, f)
}

// Write writes every family with its series, in order.
func (s *Metrics) Write(ctx context.Context, to io.Writer) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	families, before := slices.Clone(s.families), slices.Clone(s.before)
	s.mu.Unlock()
	for _, f := range before {
		f(ctx)
	}
	w := &metricsWriter{Writer: bufio.NewWriter(to)}
	for _, f := range families {
		w.name = f.name
		_, _ = w.WriteString("# HELP " + f.name + " " + helpText.Replace(f.help) + "\n# TYPE " + f.name + " " + f.kind + "\n")
		f.write(w)
	}
	return w.Flush()
}

// metricsWriter writes the series of a family. An error of its Writer is kept until Flush.
type metricsWriter struct {
	*bufio.Writer
	name string
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
	mu     sync.RWMutex
	byPair map[string]*T
}

// of returns the series with these label values, and creates it if necessary.
func (s *series[T]) of(values []string, fresh func() *T) *T {
	key := labelled(s.labels, values)
	s.mu.RLock()
	found := s.byPair[key]
	s.mu.RUnlock()
	if found != nil {
		return found
	}
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
	s.mu.RLock()
	all := maps.Clone(s.byPair)
	s.mu.RUnlock()
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
	s.add(metricFamily{name, help, "counter", c.write})
	return c
}

// Of returns the counter with these label values, in the order of the labels.
func (c *Counters) Of(values ...string) *Counter {
	return c.series.of(values, func() *Counter { return new(Counter) })
}

func (c *Counters) write(w *metricsWriter) {
	c.series.each(func(labels string, one *Counter) { w.sample("", labels, strconv.FormatInt(one.n.Load(), 10)) })
}

// Sample is one value, with the values of its family's labels in their order.
type Sample struct {
	Labels []string
	Value  float64
}

// read adds a family whose values are read at each scrape.
func (s *Metrics) read(name, help, kind string, labels []string, samples func() []Sample) {
	s.add(metricFamily{name, help, kind, func(w *metricsWriter) {
		all := samples()
		for _, one := range all[:min(len(all), seriesLimit)] {
			w.sample("", labelled(labels, one.Labels), metricNumber(one.Value))
		}
	}})
}

// Gauges adds a family whose values are read at each scrape. samples leaves out what it cannot read.
func (s *Metrics) Gauges(name, help string, labels []string, samples func() []Sample) {
	s.read(name, help, "gauge", labels, samples)
}

// Gauge adds a family with one value that is read at each scrape.
func (s *Metrics) Gauge(name, help string, value func() float64) {
	s.Gauges(name, help, nil, func() []Sample { return []Sample{{Value: value()}} })
}

// Counts adds a counter that is kept elsewhere and read at each scrape. It is left out if its value is not known.
func (s *Metrics) Counts(name, help string, value func() (n float64, known bool)) {
	s.read(name, help, "counter", nil, func() []Sample {
		n, known := value()
		if !known {
			return nil
		}
		return []Sample{{Value: n}}
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
	s.add(metricFamily{name, help, "histogram", h.write})
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
