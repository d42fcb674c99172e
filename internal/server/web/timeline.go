package web

import (
	"tasker/internal/op"
	"tasker/internal/views/picture"
	"tasker/internal/views/picture/chart"
)

// timelineBody is the timeline page: charts, and tables with the same content.
type timelineBody struct {
	*picture.TimelineOut
	chart.Lanes
	Burn  *chart.Burn
	When  picture.ForecastOut
	Weeks []chart.Week
	Spent []chart.Spent
}

func (s *site) timeline(a *asker, p *shown) any {
	in := picture.TimelineIn{Slug: a.slug(), Days: a.number("days"), At: a.at()}
	out := ask(a, op.Timeline, in)
	if a.err != nil {
		return nil
	}
	a.history(p, out.At)
	b := timelineBody{TimelineOut: out, Lanes: chart.Held(out, p.Past.from()), When: ask(a, op.Forecast, picture.ForecastIn{Slug: in.Slug, At: in.At})}
	b.Burn = chart.BurnOf(out.Burnup, b.When.Done)
	b.Weeks, b.Spent = chart.Weeks(b.When.Weeks), chart.TimeSpent(b.When.States)
	return b
}
