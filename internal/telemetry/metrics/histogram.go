package metrics

import (
	"math"
	"sort"
	"strconv"
	"sync/atomic"
)

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
	name, help string
	bounds     []float64
	series     series[Histogram]
}

// Histograms adds a family of histograms that differ in their label values; bounds are the upper bounds of their buckets,
// ascending.
func (s *Set) Histograms(name, help string, bounds []float64, labels ...string) *Histograms {
	h := &Histograms{name: name, help: help, bounds: bounds, series: series[Histogram]{labels: labels, byPair: map[string]*Histogram{}}}
	s.add(h)
	return h
}

// Of returns the histogram with these label values, in the order of the labels.
func (h *Histograms) Of(values ...string) *Histogram {
	return h.series.of(values, func() *Histogram {
		return &Histogram{bounds: h.bounds, counts: make([]atomic.Int64, len(h.bounds)+1)}
	})
}

func (h *Histograms) describe() (name, help, kind string) { return h.name, h.help, "histogram" }

func (h *Histograms) write(w *writer) {
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
				end = number(one.bounds[i])
			}
			w.sample("_bucket", before+`le="`+end+`"`, strconv.FormatInt(total, 10))
		}
		w.sample("_sum", labels, number(math.Float64frombits(one.sum.Load())))
		w.sample("_count", labels, strconv.FormatInt(total, 10))
	})
}
