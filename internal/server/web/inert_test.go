package web

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
)

func TestControlCharactersOfPagesAreWrittenOut(t *testing.T) {
	const text = "a\x1b[31m\x00\x07\x7f\u009b2J\u0085 é \u00a0\tb\r\nc\rd\n"
	const want = `a\x1b[31m\x00\x07\x7f\x9b2J\x85 é ` + "\u00a0\tb\nc" + `\x0d` + "d\n"
	for cut := range len(text) { // in two parts, wherever they meet
		var out bytes.Buffer
		w := &inert{to: &out}
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if got := out.String(); got != want {
			t.Fatalf("cut at %d: %q", cut, got)
		}
	}
}

func FuzzInert(f *testing.F) {
	f.Add("a\x1b\u0085\r\n", 2)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		text = strings.ToValidUTF8(text, "") + "."
		cut = min(max(cut, 0), len(text))
		var out bytes.Buffer
		w := &inert{to: &out}
		_, _ = w.Write([]byte(text[:cut]))
		_, _ = w.Write([]byte(text[cut:]))
		for _, r := range out.String() {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("%q becomes %q", text, out.String())
			}
		}
	})
}
