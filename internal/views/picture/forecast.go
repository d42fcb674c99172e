package picture

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/core/cache"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
	"tasker/internal/views/picture/forecast"
)

// ForecastIn asks when a project will be done.
type ForecastIn struct {
	Slug string `path:"slug"`
	At   *int64 `query:"at" about:"what it would have said after this event"`
}

// ForecastOut says when a project will be done, what that is based on, how accurate earlier forecasts were, and how the
// project has gone so far.
type ForecastOut struct {
	Project  string           `json:"project"`
	AsOf     task.Time        `json:"asOf"`
	Sentence string           `json:"sentence"`
	Open     int              `json:"open"`
	Done     *forecast.Range  `json:"done"` // null if nothing is open, or if too little is known
	RestsOn  RestsOn          `json:"restsOn"`
	Before   Before           `json:"before"`
	Burnup   []Level          `json:"burnup"`
	Weeks    []Week           `json:"weeks"`
	States   []forecast.Spent `json:"states"`
}

// RestsOn is the data that a forecast is based on.
type RestsOn struct {
	Closed   int       `json:"closed"`   // the newest done tasks that somebody had claimed
	Needed   int       `json:"needed"`   // with fewer, there is no forecast
	Since    task.Time `json:"since"`    // when the first of them was claimed
	LastedMs int64     `json:"lastedMs"` // from then to the last close
	NeededMs int64     `json:"neededMs"` // if it is less, there is no forecast
	Workers  int       `json:"workers"`  // those who closed something in passing aside
	Busy     int       `json:"busy"`     // the share of time in which a worker held a task, in percent
	By       string    `json:"by"`       // tasks: each task was simulated with what it waits for; pace: there are too many, so only the pace counts
}

// Before is what forecasts would have said at earlier moments, of all that was open then.
type Before struct {
	Points []forecast.Point `json:"points"`
	Held   int              `json:"held"`   // how many were met: everything was closed by the time that nine of ten futures gave
	Missed int              `json:"missed"` // how many were not; the others can still be
	OffMs  int64            `json:"offMs"`  // median of how much later than half of the futures said everything was closed, at least
}

// Week is how many tasks were done in seven days.
type Week struct {
	From task.Time `json:"from"`
	Done int       `json:"done"`
}

// Limits of a forecast.
const (
	forecastClosed = 500   // tasks that it is based on
	forecastEvents = 3_000 // of each kind of event that shows when tasks were held
	forecastEdges  = 5_000 // among these tasks
	forecastWeeks  = 12
	forecastAge    = 30_000 // how long a forecast is reused, in ms
	forecastMany   = 2_000  // with this many open tasks, a forecast is reused even if the project has changed
	forecastSeed   = 20
	weekMicros     = task.Time(7 * 24 * 3600 * 1_000_000)
	dayMicros      = weekMicros / 7
)

// forecasts caches the last forecast of each project for some seconds, and computes one at a time: a forecast reads
// thousands of events and simulates the project hundreds of times, and every Overview shows one.
type forecasts struct {
	turn   sync.Mutex
	cached cache.Cache[core.ProjectKey, cachedForecast]
}

type cachedForecast struct {
	version int64
	out     ForecastOut
}

// serves reports whether a forecast is recent enough to be reused.
func (c cachedForecast) serves(sc scene) bool {
	now := sc.View.Now()
	return (c.version == sc.Project.FlowVersion || c.out.Open > forecastMany) && now >= c.out.AsOf && now <= c.out.AsOf.Add(forecastAge)
}

// Forecast says when a project will be done.
func (s *Service) Forecast(ctx context.Context, in ForecastIn) (ForecastOut, error) {
	return withinAt(ctx, s.Env, in.Slug, nil, in.At, func(sc scene, was *asof.Was) (ForecastOut, error) {
		s.forecasts.turn.Lock()
		defer s.forecasts.turn.Unlock()
		if was != nil {
			return sc.forecast(&s.flows)
		}
		c, err := s.forecasts.cached.Of(sc.Key(), func(c cachedForecast) bool { return c.serves(sc) }, func() (cachedForecast, error) {
			out, err := sc.forecast(&s.flows)
			return cachedForecast{sc.Project.FlowVersion, out}, err
		})
		return c.out, err
	})
}

