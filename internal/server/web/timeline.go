package web

import (
	"net/http"

	"tasker/internal/op"
	"tasker/internal/picture"
	"tasker/internal/picture/chart"
)

// timelineBody is the timeline page: charts, and the tables that say the same.
type timelineBody struct {
	*picture.TimelineOut
	chart.Lanes
	Burn  *chart.Burn
	When  picture.ForecastOut
	Weeks []chart.Week
	Spent []chart.Spent
}

func (s *site) timeline(r *http.Request, p *shown) error {
	p.Title = "Timeline"
	in := picture.TimelineIn{Slug: r.PathValue("slug")}
	var err error
	if in.Days, err = number(r.URL.Query(), "days"); err != nil {
		return err
	}
	if in.At, err = at(r); err != nil {
		return err
	}
	out, err := op.Timeline.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	if err := s.history(r, p, out.At); err != nil {
		return err
	}
	b := timelineBody{TimelineOut: out, Lanes: chart.Held(out, p.Past.from())}
	if b.When, err = op.Forecast.Do(r.Context(), s.Ops, picture.ForecastIn{Slug: in.Slug, At: in.At}); err != nil {
		return err
	}
	b.Burn = chart.BurnOf(out.Burnup, b.When.Done)
	b.Weeks, b.Spent = chart.Weeks(b.When.Weeks), chart.TimeSpent(b.When.States)
	p.Body = b
	return nil
}
