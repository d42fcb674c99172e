package reading

import (
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// NewWork returns the command `tasker work`.
func NewWork(f *frame.Factory) *cobra.Command {
	var limit *int
	return projectView(f, frame.Spec{
		Use:     "work",
		Example: []string{"tasker work", "tasker work --watch", "tasker work --limit 10 --json"},
		Flags:   []frame.Flag{wholeOf(&limit)},
	}, op.Work, func(f *frame.Factory, slug string) reading.WorkIn {
		return reading.WorkIn{Slug: slug, Limit: screenful(f, limit)}
	}, func(f *frame.Factory, w reading.WorkOut) {
		if limit != nil || !f.Process.OutTTY || f.Process.Height == nil {
			showWork(f, w, 0)
			return
		}
		showWork(f, w, f.Process.Height()-1) // leave the last line for the prompt
	})
}

// part is one table of the work, below a heading.
type part struct {
	title string
	total int
	what  string // the words after the total
	rows  int    // how many rows there are to show
	show  func(rows int)
}

// lines returns how many lines a part takes with a number of rows: a gap, the heading, the head of the table, and the
// rows.
func (p part) lines(rows int) int { return 3 + rows }

// showWork prints what can be done now and what blocks the rest: all of it, or what fits in the given lines.
func showWork(f *frame.Factory, w reading.WorkOut, lines int) {
	parts := []part{
		{"Ready", w.Totals.Ready, "", len(w.Frontier), func(n int) { render.Tasks(f, w.Frontier[:n], nil, w.ForPeople) }},
		{"Waiting", w.Totals.Blocked, " for open tasks", len(w.Blocked), func(n int) { showBlocked(f, w.Blocked[:n]) }},
		{"Kept back by a question", w.Totals.Asked, "", len(w.Asked), func(n int) { showAsked(f, w.Asked[:n]) }},
		{"Held", w.Totals.Held, "", len(w.Leases), func(n int) { showLeases(f, w.Leases[:n], true) }},
		{"In progress, held by nobody", w.Totals.Unheld, "", len(w.Unheld), func(n int) { showUnheld(f, w.Unheld[:n]) }},
	}
	batches := batchLines(f, w, lines > 0)
	rows, cut := fitted(parts, lines > 0, lines-len(batches)-1)
	for i, p := range parts {
		if i > 0 && p.rows == 0 {
			continue
		}
		if i > 0 {
			f.Out.Printf("\n")
		}
		f.Out.Spans(term.Bold.Of(p.title), term.Textf(": %d%s", p.total, p.what))
		if rows[i] < p.total {
			f.Out.Spans(term.Faint.Of(fmt.Sprintf(", the first %d (%d more)", rows[i], p.total-rows[i])))
		}
		f.Out.Printf("\n")
		p.show(rows[i])
		if i == 0 {
			for _, line := range batches {
				f.Out.Printf("%s\n", line)
			}
		}
	}
	if len(w.Runners) > 0 {
		f.Out.Printf("\n")
		render.Runners(f, w.Runners)
	}
	if w.Unlanded.Tasks > 0 {
		f.Out.Printf("\n")
		render.Unlanded(f, w.Project, w.Unlanded)
	}
	if len(w.Advice) > 0 {
		f.Say("%s\n", render.Begin(f, w.Advice))
	}
	if cut {
		f.Say("More of each: %s\n", f.AsCommand(hint.Here("work --limit 50")))
	}
}

// fitted returns how many rows each part shows in the given lines, and whether any part is cut. Each part has at least
// one row; the parts share the remaining rows in turn. Without a bound, all rows are shown.
func fitted(parts []part, bounded bool, lines int) (rows []int, cut bool) {
	rows = make([]int, len(parts))
	for i, p := range parts {
		rows[i] = p.rows
		if bounded {
			rows[i] = min(p.rows, 1)
		}
		if p.rows > 0 {
			lines -= p.lines(rows[i])
		}
	}
	for more := true; more && lines > 0; {
		more = false
		for i, p := range parts {
			if rows[i] < p.rows && lines > 0 {
				rows[i]++
				lines--
				more = true
			}
		}
	}
	for i, p := range parts {
		cut = cut || rows[i] < p.rows
	}
	return rows, cut
}

// batchLines returns, as lines, what can be done at once; on a screen, only a few of them.
func batchLines(f *frame.Factory, w reading.WorkOut, screen bool) []string {
	var out []string
	for i, b := range w.Batches {
		if screen && i == maxBatches {
			out = append(out, fmt.Sprintf("%d more batches", len(w.Batches)-i))
			break
		}
		if screen {
			out = append(out, term.Cut(together(i, len(b.Tasks))+words.Some(b.Tasks, len(b.Tasks)), f.Out.Width))
			continue
		}
		out = append(out, "", together(i, len(b.Tasks))+words.List(b.Tasks))
		if len(b.Undeclared) > 0 {
			say := words.Either(len(b.Undeclared) == 1, "does not say what it touches", "do not say what they touch")
			out = append(out, "  "+say+": "+words.List(b.Undeclared))
		}
		for _, a := range b.Apart {
			out = append(out, fmt.Sprintf("  %s waits for %s: %s", a.B, a.A, a.Why))
		}
	}
	if len(w.NotCompared) > 0 {
		text := "In no batch, because comparing what they touch would take too long: "
		if screen {
			out = append(out, term.Cut(text+words.Some(w.NotCompared, len(w.NotCompared)), f.Out.Width))
		} else {
			out = append(out, "", text+words.List(w.NotCompared))
		}
	}
	return out
}

// together introduces the tasks of a batch: they touch nothing in common, and the next batch waits for them.
func together(batch, tasks int) string {
	return words.Either(batch > 0, "Then", "Now") + words.When(tasks > 1, ", at the same time") + ": "
}

// maxBatches is how many batches a screen shows.
const maxBatches = 2

// showBlocked prints the tasks that wait for open tasks.
func showBlocked(f *frame.Factory, blocked []reading.Blocked) {
	f.Out.Table([]term.Column{{Head: "ID"}, {Head: "TITLE", Flex: true}, {Head: "WAITS FOR", Drop: 1}, {Head: "ACT ON"}}, term.Rows(blocked, func(b reading.Blocked) []term.Span {
		act := ""
		if b.ActOn != nil {
			act = string(b.ActOn.Task) + words.When(b.ActOn.Holder != "", " ("+string(b.ActOn.Holder)+")") +
				words.When(b.ActOn.Others > 0, " and "+words.Count(b.ActOn.Others, "other", "others"))
		}
		return []term.Span{
			term.Bold.Of(string(b.Task)), term.Textf("%s", b.Title), term.Textf("%s", words.List(b.WaitsFor)),
			term.Textf("%s", act),
		}
	}))
}

// showUnheld prints the tasks in progress that nobody holds.
func showUnheld(f *frame.Factory, unheld []reading.Unheld) {
	f.Out.Table([]term.Column{{Head: "ID"}, {Head: "TITLE", Flex: true}, {Head: "CHANGED", Drop: 1}}, term.Rows(unheld, func(u reading.Unheld) []term.Span {
		return []term.Span{term.Bold.Of(string(u.Task)), term.Textf("%s", u.Title), term.Faint.Of(render.Ago(f, u.Since))}
	}))
}

// showAsked prints the tasks that only blocking questions hold back.
func showAsked(f *frame.Factory, asked []reading.Asked) {
	f.Out.Table([]term.Column{{Head: "ID"}, {Head: "TITLE", Flex: true}, {Head: "QUESTION", Drop: 1}}, term.Rows(asked, func(a reading.Asked) []term.Span {
		question := ""
		if q := a.Question; q != nil {
			question = fmt.Sprintf("%d: %s", q.ID, q.Brief())
		}
		return []term.Span{term.Bold.Of(string(a.Task)), term.Textf("%s", a.Title), term.Textf("%s", question)}
	}))
}
