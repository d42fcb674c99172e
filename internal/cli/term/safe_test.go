package term

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

func TestStoredTextCannotCommandTheTerminal(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "naïve 日本 ✓ 👩‍👧", "naïve 日本 ✓ 👩‍👧"},
		{"escape sequence", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"bell and backspace", "a\a\b", `a\x07\x08`},
		{"delete", "a\x7f", `a\x7f`},
		{"C1 as a character", "a\u009b31m", `a\x9b31m`},
		{"C1 as a byte", "a\x9b31m", `a\x9b31m`},
		{"bidi override", "user\u202etxt.exe", `user\u202etxt.exe`},
		{"bidi isolate", "\u2066x\u2069", `\u2066x\u2069`},
		{"marks of direction", "\u200e\u200f\u061c", `\u200e\u200f\u061c`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"invalid UTF-8", "a\xffb", `a\xffb`},
		{"the replacement character is a character", "a\ufffdb", "a\ufffdb"},
		{"carriage return", "real\rfake", `real\x0dfake`},
		{"line break in one line", "a\nb\tc", `a\nb\tc`},
		{"zero width", "a\u200bb\u2060c\ufeff", `a\u200bb\u2060c\ufeff`},
		{"soft hyphen and filler", "a\u00adb\u3164", `a\xadb\u3164`},
		{"tags", "a\U000e0069\U000e0067", `a\U000e0069\U000e0067`},
		{"joiners between Latin letters", "a\u200db\u200cc", `a\u200db\u200cc`},
		{"selectors after letters, and several after a symbol", "a\ufe0f ✓\ufe0e\ufe0f\U000e0101", "a\\ufe0f ✓\ufe0e" + `\ufe0f\U000e0101`},
		{"emoji stay", "❤\ufe0f 1\ufe0f\u20e3 👩\u200d❤\ufe0f\u200d👨 👩🏽\u200d🚀", "❤\ufe0f 1\ufe0f\u20e3 👩\u200d❤\ufe0f\u200d👨 👩🏽\u200d🚀"},
		{"words with joiners stay", "می\u200cخواهم क\u094d\u200dष", "می\u200cخواهم क\u094d\u200dष"},
	} {
		if got := Inert(c.in, false); got != c.want {
			t.Errorf("%s: inert(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
	if got := Inert("a\n\tb\x1b", true); got != "a\n\tb"+`\x1b` {
		t.Errorf("with lines kept: %q", got)
	}
}

func TestPrintfKeepsWhatIsPutInOnItsLine(t *testing.T) {
	var b bytes.Buffer
	term := &Terminal{w: &b, Color: true}
	term.Printf("%s is %s\n", "demo-1", "done\ntasker: all is well\x1b]0;title\a")
	term.Spans(Span{"a\nb\x1b[1m", Red})
	want := "demo-1 is " + `done\ntasker: all is well\x1b]0;title\x07` + "\n\x1b[31m" + `a\nb\x1b[1m` + "\x1b[0m"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestBlockIndentsEveryLineOfATextSoThatNonePassesForOurs(t *testing.T) {
	var b bytes.Buffer
	(&Terminal{w: &b}).Block("  ", "one\r\ntasker: two\n\n\tthree\rx\n")
	if want := "  one\n  tasker: two\n\n  " + `\tthree\x0dx` + "\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestJSONOnATerminalReadsAsTheSameTextAndObeysNothing(t *testing.T) {
	text := "\u009b31m\u202e\x7f\x1bé\u200b\U000e0069\n"
	doc, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	(&Terminal{w: &b, tty: true}).Document(doc)
	assertInert(t, b.String())
	var back string
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != text {
		t.Errorf("read back %q, %v; want %q", back, err, text)
	}
	b.Reset()
	(&Terminal{w: &b, Model: true}).Document(doc)
	if want := `"\u009b31m\u202e\u007f\u001bé\u200b\udb40\udc69\n"` + "\n"; b.String() != want {
		t.Errorf("a model reads %s, want %s", b.String(), want)
	}
	b.Reset()
	(&Terminal{w: &b}).Document(doc)
	if b.String() != string(doc)+"\n" {
		t.Errorf("not a terminal: %q, want the document byte for byte", b.String())
	}
}

func assertInert(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%q is not valid UTF-8", s)
	}
	for _, r := range s {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f ||
			strings.ContainsRune("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r) {
			t.Errorf("%q lets %U through", s, r)
		}
	}
}

func FuzzTerminal(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[2J", "\u202e", "\xff\xfe", "a\nb", "\xe2\x80", "\u009d0;x\u009c", "日本"} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		line := Inert(s, false)
		assertInert(t, line)
		if strings.ContainsAny(line, "\n\t") {
			t.Errorf("a line break came through: %q", line)
		}
		if Inert(line, false) != line {
			t.Errorf("inert is not stable on %q", line)
		}
		var b bytes.Buffer
		term := &Terminal{w: &b, Width: width % 200, tty: true}
		term.Printf("%s\n", s)
		term.Block("  ", s)
		term.Table([]Column{{Head: "A"}, {Head: "B", Flex: true}, {Head: "C", Drop: 1}}, [][]Span{{{Text: s}, {Text: s}, {Text: s}}})
		term.Flow("  ", "    ", Span{Text: s}, Span{Text: s})
		_, _ = term.Write([]byte(s))
		assertInert(t, b.String())
		if doc, err := json.Marshal(s); err == nil {
			b.Reset()
			term.Document(doc)
			assertInert(t, b.String())
			var back string
			if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != s {
				t.Errorf("JSON read back %q, %v; want %q", back, err, s)
			}
		}
	})
}
