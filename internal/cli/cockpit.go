package cli

import (
	"fmt"
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/hint"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// screenLines is how many terminal lines `tasker` without a command fills at most, counting wrapped lines.
const screenLines = 20

// How many rows of each section the cockpit shows at most. It shows fewer if lines wrap.
const (
	maxWaiting = 3
	maxHolding = 2
	maxNext    = 2
	maxOthers  = 2
)

// section is a list of the cockpit, with a heading.
type section struct {
	title string
	total int           // how many there are, shown or not
	rows  [][]term.Span // the lines of the rows that are shown
}

// cockpit prints a project on one screen, and reserves kept lines for what follows.
func cockpit(f *frame.Factory, h inbox.HomeOut, kept int) {
	done, said := bar(h.Situation.Progress), h.Situation.Sentence
	f.Out.Spans(term.Bold.Of(h.Project), term.Textf("  "), term.Green.Of(done))
	if w := f.Out.Width; w > 0 && term.Columns(h.Project+"  "+done+"  "+said) > w {
		f.Out.Printf("\n")
		f.Out.Flow("  ", "  ", term.Textf("%s", said))
		kept += 1 + len(term.Wrap("  "+term.Inert(said, false), w))
	} else {
		f.Out.Printf("  %s\n", said)
		kept++
	}
	for _, s := range fitting(f, sections(f, h), screenLines-kept) {
		f.Out.Line(term.Bold.Of(s.title), term.Plain.Of(words.When(s.total > len(s.rows), fmt.Sprintf(" (%d of %d)", len(s.rows), s.total))))
		for _, row := range s.rows {
			f.Out.Line(row...)
		}
	}
}

// sections returns the lists of the cockpit, the most urgent first.
func sections(f *frame.Factory, h inbox.HomeOut) []section {
	next := len(h.Next)
	if next >= maxNext { // there may be more than the request asked for
		next = max(next, h.Situation.Ready)
	}
	return []section{
		first("Waits for you", h.Inbox.Total, maxWaiting, h.Inbox.Items, func(it inbox.Item) []term.Span { return waitingLine(f, it) }),
		first("You hold", len(h.Holding), maxHolding, h.Holding, func(t reading.Holding) []term.Span {
			what := fmt.Sprintf("%s, %d of %d criteria: ", leaseWords(t.LeftMs), t.Progress.Checked, t.Progress.Total)
			return line(f, render.Held, string(t.Task), what, t.Title)
		}),
		first("Next for you", next, maxNext, h.Next, func(c task.Card) []term.Span { return line(f, render.Ready, string(c.ID), "", c.Title) }),
		first("Others hold", h.Situation.Held-len(h.Holding), maxOthers, h.Others, func(t reading.Lease) []term.Span {
			return line(f, render.Held, string(t.Task), fmt.Sprintf("%s, %s: ", t.Actor, render.Until(f, t.ExpiresAt)), t.Title)
		}),
	}
}

// first returns a section with a row for each of the first items.
func first[T any](title string, total, most int, items []T, row func(T) []term.Span) section {
	return section{title, total, term.Rows(items[:min(len(items), most)], row)}
}

// fitting returns the sections with as many rows as fit in the lines. It drops the last row of the longest section
// first; among equally long ones, of the least urgent.
func fitting(f *frame.Factory, all []section, lines int) []section {
	for {
		used, longest := 0, 0
		var shown []section
		for i, s := range all {
			if len(s.rows) >= len(all[longest].rows) {
				longest = i
			}
			if len(s.rows) == 0 {
				continue
			}
			shown = append(shown, s)
			used++
			for _, row := range s.rows {
				used += drawn(f, plain(row))
			}
		}
		if used <= lines || len(shown) == 0 {
			return shown
		}
		all[longest].rows = all[longest].rows[:len(all[longest].rows)-1]
	}
}

// plain returns the text of a line.
func plain(row []term.Span) string {
	var b strings.Builder
	for _, s := range row {
		b.WriteString(s.Text)
	}
	return term.Inert(b.String(), false)
}

// drawn returns how many terminal lines a text takes.
func drawn(f *frame.Factory, text string) int {
	w := f.Out.Width
	if w <= 0 {
		return 1
	}
	return max(1, (term.Columns(text)+w-1)/w)
}

// below returns how many lines the suggested commands take, including the line that says where to find the others.
func below(f *frame.Factory, commands []string) int {
	lines := 1
	for _, c := range commands {
		lines += drawn(f, "  "+c)
	}
	return lines
}

// line returns a task as one line of the screen.
func line(f *frame.Factory, glyph term.Span, id, what, title string) []term.Span {
	title = term.Inert(title, false)
	if w := f.Out.Width; w > 0 {
		title = term.Cut(title, max(8, w-term.Columns("  x "+id+"  "+term.Inert(what, false))))
	}
	mark, _, _ := strings.Cut(glyph.Text, " ")
	return []term.Span{term.Textf("  "), glyph.Style.Of(mark), term.Textf(" "), term.Bold.Of(id), term.Textf("  %s%s", what, title)}
}

// waitingLine returns an inbox item as one line, with the command that settles it.
func waitingLine(f *frame.Factory, it inbox.Item) []term.Span {
	settle := ""
	if len(it.Settle) > 0 { // an older server does not send it
		settle = "  " + f.AsCommand(hint.Typed(it.Settle[0]))
	}
	why := term.Inert(it.Why, false)
	if w := f.Out.Width; w > 0 {
		why = term.Cut(why, max(12, w-term.Columns("  ? "+string(it.Task)+"  "+settle)))
	}
	return []term.Span{term.Yellow.Of("  ? "), term.Bold.Of(string(it.Task)), term.Textf("  "), term.Textf("%s", why), term.Faint.Of(settle)}
}

// bar returns the progress of a project as a bar.
func bar(percent int) string {
	const wide = 12
	full := min(max(percent, 0), 100) * wide / 100
	return strings.Repeat("█", full) + strings.Repeat("░", wide-full) + fmt.Sprintf(" %d%%", percent)
}
