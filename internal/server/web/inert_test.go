package web

import (
	"strings"
	"testing"
	"unicode"
)

func TestWhatAPageWouldNotShowIsWrittenOut(t *testing.T) {
	const text = "a\x1b[31m\x00\x07\x7f\u009b2J\u0085 é \u00a0\tb\r\nc\rd\n user\u202etxt.exe\u200b\U000e0069 👩\u200d🚀"
	const want = `a\x1b[31m\x00\x07\x7f\x9b2J\x85 é ` + "\u00a0\tb\nc" + `\x0d` + "d\n" + ` user\u202etxt.exe\u200b\U000e0069 ` + "👩\u200d🚀"
	if got := string(inert([]byte(text))); got != want {
		t.Fatalf("%q", got)
	}
}

func FuzzInert(f *testing.F) {
	f.Add("a\x1b\u0085\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		out := string(inert([]byte(text)))
		for _, r := range out { // a joiner may stay, and moves nothing
			if (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) && r != '\n' && r != '\t' {
				t.Fatalf("%q becomes %q", text, out)
			}
		}
	})
}
