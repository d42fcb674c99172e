package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// result is one ratio, measured several times.
type result struct {
	what, against string
	ours, theirs  []float64 // in unit, by run
	ratios        []float64 // by run: ours by theirs
	cpu, allocs   []float64 // of one operation of ours, by run: microseconds of processor time, objects; empty where not measured
	unit          string
	bound         bound
	everywhere    bool // the bound applies on PostgreSQL too
	note          string
	failed        string // what else did not hold
}

// bound is what a ratio must be; any ratio meets the zero bound.
type bound struct {
	atLeast, atMost float64
}

func (b bound) String() string {
	switch {
	case b.atLeast > 0:
		return fmt.Sprintf("≥ %g", b.atLeast)
	case b.atMost > 0:
		return fmt.Sprintf("≤ %g", b.atMost)
	default:
		return "reported"
	}
}

func (b bound) holds(r float64) bool {
	return r >= b.atLeast && (b.atMost == 0 || r <= b.atMost)
}

// add records what one run measured of both sides.
func (r *result) add(ours, theirs float64) {
	r.ours, r.theirs = append(r.ours, ours), append(r.theirs, theirs)
	r.ratios = append(r.ratios, ours/theirs)
}

// spent records what n operations of ours cost in one run.
func (r *result) spent(c cost, n int) {
	r.cpu = append(r.cpu, c.cpu*1e6/float64(n))
	r.allocs = append(r.allocs, c.allocs/float64(n))
}

// perOperation returns processor time and allocations of one operation, with their spread.
func (r *result) perOperation() string {
	if len(r.cpu) == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g µs (%.4g to %.4g), %.0f allocations", median(r.cpu), slices.Min(r.cpu), slices.Max(r.cpu), median(r.allocs))
}

func (r *result) ok() bool { return r.failed == "" && r.bound.holds(median(r.ratios)) }

func (r *result) state() string {
	switch {
	case !r.ok():
		return "MISSED"
	case r.bound == bound{}:
		return ""
	default:
		return "ok"
	}
}

// cells returns the columns of the table.
func (r *result) cells() []string {
	note := r.note
	if r.failed != "" {
		note = strings.TrimSpace(r.failed + " " + note)
	}
	return []string{
		r.what, r.against, figure(median(r.ours), r.unit), figure(median(r.theirs), r.unit),
		fmt.Sprintf("%.3g", median(r.ratios)), fmt.Sprintf("%.3g to %.3g", slices.Min(r.ratios), slices.Max(r.ratios)),
		r.bound.String(), r.state(), r.perOperation(), note,
	}
}

var headings = []string{"what", "against", "ours", "theirs", "ratio", "spread", "must be", "", "processor time of one", "note"}

func (r *result) line() string {
	c := r.cells()
	return fmt.Sprintf("  %-58s %-46s %12s %12s %8s (%s) %9s %6s  %s  %s", c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9])
}

func figure(v float64, unit string) string {
	switch {
	case unit == "/s" || v >= 1000:
		return fmt.Sprintf("%.0f %s", v, unit)
	default:
		return fmt.Sprintf("%.3g %s", v, unit)
	}
}

// report is everything that was measured.
type report struct {
	machine string
	options options
	tables  []*table
}

type table struct {
	engine  string
	results []*result
	took    time.Duration
}

func (r *report) add(engine string) *table {
	t := &table{engine: engine}
	r.tables = append(r.tables, t)
	return t
}

// verdict returns an error if a bound was missed.
func (r *report) verdict() error {
	var missed []error
	for _, t := range r.tables {
		for _, res := range t.results {
			if !res.ok() {
				missed = append(missed, fmt.Errorf("missed on %s: %s against %s is %.3g, and must be %s %s",
					t.engine, res.what, res.against, median(res.ratios), res.bound, res.failed))
			}
		}
	}
	return errors.Join(missed...)
}

func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(`# Speed

Written by ` + "`make bench`" + `. A ratio is the median of the ratios of its runs, whose two sides are measured in turns;
the spread is the lowest and the highest of them, which is the machine's noise. ` + "`ours` and `theirs`" + ` are medians.
Processor time is that of this process for one operation of ours, clients included.

`)
	fmt.Fprintf(&b, "%s %d runs of each.\n", r.machine, r.options.runs)
	for _, t := range r.tables {
		fmt.Fprintf(&b, "\n## %s\n\nMeasured in %.0f s.\n\n", t.engine, t.took.Seconds())
		b.WriteString("| " + strings.Join(headings, " | ") + " |\n" + strings.Repeat("|---", len(headings)) + "|\n")
		for _, res := range t.results {
			b.WriteString("| " + strings.Join(res.cells(), " | ") + " |\n")
		}
	}
	return b.String()
}

// look returns a description of the machine: what it is, how busy it is, and how long a sync of its disk takes.
func look(dir string) string {
	load := "unknown"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(text))[:1], " ")
	}
	sync := "unknown"
	if f, err := os.Create(filepath.Join(dir, "sync")); err == nil {
		var took []float64
		page := make([]byte, 4096)
		for range 200 {
			began := time.Now()
			if _, err := f.Write(page); err != nil || f.Sync() != nil {
				break
			}
			took = append(took, time.Since(began).Seconds()*1e6)
		}
		_ = f.Close()
		_ = os.Remove(f.Name())
		if len(took) > 0 {
			sync = fmt.Sprintf("%.0f µs (p99 %.0f µs)", median(took), quantile(took, 0.99))
		}
	}
	return fmt.Sprintf("Machine: %s/%s, %d cores, %s. A page written and synced takes %s. Load average before the start: %s.",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), sync, load)
}

func median(v []float64) float64 { return quantile(v, 0.5) }

// quantile returns the value below which a share of the others lies.
func quantile[T cmp.Ordered](v []T, q float64) T {
	s := slices.Sorted(slices.Values(v))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}
