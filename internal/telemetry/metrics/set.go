package metrics

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// seriesLimit is the most series that a family may have. Further ones are counted under the label value "other", so that no
// client can make a server hold more and more of them.
const seriesLimit = 1000

// Set is the metrics of a process. Its zero value is empty. Families are written in the order in which they were added.
type Set struct {
	writing  sync.Mutex // held by Write
	mu       sync.Mutex
	families []family
	before   []func(context.Context)
}

// Before registers f to run at the beginning of each Write, with its context, which says who asks. Values that several
// families show are read once there, so that the families agree. Only one Write runs at a time.
func (s *Set) Before(f func(context.Context)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = append(s.before, f)
}

// family is all series of one name.
type family interface {
	describe() (name, help, kind string)
	write(w *writer)
}

func (s *Set) add(f family) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.families = append(s.families, f)
}

// Write writes every family with its series, in order.
func (s *Set) Write(ctx context.Context, to io.Writer) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	families, before := slices.Clone(s.families), slices.Clone(s.before)
	s.mu.Unlock()
	for _, f := range before {
		f(ctx)
	}
	w := &writer{Writer: bufio.NewWriter(to)}
	for _, f := range families {
		name, help, kind := f.describe()
		w.name = name
		_, _ = w.WriteString("# HELP " + name + " " + helpText.Replace(help) + "\n# TYPE " + name + " " + kind + "\n")
		f.write(w)
	}
	return w.Flush()
}

// writer writes the series of a family. An error of its Writer is kept until Flush.
type writer struct {
	*bufio.Writer
	name string
}

// sample writes one line; labels are name and value pairs, without braces.
func (w *writer) sample(suffix, labels string, value string) {
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
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name + `="` + labelText.Replace(strings.ToValidUTF8(values[i], "\uFFFD")) + `"`)
	}
	return b.String()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

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
		other := slices.Repeat([]string{"other"}, len(values))
		key = labelled(s.labels, other)
	}
	if s.byPair[key] == nil {
		s.byPair[key] = fresh()
	}
	return s.byPair[key]
}

// each calls f for every series, in the order of their labels.
func (s *series[T]) each(f func(labels string, one *T)) {
	s.mu.RLock()
	keys := make([]string, 0, len(s.byPair))
	for key := range s.byPair {
		keys = append(keys, key)
	}
	s.mu.RUnlock()
	slices.Sort(keys)
	for _, key := range keys {
		s.mu.RLock()
		one := s.byPair[key]
		s.mu.RUnlock()
		f(key, one)
	}
}