func (s scene) forecast(flows *flows) (ForecastOut, error) {
	out := ForecastOut{Project: s.Project.Slug, AsOf: s.View.Now(), Open: s.Project.Tasks.Left()}
	spans, tracks, err := s.past()
	if err != nil {
		return out, err
	}
	out.States = forecast.TimeSpent(tracks)
	out.RestsOn = RestsOn{
		Closed: len(spans), Needed: forecast.Enough, LastedMs: int64(forecast.Lasted(spans)) / 1000, NeededMs: int64(forecast.Day) / 1000, By: "tasks",
	}
	if len(spans) > 0 {
		out.RestsOn.Since = slices.MinFunc(spans, func(a, b forecast.Span) int { return cmp.Compare(a.From, b.From) }).From
	}
	if out.Burnup, err = s.burnup(); err != nil {
		return out, err
	}
	if out.Weeks, err = s.weeks(); err != nil {
		return out, err
	}
	if pace := forecast.Learn(spans, out.AsOf); pace != nil {
		out.RestsOn.Workers, out.RestsOn.Busy = pace.Workers(), pace.Busy()
		if err := s.untilDone(flows, pace, spans, &out); err != nil {
			return out, err
		}
	}
	out.Sentence = out.sentence()
	return out, nil
}

// untilDone adds when the open tasks will be done, and what would have been said of them before.
func (s scene) untilDone(flows *flows, pace *forecast.Pace, spans []forecast.Span, out *ForecastOut) error {
	if out.Open > forecast.MaxOpen {
		r := forecast.Paced(pace, out.Open, forecastSeed)
		out.Done, out.RestsOn.By = &r, "pace"
		return nil
	}
	left, err := s.left(flows)
	if err != nil {
		return err
	}
	out.Before = beforeOf(forecast.Backtest(spans, left, out.AsOf, forecastSeed), out.AsOf)
	if out.Open > 0 {
		r := forecast.Done(pace, left, forecastSeed)
		out.Done = &r
	}
	return nil
}

// left returns the open tasks as the simulation plays them.
func (s scene) left(flows *flows) ([]forecast.Work, error) {
	f, err := flows.of(s)
	if err != nil {
		return nil, err
	}
	work := make([]forecast.Work, len(f.open.Numbers))
	for _, e := range f.open.Waits() {
		work[e.From].After = append(work[e.From].After, e.To)
	}
	for i := range work {
		slices.Sort(work[i].After)
	}
	open, err := s.View.Remaining(s.Project.Slug, forecast.MaxOpen)
	if err != nil {
		return nil, err
	}
	for _, t := range open {
		if i, ok := f.open.Find(t.Task); ok {
			work[i].Gate, work[i].Created, work[i].Began = t.Gate, t.Created, t.Began
		}
	}
	return work, nil
}

// past returns the history of the newest done tasks: spans for tasks that somebody had claimed, and tracks for all of
// them. A task that was only recorded as closed says nothing about how long work takes.
func (s scene) past() ([]forecast.Span, []forecast.Track, error) {
	closed, err := s.View.Closed(s.Project.Slug, task.Done, 0, forecastClosed)
	if err != nil {
		return nil, nil, err
	}
	closed = slices.DeleteFunc(closed, func(t *task.Task) bool { return t.Recorded })
	marks, err := s.marks()
	if err != nil {
		return nil, nil, err
	}
	var spans []forecast.Span
	var tracks []forecast.Track
	var ids []task.ID
	for _, t := range closed {
		track := forecast.Track{Created: t.CreatedAt, Closed: t.ClosedAt, Marks: marks[t.ID]}
		tracks = append(tracks, track)
		if from, by, ok := track.Span(); ok {
			ids = append(ids, t.ID)
			name, _, _ := strings.Cut(by, "/") // of an instance
			person := slices.ContainsFunc(s.Policy.Humans, func(a task.Actor) bool { return a.Name == name })
			spans = append(spans, forecast.Span{Gate: string(t.Gate), Actor: by, Person: person, Created: t.CreatedAt, From: from, To: t.ClosedAt})
		}
	}
	edges, err := s.View.EdgesFrom(ids, forecastEdges)
	if err != nil {
		return nil, nil, err
	}
	at := indexOf(ids)
	for _, e := range edges {
		if on, ok := at[e.To]; ok {
			sp := &spans[at[e.From]]
			sp.After = append(sp.After, on)
		}
	}
	return spans, tracks, nil
}

// stateAt is the state of a task after a move to a status.
var stateAt = map[task.Status]forecast.State{
	task.Open: forecast.Open, task.InProgress: forecast.Unheld, task.InReview: forecast.InReview, task.Done: forecast.Closed, task.Cancelled: forecast.Closed,
}

