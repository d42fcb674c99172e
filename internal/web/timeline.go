package web

import (
	"net/http"

	"tasker/internal/core/picture"
	"tasker/internal/op"
	"tasker/internal/task"
)

// timelineBody is the timeline page: charts, and the tables that say the same.
type timelineBody struct {
	*picture.TimelineOut
	Rows   []timeRow
	Height int
	NowX   string
	Ticks  []tick
	Burn   *burnChart
	When   picture.ForecastOut
	Weeks  []weekBar
	Spent  []spentRow
}

// timeRow is one task with the spans in which it was held.
type timeRow struct {
	ID, Name, Title string
	Y, TextY        int
	Spans           []timeSpan
}

// timeSpan is one bar. Its label says how it ended and who held it; it stands in the bar where there is room.
type timeSpan struct {
	X, W, End, Say string
	Label, LabelX  string
	Inside         bool
}

type tick struct{ X, Text string }

// Measures of the charts.
const (
	chartW   = 1200
	chartL   = 290 // where time begins
	chartR   = 130 // room for the label of the last bar
	rowH     = 24
	mostRows = 60
	letterW  = 6.4
)

// ends tells how a span ended without colour.
var ends = map[string]string{"live": "◐", "released": "↩", "lapsed": "!", "done": "✓", "in_review": "◇", "cancelled": "✕", "open": "○"}

func (s *site) timeline(r *http.Request, p *shown) error {
	p.Title = "Timeline"
	in := picture.TimelineIn{Slug: r.PathValue("slug")}
	var err error
	if in.Days, err = number(r.URL.Query(), "days"); err != nil {
		return err
	}
	out, err := op.Timeline.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	b := chartOf(out)
	if b.When, err = op.Forecast.Do(r.Context(), s.Ops, picture.ForecastIn{Slug: in.Slug}); err != nil {
		return err
	}
	b.Burn = burnOf(out.Burnup, b.When.Done)
	b.Weeks, b.Spent = weeksOf(b.When.Weeks), spentOf(b.When.States)
	p.Body = b
	return nil
}

// chartOf places spans on a chart whose time begins with the first of them.
func chartOf(out *picture.TimelineOut) timelineBody {
	b := timelineBody{TimelineOut: out}
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
	rows := map[task.ID]int{}
	for i := len(out.Spans) - 1; i >= 0; i-- { // the newest first
		h := out.Spans[i]
		at, ok := rows[h.Task]
		if !ok {
			if len(b.Rows) == mostRows {
				continue
			}
			at = len(b.Rows)
			rows[h.Task] = at
			y := 26 + at*rowH
			b.Rows = append(b.Rows, timeRow{ID: string(h.Task), Name: clip(string(h.Task)+" "+h.Title, 40), Title: h.Title, Y: y, TextY: y + 12})
		}
		b.Rows[at].Spans = append(b.Rows[at].Spans, spanOf(h, x))
	}
	for i := range b.Rows {
		b.Rows[i].quieten()
	}
	b.Height, b.NowX = 34+len(b.Rows)*rowH, num(x(from+wide))
	b.Ticks = ticks(from, wide, x)
	return b
}

func spanOf(h picture.Held, x func(task.Time) float64) timeSpan {
	left, w := x(h.From), max(3, x(h.To)-x(h.From))
	s := timeSpan{
		X: num(left), W: num(w), End: h.End, Label: clip(ends[h.End]+" "+h.Actor, 20),
		Say: string(h.Task) + ", " + h.Actor + ": " + h.From.String() + " to " + h.To.String() + ", " + word(h.End),
	}
	s.Inside = float64(len([]rune(s.Label)))*letterW+10 < w
	if s.Inside {
		s.LabelX = num(left + 6)
	} else {
		s.LabelX = num(left + w + 4)
	}
	return s
}

// quieten takes away labels beside a bar that another bar of the row could stand on: the newest keeps its own.
func (r *timeRow) quieten() {
	for i := range r.Spans {
		if i > 0 && !r.Spans[i].Inside {
			r.Spans[i].Label = ""
		}
	}
}

const second task.Time = 1_000_000

// grid is how far ticks may stand apart.
var grid = []task.Time{
	second, 5 * second, 15 * second, 60 * second, 5 * 60 * second, 15 * 60 * second, 3600 * second, 3 * 3600 * second, 6 * 3600 * second,
	12 * 3600 * second, 86400 * second, 2 * 86400 * second, 7 * 86400 * second, 30 * 86400 * second, 90 * 86400 * second, 365 * 86400 * second,
}

// ticks marks round moments of a span of time, about half a dozen of them. The day is named where it changes.
func ticks(from, wide task.Time, x func(task.Time) float64) (out []tick) {
	step := grid[len(grid)-1]
	for _, g := range grid {
		if wide/g <= 7 {
			step = g
			break
		}
	}
	day := ""
	for at := (from + step - 1) / step * step; at <= from+wide; at += step {
		text := at.String() // RFC 3339
		label := text[5:10]
		switch {
		case step >= 86400*second:
		case label != day && step < 60*second:
			day, label = label, label+" "+text[11:19]
		case label != day:
			day, label = label, label+" "+text[11:16]
		case step < 60*second:
			label = text[11:19]
		default:
			label = text[11:16]
		}
		out = append(out, tick{num(x(at)), label})
	}
	return out
}
