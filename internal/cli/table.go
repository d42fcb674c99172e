package cli

import "strings"

// column is one column of a table. Where a terminal is too narrow, columns with the highest drop go first, then the
// flexible one is cut.
type column struct {
	head string
	flex bool
	drop int // 0: never dropped
}

// table prints rows under their heads, aligned. It bends to the width of a terminal; elsewhere nothing is cut.
func (t *Terminal) table(cols []column, rows [][]span) {
	widths := make([]int, len(cols))
	for i, c := range cols {
		widths[i] = columns(c.head)
		for _, row := range rows {
			widths[i] = max(widths[i], columns(inert(row[i].text, false)))
		}
	}
	shown := t.fit(cols, widths)
	heads := make([]span, len(cols))
	for i, c := range cols {
		heads[i] = span{c.head, faint}
	}
	t.row(heads, widths, shown)
	for _, row := range rows {
		t.row(row, widths, shown)
	}
}

const gap = "  "

// fit decides which columns are shown, and narrows the flexible one.
func (t *Terminal) fit(cols []column, widths []int) []int {
	var shown []int
	for i := range cols {
		shown = append(shown, i)
	}
	if t.width <= 0 {
		return shown
	}
	const least = 16 // cells that the flexible column should keep
	for {
		total, flex := -len(gap), -1
		for _, i := range shown {
			total += widths[i] + len(gap)
			if cols[i].flex {
				flex = i
			}
		}
		over := total - t.width
		if over <= 0 {
			return shown
		}
		if flex >= 0 && widths[flex]-over >= min(least, widths[flex]) {
			widths[flex] -= over
			return shown
		}
		worst := -1
		for at, i := range shown {
			if cols[i].drop > 0 && (worst < 0 || cols[i].drop > cols[shown[worst]].drop) {
				worst = at
			}
		}
		if worst < 0 {
			if flex >= 0 {
				widths[flex] = max(widths[flex]-over, 4)
			}
			return shown
		}
		shown = append(shown[:worst:worst], shown[worst+1:]...)
	}
}

func (t *Terminal) row(cells []span, widths, shown []int) {
	var b strings.Builder
	for at, i := range shown {
		text := cut(inert(cells[i].text, false), widths[i])
		b.WriteString(t.styled(span{text, cells[i].style}))
		if at < len(shown)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-columns(text)) + gap)
		}
	}
	t.raw(strings.TrimRight(b.String(), " ") + "\n")
}
