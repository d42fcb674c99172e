package chart

import (
	"strings"

	"tasker/internal/task"
	"tasker/internal/views/picture"
	"tasker/internal/views/picture/forecast"
)

// Burn shows how scope and closed work grew, and when the rest may be done.
type Burn struct {
	Scope, Closed, Area string
	Range, Half         string // the range of the forecast and its middle; empty without a forecast
	NowX                string
	Most, Now, Done     int // the largest scope, the scope now, and how much of it is done
	ScopeY, DoneY       string
	Ticks               []Tick
	Levels              []picture.Level // a sample, for the table
}

// BurnOf draws how scope and closed work grew. It returns nil if there is too little to draw.
func BurnOf(levels []picture.Level, ahead *forecast.Range) *Burn {
	if len(levels) < 2 {
		return nil
	}
	c := &Burn{}
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
		// A forecast in the far future would leave no room for the past.
		end = min(ahead.Nine, last.At+3*max(last.At-first, second))
	}
	wide := max(end-first, second)
	across := func(at task.Time) float64 { return 50 + float64(min(at, end)-first)/float64(wide)*(chartW-80) }
	y := func(n int) string { return Num(190 - float64(n)/float64(c.Most)*165) }
	var scope, closed []string
	for _, l := range levels {
		scope = append(scope, Num(across(l.At))+" "+y(l.Scope))
		closed = append(closed, Num(across(l.At))+" "+y(l.Closed))
	}
	now := Num(across(last.At))
	c.Scope, c.Closed, c.NowX = "M"+strings.Join(scope, " L"), "M"+strings.Join(closed, " L"), now
	c.Area = c.Closed + " V190 H50 Z"
	c.Now, c.ScopeY, c.DoneY = last.Scope, y(last.Scope), y(last.Closed)
	if ahead != nil {
		from := "M" + now + " " + y(last.Closed) + " L"
		c.Half = from + Num(across(ahead.Half)) + " " + y(last.Scope)
		c.Range = c.Half + " L" + Num(across(ahead.Nine)) + " " + y(last.Scope) + " Z"
		c.Scope += " L" + Num(across(ahead.Nine)) + " " + y(last.Scope)
	}
	c.Ticks = ticks(first, wide, across)
	for i := 0; i < len(levels); i += 6 {
		c.Levels = append(c.Levels, levels[i])
	}
	c.Levels = append(c.Levels, last)
	return c
}

// Week is one week of the throughput; Share is its length, in percent of the longest.
type Week struct {
	picture.Week
	Share int
}

// Weeks returns the weeks, beginning with the first in which a task was done.
func Weeks(weeks []picture.Week) (out []Week) {
	most := 0
	for _, w := range weeks {
		most = max(most, w.Done)
	}
	for _, w := range weeks {
		if w.Done > 0 || len(out) > 0 {
			out = append(out, Week{w, 100 * w.Done / most})
		}
	}
	return out
}

// Spent is how long tasks were in a state before they were closed.
type Spent struct {
	State, Name string
	Tasks       int
	Half, Nine  string
}

// TimeSpent returns how long tasks were in each state.
func TimeSpent(states []forecast.Spent) (out []Spent) {
	names := map[forecast.State]string{
		forecast.Open: "open, not taken", forecast.Held: "in progress", forecast.Unheld: "in progress, held by nobody", forecast.InReview: "in review",
	}
	for _, s := range states {
		out = append(out, Spent{string(s.State), names[s.State], s.Tasks, Lasted(s.Half), Lasted(s.Nine)})
	}
	return out
}
