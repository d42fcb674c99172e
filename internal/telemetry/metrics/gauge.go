package metrics

// Sample is one value, with the values of its family's labels in their order.
type Sample struct {
	Labels []string
	Value  float64
}

// read is a family whose values are read at each scrape.
type read struct {
	name, help, kind string
	labels           []string
	samples          func() []Sample
}

// Gauges adds a family whose values are read at each scrape. samples leaves out what it cannot read.
func (s *Set) Gauges(name, help string, labels []string, samples func() []Sample) {
	s.add(&read{name, help, "gauge", labels, samples})
}

// Gauge adds a family with one value that is read at each scrape.
func (s *Set) Gauge(name, help string, value func() float64) {
	s.Gauges(name, help, nil, func() []Sample { return []Sample{{Value: value()}} })
}

// Counts adds a counter that is kept elsewhere and read at each scrape. It is left out if its value is not known.
func (s *Set) Counts(name, help string, value func() (n float64, known bool)) {
	s.add(&read{name, help, "counter", nil, func() []Sample {
		n, known := value()
		if !known {
			return nil
		}
		return []Sample{{Value: n}}
	}})
}

func (g *read) describe() (name, help, kind string) { return g.name, g.help, g.kind }

func (g *read) write(w *writer) {
	samples := g.samples()
	for _, one := range samples[:min(len(samples), seriesLimit)] {
		w.sample("", labelled(g.labels, one.Labels), number(one.Value))
	}
}
