package term

import (
	"slices"
	"strings"
)

// Column is one column of a table. On a narrow terminal, the columns with the highest drop go first, and then the
// flexible one is cut. A column with a short form is shortened before it is dropped.
type Column struct {
	Head  string
	Flex  bool
	Drop  int    // 0: never dropped
	Short []Span // its cells in short form, row by row; nil: it has none
}

// Table prints aligned rows under their heads. It adapts to the width of a terminal; elsewhere nothing is cut.
func (t *Terminal) Table(cols []Column, rows [][]Span) {
	heads := make([]Span, len(cols))
	for i, c := range cols {
		heads[i] = Faint.Of(c.Head)
	}
	all := append([][]Span{heads}, rows...)
	widths := widest(all, len(cols))
	shown := t.fit(cols, widths)
	for i, c := range cols {
		if c.Short != nil && !slices.Contains(shown, i) {
			t.Table(shortened(cols, rows, i))
			return
		}
	}
	for _, row := range all {
		t.raw(t.line(row, widths, shown))
	}
}

// widest returns how many cells the widest text of each column takes.
func widest(rows [][]Span, columns int) []int {
	widths := make([]int, columns)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], Columns(Inert(cell.Text, false)))
		}
	}
	return widths
}

// shortened returns a table with one column in its short form, which is never dropped.
func shortened(cols []Column, rows [][]Span, at int) ([]Column, [][]Span) {
	short := cols[at].Short
	cols, rows = slices.Clone(cols), slices.Clone(rows)
	cols[at].Drop, cols[at].Short = 0, nil
	for j := range rows {
		rows[j] = slices.Clone(rows[j])
		rows[j][at] = short[j]
	}
	return cols, rows
}

// Gap separates two columns.
const Gap = "  "

// fit decides which columns are shown, and narrows the flexible one.
func (t *Terminal) fit(cols []Column, widths []int) []int {
	var shown []int
	for i := range cols {
		shown = append(shown, i)
	}
	if t.Width <= 0 {
		return shown
	}
	const least = 16 // cells that the flexible column should keep
	for {
		total, flex := -len(Gap), -1
		for _, i := range shown {
			total += widths[i] + len(Gap)
			if cols[i].Flex {
				flex = i
			}
		}
		over := total - t.Width
		if over <= 0 {
			return shown
		}
		if flex >= 0 && widths[flex]-over >= min(least, widths[flex]) {
			widths[flex] -= over
			return shown
		}
		worst := -1
		for at, i := range shown {
			if cols[i].Drop > 0 && (worst < 0 || cols[i].Drop > cols[shown[worst]].Drop) {
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

// line returns the visible cells as one line.
func (t *Terminal) line(cells []Span, widths, shown []int) string {
	var b strings.Builder
	for at, i := range shown {
		text := Cut(Inert(cells[i].Text, false), widths[i])
		b.WriteString(t.styled(Span{text, cells[i].Style}))
		if at < len(shown)-1 {
			b.WriteString(strings.Repeat(" ", widths[i]-Columns(text)) + Gap)
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// Aligned returns rows as lines with aligned cells. If they are wider than width (0 for no bound), the widest column is
// cut.
func Aligned(rows [][]string, width int) string {
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	all := Rows(rows, func(row []string) []Span {
		cells := make([]Span, columns)
		for i, cell := range row {
			cells[i].Text = cell
		}
		return cells
	})
	widths, cols := widest(all, columns), make([]Column, columns)
	if columns > 0 {
		cols[slices.Index(widths, slices.Max(widths))].Flex = true
	}
	t := &Terminal{Width: width}
	shown := t.fit(cols, widths)
	var b strings.Builder
	for _, row := range all {
		b.WriteString(t.line(row, widths, shown))
	}
	return b.String()
}

// Rows makes a row of each item.
func Rows[T any](items []T, row func(T) []Span) [][]Span {
	out := make([][]Span, len(items))
	for i, item := range items {
		out[i] = row(item)
	}
	return out
}
