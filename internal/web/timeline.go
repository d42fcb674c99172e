package web

import (
	"net/http"
	"strings"

	"tasker/internal/task"
	"tasker/internal/view"
)

// timelineBody is the timeline page: charts, and the tables that say the same.
type timelineBody struct {
	*view.TimelineOut
	Rows   []timeRow
	Height int
	Ticks  []tick
	Burn   *burnChart
}

// timeRow is one task with the spans in which it was held.
type timeRow struct {
	ID, Name, Title string
	Y, TextY        int
	Spans           []timeSpan
}

type timeSpan struct {
	X, W, End, Actor, Say string
}

type tick struct{ X, Text string }

// Measures of the charts.
const (
	chartW   = 1200
	chartL   = 300 // where time begins
	rowH     = 24
	mostRows = 60
)

func (s *site) timeline(r *http.Request, p *shown) error {
	p.Title = "Timeline"
	in := view.TimelineIn{Slug: r.PathValue("slug")}
	var err error
	if in.Days, err = number(r.URL.Query(), "days"); err != nil {
		return err
	}
	out, err := s.Timeline(r.Context(), in)
	if err != nil {
		return err
	}
	p.Body = chartOf(out)
	return nil
}

// chartOf places spans on a chart whose time begins with the first of them.
func chartOf(out *view.TimelineOut) timelineBody {
	b := timelineBody{TimelineOut: out, Burn: burnOf(out.Burnup)}
	if len(out.Spans) == 0 {
		return b
	}
	from, to := out.To, out.To
	for _, h := range out.Spans {
		from = min(from, max(h.From, out.From))
	}
	wide := float64(max(to-from, 60_000_000))
	x := func(t task.Time) float64 { return chartL + float64(max(t, from)-from)/wide*(chartW-chartL-50) }
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
			b.Rows = append(b.Rows, timeRow{ID: string(h.Task), Name: clip(string(h.Task)+" "+h.Title, 42), Title: h.Title, Y: y, TextY: y + 13})
		}
		b.Rows[at].Spans = append(b.Rows[at].Spans, timeSpan{
			X: num(x(h.From)), W: num(max(3, x(h.To)-x(h.From))), End: h.End, Actor: h.Actor,
			Say: string(h.Task) + ", " + h.Actor + ": " + h.From.String() + " to " + h.To.String() + ", " + word(h.End),
		})
	}
	b.Height = 34 + len(b.Rows)*rowH
	for i := range 6 {
		at := from + task.Time(float64(i)/5*wide)
		b.Ticks = append(b.Ticks, tick{num(x(at)), stamp(at, wide)})
	}
	return b
}

// stamp is a moment on an axis: the day where days are shown, the time of day where hours are.
func stamp(at task.Time, wide float64) string {
	text := at.String()
	if len(text) < 16 {
		return text
	}
	if wide > 3*24*3600*1e6 {
		return text[5:10]
	}
	return text[5:10] + " " + text[11:16]
}

// burnChart is how scope and closed work grew.
type burnChart struct {
	Scope, Closed, Area string
	Most, Done          int
	Ticks               []tick
}

func burnOf(levels []view.Level) *burnChart {
	if len(levels) < 2 {
		return nil
	}
	c := &burnChart{}
	for _, l := range levels {
		c.Most = max(c.Most, l.Scope)
	}
	last := levels[len(levels)-1]
	c.Done = last.Closed
	if c.Most == 0 {
		return nil
	}
	x := func(i int) string { return num(50 + float64(i)/float64(len(levels)-1)*(chartW-80)) }
	y := func(n int) string { return num(190 - float64(n)/float64(c.Most)*165) }
	var scope, closed strings.Builder
	for i, l := range levels {
		step := " L"
		if i == 0 {
			step = "M"
		}
		scope.WriteString(step + x(i) + " " + y(l.Scope))
		closed.WriteString(step + x(i) + " " + y(l.Closed))
	}
	c.Scope, c.Closed = scope.String(), closed.String()
	c.Area = c.Closed + " V190 H50 Z"
	wide := float64(last.At - levels[0].At)
	for i := 0; i < len(levels); i += (len(levels) - 1) / 5 {
		c.Ticks = append(c.Ticks, tick{x(i), stamp(levels[i].At, wide)})
	}
	return c
}
