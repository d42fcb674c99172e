package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tasker/internal/task"
)

func tableOf(width int) string {
	var b bytes.Buffer
	term := &Terminal{w: &b, width: width}
	term.table(
		[]column{{head: "ID"}, {head: "TITLE", flex: true}, {head: "HELD BY", drop: 1}, {head: "CHANGED", drop: 2}},
		[][]span{
			{{text: "demo-1"}, {text: "A title that is rather long for a column"}, {text: "claude/3"}, {text: "2h ago"}},
			{{text: "demo-12"}, {text: "日本語の題名"}, {}, {text: "just now"}},
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
		{40, "HELD BY", "CHANGED"}, // a column goes, the last in rank first
		{28, "TITLE", "HELD BY"},
	} {
		got := tableOf(c.width)
		if !strings.Contains(got, c.keeps) || strings.Contains(got, c.without) {
			t.Errorf("at %d columns want %s and not %s:\n%s", c.width, c.keeps, c.without, got)
		}
		for line := range strings.Lines(got) {
			if n := columns(strings.TrimRight(line, "\n")); n > c.width {
				t.Errorf("at %d columns a line takes %d: %q", c.width, n, line)
			}
		}
		if !strings.Contains(got, "…") {
			t.Errorf("at %d columns the cut is not shown:\n%s", c.width, got)
		}
	}
}

func TestTimesAreToldRelativeToNow(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		before time.Duration
		want   string
	}{
		{0, "just now"},
		{30 * time.Second, "30s ago"},
		{80 * time.Minute, "80m ago"},
		{2*time.Hour - time.Second, "2h ago"},
		{5 * time.Hour, "5h ago"},
		{72 * time.Hour, "3d ago"},
		{-10 * time.Minute, "in 10m"},
	} {
		if got := ago(task.TimeOf(now.Add(-c.before)), now); got != c.want {
			t.Errorf("%v before: %q, want %q", c.before, got, c.want)
		}
	}
	if got := until(task.TimeOf(now.Add(2*time.Hour)), now); got != "for 2h" {
		t.Errorf("until = %q", got)
	}
	if got := until(0, now); got != "until released" {
		t.Errorf("until without expiry = %q", got)
	}
}

func TestEveryStatusHasAGlyphAndAWord(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range task.Statuses {
		glyph, word, ok := strings.Cut(statusSpan(s).text, " ")
		if !ok || glyph == "?" || seen[glyph] || strings.ReplaceAll(word, " ", "_") != string(s) {
			t.Errorf("%s is shown as %q", s, statusSpan(s).text)
		}
		seen[glyph] = true
	}
}
