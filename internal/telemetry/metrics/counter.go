package metrics

import (
	"strconv"
	"sync/atomic"
)

// Counter only grows.
type Counter struct{ n atomic.Int64 }

// Add counts n more.
func (c *Counter) Add(n int64) { c.n.Add(n) }

// Counters are the counters of one family.
type Counters struct {
	name, help string
	series     series[Counter]
}

// Counters adds a family of counters that differ in their label values. Its name ends in _total.
func (s *Set) Counters(name, help string, labels ...string) *Counters {
	c := &Counters{name: name, help: help, series: series[Counter]{labels: labels, byPair: map[string]*Counter{}}}
	s.add(c)
	return c
}

// Of returns the counter with these label values, in the order of the labels.
func (c *Counters) Of(values ...string) *Counter {
	return c.series.of(values, func() *Counter { return new(Counter) })
}

func (c *Counters) describe() (name, help, kind string) { return c.name, c.help, "counter" }

func (c *Counters) write(w *writer) {
	c.series.each(func(labels string, one *Counter) { w.sample("", labels, strconv.FormatInt(one.n.Load(), 10)) })
}
