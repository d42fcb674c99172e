package web

import (
	"strconv"
	"strings"
	"time"

	"tasker/internal/core/picture"
	"tasker/internal/forecast"
	"tasker/internal/task"
)

// burnChart is how scope and closed work grew, and by when the rest may be done.
type burnChart struct {
	Scope, Closed, Area string
	Range, Half         string // the range of the forecast, and its middle; empty without one
	NowX                string
	Most, Now, Done     int // the largest scope, the scope now, and what of it is done
	ScopeY, DoneY       string
	Ticks               []tick
	Levels              []picture.Level // some of them, for the table
}

func burnOf(levels []picture.Level, ahead *forecast.Range) *burnChart {
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
	first, end := levels[0].At, last.At
	if ahead != nil {
		// A forecast far beyond what was until now would leave no room for it.
		end = min(ahead.Nine, last.At+3*max(last.At-first, second))
	}
	wide := max(end-first, second)
	across := func(at task.Time) float64 { return 50 + float64(min(at, end)-first)/float64(wide)*(chartW-80) }
	y := func(n int) string { return num(190 - float64(n)/float64(c.Most)*165) }
	var scope, closed strings.Builder
	for i, l := range levels {
		step := " L"
		if i == 0 {
			step = "M"
		}
		scope.WriteString(step + num(across(l.At)) + " " + y(l.Scope))
		closed.WriteString(step + num(across(l.At)) + " " + y(l.Closed))
	}
	now := num(across(last.At))
	c.Scope, c.Closed, c.NowX = scope.String(), closed.String(), now
	c.Area = c.Closed + " V190 H50 Z"
	c.Now, c.ScopeY, c.DoneY = last.Scope, y(last.Scope), y(last.Closed)
	if ahead != nil {
		from := "M" + now + " " + y(last.Closed) + " L"
		c.Half = from + num(across(ahead.Half)) + " " + y(last.Scope)
		c.Range = c.Half + " L" + num(across(ahead.Nine)) + " " + y(last.Scope) + " Z"
		c.Scope += " L" + num(across(ahead.Nine)) + " " + y(last.Scope)
	}
	c.Ticks = ticks(first, wide, across)
	for i := 0; i < len(levels); i += 6 {
		c.Levels = append(c.Levels, levels[i])
	}
	c.Levels = append(c.Levels, last)
	return c
}

// weekBar is one week of the throughput; Share is its length, in percent of the longest.
type weekBar struct {
	picture.Week
	Share int
}

// weeksOf returns the weeks from the first on in which something was done.
func weeksOf(weeks []picture.Week) (out []weekBar) {
	most := 0
	for _, w := range weeks {
		most = max(most, w.Done)
	}
	for _, w := range weeks {
		if w.Done > 0 || len(out) > 0 {
			out = append(out, weekBar{w, 100 * w.Done / most})
		}
	}
	return out
}

// spentRow is how long tasks were in a state before they were closed.
type spentRow struct {
	State, Name string
	Tasks       int
	Half, Nine  string
}

func spentOf(states []forecast.Spent) (out []spentRow) {
	names := map[forecast.State]string{
		forecast.Open: "open, not taken", forecast.Held: "held", forecast.Unheld: "in progress, held by nobody", forecast.InReview: "in review",
	}
	for _, s := range states {
		out = append(out, spentRow{string(s.State), names[s.State], s.Tasks, lasted(s.Half), lasted(s.Nine)})
	}
	return out
}

// lasted returns how long something took, in the units of moments.
func lasted(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch hours := int(d / time.Hour); {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + " min"
	case d < 48*time.Hour:
		return strconv.Itoa(hours) + " h " + strconv.Itoa(int(d/time.Minute)%60) + " min"
	default:
		return strconv.Itoa(hours/24) + " d"
	}
}

// apart says how far from the middle of its forecasts work was closed.
func apart(ms int64) string {
	if ms < 0 {
		return lasted(-ms) + " earlier"
	}
	return lasted(ms) + " later"
}
