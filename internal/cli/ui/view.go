package ui

import (
	"fmt"
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/text/words"
)

// The smallest screen that the view can use, and how many of its lines are not its body.
const (
	leastWidth  = 60
	leastHeight = 20
	frameLines  = 4 // the title, the line below it, the notice, the keys
	headLines   = 1 // the column heads of a list
)

// View draws a State: exactly as many lines as the terminal has, none wider than it.
func View(s State, color bool) string {
	if s.Width <= 0 || s.Height <= 0 {
		return ""
	}
	var lines [][]term.Span
	switch {
	case s.Width < leastWidth || s.Height < leastHeight:
		lines = tooSmall(s)
	default:
		lines = append(lines, title(s), below(s))
		lines = append(lines, fill(s.bodyLines(), s.body())...)
		lines = append(lines, notice(s), keys(s))
	}
	var b strings.Builder
	for i, line := range fill(lines, s.Height) {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(term.Row(line, s.Width, color))
	}
	return b.String()
}

// body returns how many lines there are between the title and the notice.
func (s *State) body() int { return max(1, s.Height-frameLines) }

// rows returns how many rows of a list fit on the screen.
func (s *State) rows() int { return max(1, s.body()-headLines) }

// fill returns exactly n lines.
func fill(lines [][]term.Span, n int) [][]term.Span {
	if len(lines) > n {
		return lines[:n]
	}
	for len(lines) < n {
		lines = append(lines, nil)
	}
	return lines
}

func tooSmall(s State) [][]term.Span {
	return [][]term.Span{
		{term.Textf("This view needs %d columns", leastWidth)},
		{term.Textf("and %d lines;", leastHeight)},
		{term.Textf("there are %d and %d.", s.Width, s.Height)},
		{term.Textf("Make it larger, or q quits.")},
	}
}

// title says where the reader is, and whether the screen is live.
func title(s State) []term.Span {
	left := []term.Span{term.Bold.Of(" tasker "), term.Bold.Of(s.Project), term.Faint.Of("  " + s.Actor)}
	state := term.Green.Of("● live ")
	if s.Dead != "" {
		state = term.Red.Of("○ not live: R tries again ")
	}
	return ends(left, state, s.Width)
}

// ends returns a line with something at its right end.
func ends(left []term.Span, right term.Span, width int) []term.Span {
	used := 0
	for _, l := range left {
		used += term.Columns(term.Inert(l.Text, false))
	}
	gap := width - used - term.Columns(right.Text)
	if gap < 1 {
		return left
	}
	return append(left, term.Plain.Of(strings.Repeat(" ", gap)), right)
}

// below is the line below the title: the lists, or the path to the current screen.
func below(s State) []term.Span {
	p := s.here()
	if p == nil {
		line := []term.Span{term.Plain.Of(" ")}
		for t := range tabs {
			text := fmt.Sprintf("%d %s%s", t+1, tabNames[t], s.Lists[t].count())
			if t == s.Tab {
				line = append(line, term.Reverse.Of("["+text+"]"))
			} else {
				line = append(line, term.Plain.Of(" "+text+" "))
			}
		}
		return line
	}
	line := []term.Span{term.Faint.Of(" " + tabNames[s.Tab])}
	for _, on := range s.Places[max(0, len(s.Places)-3):] {
		line = append(line, term.Faint.Of(" › "), term.Plain.Of(words.When(on.Around, "around ")+string(on.ID)))
	}
	return line
}

// count says how many there are, if known.
func (l Listing) count() string {
	return words.When(l.Known, fmt.Sprintf(" (%d%s)", l.Total, words.When(l.More, "+")))
}

// bodyLines draws everything between the title and the notice.
func (s *State) bodyLines() [][]term.Span {
	switch p := s.here(); {
	case s.Trouble != nil:
		return trouble(*s.Trouble, s.Width, s.body())
	case s.Help:
		return help()
	case p == nil:
		return s.listLines()
	case p.Around:
		return s.aroundLines(p)
	default:
		return s.briefLines(p)
	}
}

