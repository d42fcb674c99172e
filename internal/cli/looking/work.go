package looking

import (
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/words"
)

// NewWork returns the command `tasker work`.
func NewWork(f *frame.Factory) *cobra.Command {
	return projectView(f, frame.Spec{
		Use:     "work",
		Example: []string{"tasker work", "tasker work --watch", "tasker work --limit 10 --json"},
	}, op.Work, showWork, true)
}

func showWork(f *frame.Factory, w reading.WorkOut) {
	f.Out.Spans(term.Bold.Of("Ready"), term.Textf(": %d", w.Totals.Ready))
	f.Out.Printf("\n")
	render.Tasks(f, w.Frontier)
	for i, b := range w.Batches {
		f.Out.Printf("\nAt once (%d): %s\n", i+1, words.List(b.Tasks))
		if len(b.Undeclared) > 0 {
			f.Out.Printf("  say nothing of what they touch: %s\n", words.List(b.Undeclared))
		}
		for _, a := range b.Apart {
			f.Out.Printf("  %s waits for %s: %s\n", a.B, a.A, a.Why)
		}
	}
	if len(w.NotCompared) > 0 {
		f.Out.Printf("\nIn no batch, because comparing what they touch would take too long: %s\n", words.List(w.NotCompared))
	}
	if len(w.Blocked) > 0 {
		f.Out.Printf("\n")
		f.Out.Spans(term.Bold.Of("Waiting"), term.Textf(": %d for open tasks", w.Totals.Blocked))
		f.Out.Printf("\n")
		var rows [][]term.Span
		for _, b := range w.Blocked {
			act := ""
			if b.ActOn != nil {
				act = string(b.ActOn.Task)
				if b.ActOn.Holder != "" {
					act += " (" + string(b.ActOn.Holder) + ")"
				}
			}
			rows = append(rows, []term.Span{
				term.Bold.Of(string(b.Task)), term.Textf("%s", b.Title), term.Textf("%s", words.List(b.WaitsFor)),
				term.Textf("%s", act),
			})
		}
		f.Out.Table([]term.Column{{Head: "ID"}, {Head: "TITLE", Flex: true}, {Head: "WAITS FOR", Drop: 1}, {Head: "ACT ON"}}, rows)
	}
	showAsked(f, w)
	if len(w.Leases) > 0 {
		showHeading(f, "Held", w.Totals.Held)
		showLeases(f, w.Leases, true)
	}
	if len(w.Unheld) == 0 {
		return
	}
	showHeading(f, "In progress, held by nobody", w.Totals.Unheld)
	var rows [][]term.Span
	for _, u := range w.Unheld {
		rows = append(rows, []term.Span{term.Bold.Of(string(u.Task)), term.Textf("%s", u.Title), term.Faint.Of(render.Ago(f, u.Since))})
	}
	f.Out.Table([]term.Column{{Head: "ID"}, {Head: "TITLE", Flex: true}, {Head: "CHANGED", Drop: 1}}, rows)
}

// showHeading prints the heading of a part, with how many there are.
func showHeading(f *frame.Factory, text string, n int) {
	f.Out.Printf("\n")
	f.Out.Spans(term.Bold.Of(text), term.Textf(": %d", n))
	f.Out.Printf("\n")
}

// showAsked prints what blocking questions alone keep back.
func showAsked(f *frame.Factory, w reading.WorkOut) {
	if len(w.Asked) == 0 {
		return
	}
	showHeading(f, "Kept back by a question", w.Totals.Asked)
	var rows [][]term.Span
	for _, a := range w.Asked {
		question := ""
		if q := a.Question; q != nil {
			question = fmt.Sprintf("%d: %s", q.ID, q.Text)
		}
		rows = append(rows, []term.Span{term.Bold.Of(string(a.Task)), term.Textf("%s", a.Title), term.Textf("%s", question)})
	}
	f.Out.Table([]term.Column{{Head: "ID"}, {Head: "TITLE", Flex: true}, {Head: "QUESTION", Drop: 1}}, rows)
}
