package chart

import (
	"slices"
	"sort"

	"tasker/internal/task"
	"tasker/internal/views/picture"
)

// Lanes is a chart of who held which task and when.
type Lanes struct {
	Rows   []Row
	Height int
	NowX   string
	Ticks  []Tick
}

// Row is one row of a worker's lane: tasks that the worker held one after the other. A worker that held several tasks at
// once has several rows.
type Row struct {
	Name     string // the worker's name, on its first row only
	Actor    string
	Y, TextY int
	Spans    []Span
	until    float64 // where the last bar or label of the row ends
}

// Span is one bar, which links to its task. Its label says how the span ended and which task it was. The label is inside
// the bar if it fits, and next to the bar if not.
type Span struct {
	Task           task.ID
	X, W, End, Say string
	Label, LabelX  string
	Inside         bool
	Fresh          bool // began or ended after the moment from which changes are marked
	from, to       task.Time
}

// Tick is a moment below a chart, in UTC; a script rewrites it in the reader's time zone, in the same form.
type Tick struct{ X, Text, At, Form string }

// Measurements of the charts.
const (
	chartW   = 1200
	chartL   = 170 // where the time axis begins
	chartR   = 190 // room for the label of the last bar, and on a phone for the worker's name
	rowH     = 24
	mostRows = 60
	letterW  = 6.4
)

// ends shows how a span ended without relying on colour.
var ends = map[string]string{"live": "◐", "released": "↩", "lapsed": "!", "done": "✓", "in_review": "◇", "cancelled": "✕", "open": "○"}

// Held places spans on a chart whose time axis begins with the first span. If since is given, spans that began or ended
// after it are marked.
func Held(out *picture.TimelineOut, since *task.Time) Lanes {
	var b Lanes
	if len(out.Spans) == 0 {
		return b
	}
	from := out.To
	for _, h := range out.Spans {
		from = min(from, max(h.From, out.From))
	}
	wide := max(out.To-from, 10_000_000)
	x := func(t task.Time) float64 {
		return chartL + float64(max(t, from)-from)/float64(wide)*(chartW-chartL-chartR)
	}
	b.Rows = lanesOf(out.Spans, out.To, x)
	b.Height, b.NowX = 34+len(b.Rows)*rowH, Num(x(from+wide))
	b.Ticks = ticks(from, wide, x)
	if since != nil {
		b.mark(*since)
	}
	return b
}

// mark marks the spans that began or ended after since.
func (b *Lanes) mark(since task.Time) {
	for _, row := range b.Rows {
		for i := range row.Spans {
			h := &row.Spans[i]
			if h.Fresh = h.from > since || h.End != "live" && h.to > since; h.Fresh {
				h.Say += ", since the marks begin"
			}
		}
	}
}

// lanesOf puts spans into lanes, one per worker. The worker that claimed most recently comes first.
func lanesOf(spans []picture.Held, now task.Time, x func(task.Time) float64) (rows []Row) {
	var workers []string
	held := map[string][]picture.Held{}
	for _, h := range slices.Backward(spans) {
		if held[h.Actor] == nil {
			workers = append(workers, h.Actor)
		}
		held[h.Actor] = append(held[h.Actor], h)
	}
	for _, worker := range workers {
		first := len(rows)
		mine := held[worker]
		sort.SliceStable(mine, func(i, j int) bool { return mine[i].From < mine[j].From })
		for _, h := range mine {
			at := first
			for at < len(rows) && rows[at].until > x(h.From) {
				at++
			}
			if at == len(rows) {
				if at == mostRows {
					continue
				}
				row := Row{Actor: worker, Y: 26 + at*rowH, TextY: 26 + at*rowH + 12}
				if at == first {
					row.Name = Clip(worker, 24)
				}
				rows = append(rows, row)
			}
			rows[at].add(h, now, x)
		}
	}
	return rows
}

// add appends a span to the row and places its label where it overlaps nothing.
func (r *Row) add(h picture.Held, now task.Time, x func(task.Time) float64) {
	left, w := x(h.From), max(3, x(h.To)-x(h.From))
	s := Span{
		Task: h.Task, X: Num(left), W: Num(w), End: h.End, from: h.From, to: h.To, Label: ends[h.End] + " " + string(h.Task),
		Say: string(h.Task) + " " + Visible(h.Title) + ", " + h.Actor + ": " + Lasted(h.To.Go().Sub(h.From.Go()).Milliseconds()) + ", " + ending(h, now),
	}
	wide := func(text string) float64 { return float64(len([]rune(text)))*letterW + 10 }
	if s.Inside = wide(s.Label) < w; s.Inside {
		s.Label, s.LabelX, r.until = Fit(s.Label+" "+h.Title, 10.5, w-12), Num(left+6), left+w+2
	} else {
		s.LabelX, r.until = Num(left+w+4), left+w+wide(s.Label)
	}
	r.Spans = append(r.Spans, s)
}

// ending says how a span ended, and how long ago.
func ending(h picture.Held, now task.Time) string {
	switch h.End {
	case "live":
		return "held still"
	case "lapsed":
		return "its lease ran out " + Relative(h.To.Go().Sub(now.Go()))
	case string(task.Open):
		return "given back " + Relative(h.To.Go().Sub(now.Go()))
	}
	return Word(h.End) + " " + Relative(h.To.Go().Sub(now.Go()))
}

const second task.Time = 1_000_000

// grid lists the distances that ticks may have.
var grid = []task.Time{
	second, 5 * second, 15 * second, 60 * second, 5 * 60 * second, 15 * 60 * second, 3600 * second, 3 * 3600 * second, 6 * 3600 * second,
	12 * 3600 * second, 86400 * second, 2 * 86400 * second, 7 * 86400 * second, 30 * 86400 * second, 90 * 86400 * second, 365 * 86400 * second,
}

// ticks marks about half a dozen round moments of a span of time. The day is named where it changes.
func ticks(from, wide task.Time, x func(task.Time) float64) (out []Tick) {
	var step task.Time
	for _, step = range grid {
		if wide/step <= 7 {
			break
		}
	}
	day := ""
	for at := (from + step - 1) / step * step; at <= from+wide; at += step {
		text := at.String() // RFC 3339
		label, clock, form := at.Go().UTC().Format("2 Jan"), text[11:16], "minute"
		if step < 60*second {
			clock, form = text[11:19], "second"
		}
		switch {
		case step >= 86400*second:
			form = "day"
		case label != day:
			day, label = label, label+" "+clock
		default:
			label = clock
		}
		out = append(out, Tick{Num(x(at)), label, text, form})
	}
	return out
}
