package reading

import (
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/op"
	"tasker/internal/picture"
	"tasker/internal/picture/forecast"
	"tasker/internal/text/words"
)

// NewForecast returns the command `tasker forecast`.
func NewForecast(f *frame.Factory) *cobra.Command {
	var at *int64
	return frame.OfProject(f, frame.Spec{
		Use: "forecast", Args: frame.Between(0, 0),
		Long: "The rest of the project is played some hundred times: as many workers as were seen take what is ready, and each task takes\n" +
			"as long as one with its gate took such a worker, from claim to close. It is done by the first day in half of them, and by\n" +
			"the second in nine of ten. Nothing is forecast from fewer than twenty closed tasks. BEFORE is what it would have said at\n" +
			"earlier moments of tasks that are closed now. The same project has the same forecast on every face.",
		Example: []string{"tasker forecast", "tasker forecast --json"},
		Flags: []frame.Flag{
			frame.At(&at),
		},
	}, op.Forecast, func(slug string) picture.ForecastIn { return picture.ForecastIn{Slug: slug, At: at} }, showForecast)
}

func showForecast(f *frame.Factory, o picture.ForecastOut) {
	f.Out.Printf("%s\n", o.Sentence)
	if r := o.RestsOn; o.Done != nil {
		f.Out.Printf("Rests on %s since %s, %s, busy %d%% of the time", words.Count(r.Closed, "closed task", "closed tasks"),
			r.Since.String()[:10], words.Count(r.Workers, "worker", "workers"), r.Busy)
		if r.By == "pace" {
			f.Out.Printf("; too many tasks are open to play each, so what waits for what is left out")
		}
		f.Out.Printf("\n")
	}
	if points := o.Before.Points; len(points) > 0 {
		f.Out.Printf("%s\n\n", o.Before.Sentence())
		var rows [][]term.Span
		for _, p := range points {
			rows = append(rows, []term.Span{term.Textf("%s", p.At.String()[:10]), term.Textf("%d", p.Tasks), term.Textf("%s", p.Said.Half.String()[:10]),
				term.Textf("%s", p.Said.Nine.String()[:10]), term.Textf("%s", p.Closed.String()[:10])})
		}
		f.Out.Table([]term.Column{{Head: "BEFORE"}, {Head: "TASKS"}, {Head: "HALF BY"}, {Head: "NINE IN TEN BY"}, {Head: "CLOSED"}}, rows)
	}
	showSpent(f, o.States)
	var rows [][]term.Span
	for _, w := range o.Weeks {
		if w.Done > 0 || len(rows) > 0 {
			rows = append(rows, []term.Span{term.Textf("%s", w.From.String()[:10]), term.Textf("%d", w.Done)})
		}
	}
	if len(rows) > 0 {
		f.Out.Printf("\n")
		f.Out.Table([]term.Column{{Head: "WEEK FROM"}, {Head: "DONE"}}, rows)
	}
}

func showSpent(f *frame.Factory, states []forecast.Spent) {
	var rows [][]term.Span
	for _, s := range states {
		rows = append(rows, []term.Span{term.Textf("%s", spent[s.State]), term.Textf("%d", s.Tasks), term.Textf("%s", span(s.Half)), term.Textf("%s", span(s.Nine))})
	}
	if len(rows) > 0 {
		f.Out.Printf("\n")
		f.Out.Table([]term.Column{{Head: "TIME SPENT"}, {Head: "TASKS"}, {Head: "HALF"}, {Head: "NINE IN TEN"}}, rows)
	}
}

// spent names the states that a closed task went through.
var spent = map[forecast.State]string{
	forecast.Open: "open, not taken", forecast.Held: "held", forecast.Unheld: "in progress, held by nobody", forecast.InReview: "in review",
}

func span(ms int64) string { return words.Span(time.Duration(ms) * time.Millisecond) }
