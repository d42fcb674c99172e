package ui

import (
	"fmt"
	"strings"

	"tasker/internal/cli/term"
	"tasker/internal/text/words"
)

// listLines draws the current list, scrolled to the chosen row.
func (s *State) listLines() [][]term.Span {
	l := s.list()
	if len(l.Rows) == 0 {
		text := "Loading …"
		switch {
		case l.Known && s.Words != "":
			text = "Nothing here fits " + words.Quoted(s.Words)
		case l.Known:
			text = [tabs]string{"Nothing waits for you", "You hold nothing", "Nothing is ready", "There are no tasks"}[s.Tab]
		}
		return [][]term.Span{nil, {term.Faint.Of("  " + text)}}
	}
	n := s.rows()
	top := max(0, min(l.At-n/2, len(l.Rows)-n))
	shown := l.Rows[top:min(len(l.Rows), top+n)]
	lines := [][]term.Span{s.heads()}
	for i := range shown {
		lines = append(lines, s.rowLine(&shown[i], top+i == l.At))
	}
	if left := l.Total - len(l.Rows); left > 0 && top+n >= len(l.Rows) && len(lines) > n {
		lines[len(lines)-1] = []term.Span{term.Faint.Of(fmt.Sprintf("   and %d more: / narrows the list", left+1))}
	}
	return lines
}

// The widths of a list's columns.
const (
	idCells    = 14
	markCells  = 23
	dueCells   = 12
	whoCells   = 12
	sinceCells = 14
	priCells   = 5
)

// The least terminal widths that have room for priorities, and for everything.
const (
	usualWidth = 80
	wideWidth  = 100
)

// wide reports whether there is room for more than the most important columns.
func (s *State) wide() bool { return s.Width >= wideWidth }

func (s *State) heads() []term.Span {
	if s.Tab == TabInbox {
		return []term.Span{term.Faint.Of("   " + cell("ID", idCells) + cell("WAITS", sinceCells) + "WHY")}
	}
	text := "   " + cell("ID", idCells) + cell("STATE", markCells)
	if s.Width >= usualWidth {
		text += cell("PRI", priCells)
	}
	if s.wide() {
		text += cell("DUE", dueCells) + cell("HELD BY", whoCells)
	}
	return []term.Span{term.Faint.Of(text + "TITLE")}
}

// cell fits a text into a number of cells, the last of which stays empty.
func cell(text string, cells int) string {
	return term.Pad(term.Cut(term.Inert(text, false), cells-1), cells)
}

func (s *State) rowLine(r *Row, chosen bool) []term.Span {
	mark := words.Either(chosen, " › ", "   ")
	of := func(style term.Style, text string) term.Span {
		if chosen {
			style = term.Reverse
		}
		return style.Of(text)
	}
	if it := r.Item; it != nil {
		return []term.Span{
			of(term.Bold, mark), of(term.Bold, cell(string(r.ID), idCells)), of(term.Faint, cell(r.Since, sinceCells)),
			of(term.Yellow, oneLine(it.Why)), of(term.Faint, "  "+r.Title),
		}
	}
	line := []term.Span{
		of(term.Bold, mark), of(term.Bold, cell(string(r.ID), idCells)), of(r.Mark.Style, cell(r.Mark.Text, markCells)),
	}
	if s.Width >= usualWidth {
		line = append(line, of(term.Plain, cell(fmt.Sprint(r.Priority), priCells)))
	}
	if s.wide() {
		line = append(line, of(r.Due.Style, cell(r.Due.Text, dueCells)), of(term.Plain, cell(r.Holder, whoCells)))
	}
	return append(line, of(term.Plain, r.Title))
}

// oneLine returns the first line of a text.
func oneLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	return line + words.When(more, " …")
}

// text returns all lines of a task's screen.
func (s *State) text(p *Place) [][]term.Span {
	if p.Brief == nil {
		return nil
	}
	var lines [][]term.Span
	for _, line := range p.Brief.Paint(s.Width - 2) {
		for _, part := range term.Fold(line, s.Width-2) {
			lines = append(lines, append([]term.Span{term.Plain.Of(" ")}, part...))
		}
	}
	return lines
}

// briefLines draws a task from the scroll position on.
func (s *State) briefLines(p *Place) [][]term.Span {
	if p.Brief == nil {
		return [][]term.Span{nil, {term.Faint.Of("  Loading …")}}
	}
	lines := s.text(p)
	n := s.body()
	top := max(0, min(p.Scroll, len(lines)-n))
	shown := append([][]term.Span{}, lines[top:min(len(lines), top+n)]...)
	if rest := len(lines) - top - n; rest > 0 {
		shown[len(shown)-1] = []term.Span{term.Faint.Of(fmt.Sprintf("   … %s below", words.Count(rest+1, "line", "lines")))}
	}
	return shown
}

// aroundLines draws a task between what it waits for and what waits for it: side by side if there is room, otherwise
// one below the other.
func (s *State) aroundLines(p *Place) [][]term.Span {
	if p.Neighbours == nil {
		return [][]term.Span{nil, {term.Faint.Of("  Loading …")}}
	}
	n := p.Neighbours
	third := s.Width / 3
	widths := [3]int{third, s.Width - 2*third, third}
	heads := [3]string{"← Waits for" + count(n.Sides[Upstream]), "", "Waited for by" + count(n.Sides[Downstream]) + " →"}
	columns := [3][]term.Span{
		s.side(p, Upstream, widths[0]), drawn(n.Task, p.Side == Middle, widths[1]), s.side(p, Downstream, widths[2]),
	}
	lines := [][]term.Span{nil, {
		term.Bold.Of(cell(" "+heads[0], widths[0])), term.Plain.Of(cell("", widths[1])), term.Bold.Of(cell(heads[2], widths[2])),
	}}
	for i := range s.body() - len(lines) {
		var line []term.Span
		for c, column := range columns {
			if i < len(column) {
				line = append(line, column[i])
			} else {
				line = append(line, term.Plain.Of(cell("", widths[c])))
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func count(nodes []Node) string {
	return words.Either(len(nodes) == 0, ": nothing", fmt.Sprintf(" (%d)", len(nodes)))
}

// side draws the tasks on one side, three lines each, scrolled to the chosen one.
func (s *State) side(p *Place, side Side, width int) []term.Span {
	nodes := p.Neighbours.Sides[side]
	n := max(1, (s.body()-2)/3)
	at := p.At[side]
	top := max(0, min(at-n/2, len(nodes)-n))
	var out []term.Span
	for i, node := range nodes[top:min(len(nodes), top+n)] {
		out = append(out, drawn(node, p.Side == side && top+i == at, width)...)
		out = append(out, term.Plain.Of(cell("", width)))
	}
	return out
}

// drawn draws one task in two lines: its state, and its title.
func drawn(n Node, chosen bool, width int) []term.Span {
	lead, style := "   ", n.Mark.Style
	if chosen {
		lead, style = " › ", term.Reverse
	}
	name := lead + string(n.ID) + "  " + n.Mark.Text + words.When(n.Holder != "", " by "+n.Holder) + words.When(n.More, " …")
	return []term.Span{style.Of(cell(name, width)), term.Plain.Of(cell("   "+n.Title, width))}
}
