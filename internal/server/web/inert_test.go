package web

import (
	"strings"
	"testing"
	"unicode"
)

func TestControlCharactersOfPagesAreWrittenOut(t *testing.T) {
	const text = "a\x1b[31m\x00\x07\x7f\u009b2J\u0085 é \u00a0\tb\r\nc\rd\n"
	const want = `a\x1b[31m\x00\x07\x7f\x9b2J\x85 é ` + "\u00a0\tb\nc" + `\x0d` + "d\n"
	if got := string(inert([]byte(text))); got != want {
		t.Fatalf("%q", got)
	}
}

func FuzzInert(f *testing.F) {
	f.Add("a\x1b\u0085\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		out := string(inert([]byte(text)))
		for _, r := range out {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q becomes %q", text, out)
			}
		}
	})
}
