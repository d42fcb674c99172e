package term_test

import (
	"strings"
	"testing"

	"tasker/internal/cli/term"
)

func TestARowIsInertAndNoWiderThanItsCells(t *testing.T) {
	for _, c := range []struct {
		spans []term.Span
		cells int
		color bool
		want  string
	}{
		{[]term.Span{term.Bold.Of("demo-1"), term.Textf("  "), term.Plain.Of("Ship it")}, 40, false, "demo-1  Ship it"},
		{[]term.Span{term.Bold.Of("demo-1"), term.Plain.Of("  Ship it")}, 11, true, "\x1b[1mdemo-1\x1b[0m  Sh…"},
		{[]term.Span{term.Plain.Of("a\x1b[2Jb\u202ec\n")}, 40, true, `a\x1b[2Jb\u202ec\n`},
		{[]term.Span{term.Plain.Of("日本語日本語")}, 5, false, "日本…"},
		{[]term.Span{term.Plain.Of("full"), term.Plain.Of("more")}, 4, false, "full"},
	} {
		if got := term.Row(c.spans, c.cells, c.color); got != c.want {
			t.Errorf("%q in %d: got %q, want %q", c.spans, c.cells, got, c.want)
		}
	}
}

func TestWhatATerminalPrintedIsReadBackAndFolded(t *testing.T) {
	var b strings.Builder
	out := term.New(&b, true)
	out.Color = true
	out.Spans(term.Bold.Of("  Head"), term.Textf(" of \x1b[31mit"))
	out.Printf("\nnext\n")
	lines := term.Styled(b.String())
	if len(lines) != 2 || lines[0][0] != term.Bold.Of("  Head") || lines[0][1] != term.Plain.Of(` of \x1b[31mit`) || lines[1][0] != term.Plain.Of("next") {
		t.Fatalf("read back as %q", lines)
	}
	for _, c := range []struct {
		text  string
		cells int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two", 10, []string{"one two"}},
		{"one two three", 8, []string{"one two ", "three"}},
		{"  one two three", 9, []string{"  one two", "  three"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"日本語日本語", 5, []string{"日本", "語日", "本語"}},
		{"            deep", 8, []string{"        ", "deep"}},
	} {
		var got []string
		for _, line := range term.Fold([]term.Span{term.Plain.Of(c.text)}, c.cells) {
			got = append(got, term.Row(line, 100, false))
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%q in %d: got %q, want %q", c.text, c.cells, got, c.want)
		}
	}
}
