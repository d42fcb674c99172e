package term

import (
	"bytes"
	"strings"
	"testing"
)

func tableOf(width int) string {
	var b bytes.Buffer
	term := &Terminal{w: &b, Width: width}
	term.Table(
		[]Column{{Head: "ID"}, {Head: "TITLE", Flex: true}, {Head: "HELD BY", Drop: 1}, {Head: "CHANGED", Drop: 2}},
		[][]Span{
			{{Text: "demo-1"}, {Text: "A title that is rather long for a column"}, {Text: "claude/3"}, {Text: "2h ago"}},
			{{Text: "demo-12"}, {Text: "日本語の題名"}, {}, {Text: "just now"}},
		})
	return b.String()
}

func TestTableIsAlignedByCellsAndCutsNothingWhereThereIsNoTerminal(t *testing.T) {
	want := strings.Join([]string{
		"ID       TITLE                                     HELD BY   CHANGED",
		"demo-1   A title that is rather long for a column  claude/3  2h ago",
		"demo-12  日本語の題名                                        just now",
		"",
	}, "\n")
	if got := tableOf(0); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestTableBendsToTheWidthOfTheTerminal(t *testing.T) {
	for _, c := range []struct {
		width          int
		keeps, without string
	}{
		{60, "CHANGED", "\x00"},    // the title is cut
		{40, "HELD BY", "CHANGED"}, // a column is dropped, the lowest-ranked first
		{28, "TITLE", "HELD BY"},
	} {
		got := tableOf(c.width)
		if !strings.Contains(got, c.keeps) || strings.Contains(got, c.without) {
			t.Errorf("at %d columns want %s and not %s:\n%s", c.width, c.keeps, c.without, got)
		}
		for line := range strings.Lines(got) {
			if n := Columns(strings.TrimRight(line, "\n")); n > c.width {
				t.Errorf("at %d columns a line takes %d: %q", c.width, n, line)
			}
		}
		if !strings.Contains(got, "…") {
			t.Errorf("at %d columns the cut is not shown:\n%s", c.width, got)
		}
	}
}