// marks returns when tasks entered which state, from the newest events that show it.
func (s scene) marks() (map[task.ID][]forecast.Mark, error) {
	var log []task.Event
	for _, kind := range []task.Kind{task.TaskClaimed, task.ClaimReleased, task.ClaimExpired, task.TaskMoved} {
		events, err := s.View.Events(query.Events{Project: s.Project.Slug, Kind: string(kind), Limit: forecastEvents})
		if err != nil {
			return nil, err
		}
		log = append(log, events...)
	}
	slices.SortFunc(log, func(a, b task.Event) int { return cmp.Compare(a.ID, b.ID) })
	out := map[task.ID][]forecast.Mark{}
	for _, e := range log {
		m := forecast.Mark{At: e.At, Actor: e.Actor}
		switch e.Kind {
		case task.TaskClaimed:
			m.To = forecast.Held
		case task.ClaimReleased, task.ClaimExpired:
			m.To = forecast.Open
		default:
			to, err := movedTo(e)
			if err != nil {
				return nil, err
			}
			m.To = stateAt[to]
		}
		list := out[task.ID(e.Task)]
		if n := len(list); m.To == forecast.Unheld && n > 0 && list[n-1].To == forecast.Held {
			continue // the task is in progress, by its holder
		}
		out[task.ID(e.Task)] = append(list, m)
	}
	return out, nil
}

// weeks counts the tasks that were done in each of the last weeks.
func (s scene) weeks() ([]Week, error) {
	spans := query.Spans{Each: weekMicros, N: forecastWeeks + 1} // the first span holds everything done before
	spans.From = s.View.Now() + 1 - task.Time(spans.N)*weekMicros
	done, err := s.View.ClosedBySpan(s.Project.Slug, task.Done, spans)
	if err != nil {
		return nil, err
	}
	var out []Week
	for i, n := range done[1:] {
		out = append(out, Week{From: spans.From + task.Time(i+1)*weekMicros, Done: n})
	}
	return out, nil
}

func beforeOf(points []forecast.Point, now task.Time) Before {
	out := Before{Points: points}
	var off []int64
	for _, p := range points {
		switch {
		case p.Met == nil:
		case *p.Met:
			out.Held++
		default:
			out.Missed++
		}
		if late, ok := p.Late(now); ok {
			off = append(off, int64(late)/1000)
		}
	}
	if len(off) > 0 {
		slices.Sort(off)
		out.OffMs = off[len(off)/2]
	}
	return out
}

// sentence puts the forecast into words.
func (o ForecastOut) sentence() string {
	switch {
	case o.Open == 0:
		return "Nothing is open."
	case o.Done == nil:
		return o.TooEarly() + "."
	}
	return words.Count(o.Open, "open task", "open tasks") + ": likely " + o.Days() + "."
}

// TooEarly says why there is no forecast yet.
func (o ForecastOut) TooEarly() string {
	if o.RestsOn.Closed < o.RestsOn.Needed {
		return fmt.Sprintf("Forecast after %d tasks claimed and closed here (%d so far)", o.RestsOn.Needed, o.RestsOn.Closed)
	}
	lasted := time.Duration(o.RestsOn.LastedMs) * time.Millisecond
	return fmt.Sprintf("Forecast after a day of work here: the %d tasks that were claimed and closed took %s in all", o.RestsOn.Closed, words.Span(lasted))
}

// Days names the days of the forecast: the likely one, and the latest where that is another.
func (o ForecastOut) Days() string {
	half, nine := o.When(o.Done.Half), o.When(o.Done.Nine)
	if half == nine {
		return half + " (9 in 10)"
	}
	return half + ", " + nine + " at the latest (9 in 10)"
}

// When returns the day of a moment of the forecast, with the year only if it is another one. A forecast does not know the
// time of day.
func (o ForecastOut) When(at task.Time) string {
	if at.Go().Year() != o.AsOf.Go().Year() {
		return at.Go().Format("2 Jan 2006")
	}
	return at.Go().Format("2 Jan")
}

// Sentence says how far off earlier forecasts were.
func (b Before) Sentence() string {
	undecided := len(b.Points) - b.Held - b.Missed
	if undecided == len(b.Points) {
		return fmt.Sprintf("None of %s can be judged yet", words.Count(len(b.Points), "earlier forecast", "earlier forecasts"))
	}
	days := int((time.Duration(b.OffMs) * time.Millisecond).Round(24*time.Hour) / (24 * time.Hour))
	how := "right to the day"
	switch {
	case days > 0:
		how = words.Count(days, "day", "days") + " too early"
	case days < 0:
		how = words.Count(-days, "day", "days") + " too late"
	}
	return fmt.Sprintf("Past forecasts were %s; %d of %s held%s", how, b.Held, words.Count(b.Held+b.Missed, "forecast", "forecasts"),
		words.When(undecided > 0, fmt.Sprintf(", and %d cannot be judged yet", undecided)))
}