// trouble draws a refusal: its message, what is missing, and what to do.
func trouble(t frame.Refusal, width, height int) [][]term.Span {
	lines := [][]term.Span{nil}
	add := func(spans ...term.Span) { lines = append(lines, term.Fold(spans, width-1)...) }
	add(term.Red.Of("  Refused: "), term.Plain.Of(t.Message))
	if len(t.Missing) > 0 {
		lines = append(lines, nil)
	}
	for _, m := range t.Missing {
		add(term.Plain.Of("  - " + m))
	}
	if t.Hint != "" {
		lines = append(lines, nil)
		add(term.Plain.Of("  hint: " + t.Hint))
	}
	if left := len(lines) - (height - 1); left > 0 {
		lines = append(lines[:height-1], []term.Span{term.Faint.Of(fmt.Sprintf("  … and %s", words.Count(left, "more line", "more lines")))})
	}
	return lines
}

// notice is the line above the keys: what is typed, what was just done, or why events no longer arrive.
func notice(s State) []term.Span {
	switch p := s.Prompt; {
	case p != nil && p.Yes:
		return []term.Span{term.Bold.Of(" " + p.Label)}
	case p != nil:
		return prompt(*p, s.Width)
	case s.Notice != "":
		return []term.Span{term.Yellow.Of(" " + s.Notice)}
	case s.Dead != "":
		return []term.Span{term.Red.Of(" " + s.Dead)}
	case s.here() == nil && s.Words != "":
		return []term.Span{term.Faint.Of(" Narrowed by "), term.Plain.Of(s.Words), term.Faint.Of("  (esc: all)")}
	}
	return nil
}

// prompt shows the end of the typed text, where the typing continues.
func prompt(p Prompt, width int) []term.Span {
	label := " " + p.Label + " "
	text := term.Inert(p.Text, false)
	room := max(8, width-term.Columns(label)-1)
	if term.Columns(text) > room {
		r := []rune(text)
		r = r[max(0, len(r)-4*room):] // skip most of a long text in one step
		for len(r) > 0 && term.Columns(string(r)) > room-1 {
			r = r[1:]
		}
		text = "…" + string(r)
	}
	return []term.Span{term.Bold.Of(label), term.Plain.Of(text), term.Reverse.Of("_")}
}

// keys names the most important keys of the screen.
func keys(s State) []term.Span {
	var text string
	switch p := s.here(); {
	case s.Prompt != nil && s.Prompt.Yes:
		text = "y yes  n no"
	case s.Prompt != nil:
		text = "enter does it  esc leaves it"
	case s.Trouble != nil || s.Help:
		text = "any key goes on"
	case p == nil && s.Tab == TabInbox:
		text = "enter read  w answer  a approve  b send back  d close  p put away  / find"
	case p == nil:
		text = "enter read  g around  / find  c claim  r release  t tick  n note  d close"
	case p.Around:
		text = "←→ walk  ↑↓ choose  enter read  esc back  c claim  n note  d close"
	default:
		text = "↑↓ scroll  esc back  g around  a approve  b send back  w answer  d close"
	}
	if s.Prompt != nil || s.Trouble != nil || s.Help {
		return []term.Span{term.Faint.Of(" " + text)}
	}
	const always = "  ? help  q quit "
	return ends([]term.Span{term.Faint.Of(term.Cut(" "+text, s.Width-len(always)-1))}, term.Faint.Of(always), s.Width)
}

// help lists every key.
func help() [][]term.Span {
	lines := [][]term.Span{{term.Bold.Of("  Keys")}}
	for _, h := range [][2]string{
		{"1 2 3 4, tab", "what waits for you, what you hold, what is ready, all"},
		{"↑ ↓, pgup pgdn", "choose, or scroll"},
		{"/", "narrow the list by words (esc: all again)"},
		{"enter", "read the task"},
		{"g", "the tasks around it; ← and → walk along the edges"},
		{"esc", "back"},
		{"w", "answer its question"},
		{"a", "approve it: the version that is shown"},
		{"b", "send it back, and say why"},
		{"c  r", "claim it, release it"},
		{"t  u", "tick criteria, untick them"},
		{"n", "note something on it"},
		{"d", "close it as done"},
		{"p", "put an item away: it comes back when it happens again"},
		{"R", "load it all again"},
		{"q, ctrl-c", "quit"},
	} {
		lines = append(lines, []term.Span{term.Bold.Of("  " + term.Pad(h[0], 16)), term.Plain.Of(h[1])})
	}
	return lines
}
