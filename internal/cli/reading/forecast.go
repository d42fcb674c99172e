package reading

import (
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/picture"
	"tasker/internal/views/picture/forecast"
)

// NewForecast returns the command `tasker forecast`.
func NewForecast(f *frame.Factory) *cobra.Command {
	var at *int64
	return frame.Operation(f, frame.Spec{
		Use: "forecast", Args: frame.Between(0, 0),
		Long: "The rest of the project is simulated up to 300 times: as many workers as were seen take what is ready, and each task takes\n" +
			"as long as one with its gate took such a worker, from claim to close. It is done by the first day in half of them, and by\n" +
			"the second in nine of ten. Nothing is forecast from fewer than twenty closed tasks, nor from less than a day of work. BEFORE\n" +
			"is what it would have said at earlier moments of all that was open then; what is still open past its day is a forecast missed.\n" +
			"The same project has the same forecast on every face.",
		Example: []string{"tasker forecast", "tasker forecast --json"},
		Flags: []frame.Flag{
			frame.At(&at),
		},
	}, op.Forecast, func(a *frame.Args, _ []string) picture.ForecastIn {
		return picture.ForecastIn{Slug: a.Project(), At: at}
	}, showForecast)
}

func showForecast(f *frame.Factory, o picture.ForecastOut) {
	f.Out.Printf("%s\n", o.Sentence)
	if r := o.RestsOn; o.Done != nil {
		f.Out.Printf("Rests on %s since %s, %s, busy %d%% of the time%s\n", words.Count(r.Closed, "closed task", "closed tasks"),
			r.Since.String()[:10], words.Count(r.Workers, "worker", "workers"), r.Busy,
			words.When(r.By == "pace", "; too many tasks are open to play each, so what waits for what is left out"))
	}
	if points := o.Before.Points; len(points) > 0 {
		f.Out.Printf("%s\n\n", o.Before.Sentence())
		f.Out.Table([]term.Column{{Head: "BEFORE"}, {Head: "TASKS"}, {Head: "HALF BY"}, {Head: "NINE IN TEN BY"}, {Head: "CLOSED"}, {Head: "HELD"}},
			term.Rows(points, func(p forecast.Point) []term.Span {
				return []term.Span{day(p.At), term.Textf("%d", p.Tasks), day(p.Said.Half), day(p.Said.Nine), allClosed(p), term.Textf("%s", p.Verdict())}
			}))
	}
	apart(f, []term.Column{{Head: "TIME SPENT"}, {Head: "TASKS"}, {Head: "HALF"}, {Head: "NINE IN TEN"}}, o.States, func(s forecast.Spent) []term.Span {
		return []term.Span{term.Textf("%s", spent[s.State]), term.Textf("%d", s.Tasks), span(s.Half), span(s.Nine)}
	})
	weeks := o.Weeks
	for len(weeks) > 0 && weeks[0].Done == 0 {
		weeks = weeks[1:]
	}
	apart(f, []term.Column{{Head: "WEEK FROM"}, {Head: "DONE"}}, weeks, func(w picture.Week) []term.Span {
		return []term.Span{day(w.From), term.Textf("%d", w.Done)}
	})
}

// apart prints a table after an empty line, if it has rows.
func apart[T any](f *frame.Factory, cols []term.Column, items []T, row func(T) []term.Span) {
	if len(items) > 0 {
		f.Out.Printf("\n")
		f.Out.Table(cols, term.Rows(items, row))
	}
}

// spent names the states that a closed task went through.
var spent = map[forecast.State]string{
	forecast.Open: "open, not taken", forecast.Held: "held", forecast.Unheld: "in progress, held by nobody", forecast.InReview: "in review",
}

func span(ms int64) term.Span {
	return term.Textf("%s", words.Span(time.Duration(ms)*time.Millisecond))
}

// allClosed says when the tasks of an earlier forecast were closed, or how many are not.
func allClosed(p forecast.Point) term.Span {
	if p.Open > 0 {
		return term.Textf("%d still open", p.Open)
	}
	return day(p.Closed)
}

func day(at task.Time) term.Span { return term.Textf("%s", at.String()[:10]) }
