package safetext_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"tasker/internal/safetext"
)

func TestWhatNoReaderSeesIsTakenOut(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "Fix the parser, très vite: 日本語 🙂\n\tindented", "Fix the parser, très vite: 日本語 🙂\n\tindented"},
		{"controls", "a\x1b[2Jb\x00\x7f\u009bc\r\n", "a[2Jbc\n"},
		{"zero width", "pass\u200bword\u200c\u200d\ufeff\u2060", "password"},
		{"bidirectional", "\u202eevil\u202c\u2066x\u2069\u061c", "evilx"},
		{"tags spell out hidden text", "ok\U000e0001\U000e0069\U000e0067\U000e007f", "ok"},
		{"variation selectors carry bytes", "a\ufe00\ufe0f\U000e0100\U000e01efb", "ab"},
		{"fillers and blanks", "x\u3164\u115f\uffa0\u2800\u034f\u00ady", "xy"},
		{"separators break lines", "a\u2028b\u2029c\u0085d", "a\nb\nc\nd"},
		{"bytes that are no text", "a\xffb\xf0\x9f", "ab"},
		{"a replacement character is one", "a\ufffdb", "a\ufffdb"},
	} {
		if got := safetext.Visible(c.in); got != c.want {
			t.Errorf("%s: Visible(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestADocumentKeepsEverythingButWhatIsHidden(t *testing.T) {
	got, err := safetext.JSON([]byte(`{"a\u200b": ["x\u001b[2J", 1.50, null, true, {}], "b": "line\nbreak \"quoted\""}`))
	if want := `{"a":["x[2J",1.50,null,true,{}],"b":"line\nbreak \"quoted\""}`; err != nil || string(got) != want {
		t.Errorf("JSON = %s, %v; want %s", got, err, want)
	}
	if _, err := safetext.JSON([]byte(`{"a": `)); err == nil {
		t.Error("half a document passes")
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\u200b\xff\U000e0041\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		got := safetext.Visible(s)
		if !utf8.ValidString(got) || safetext.Visible(got) != got {
			t.Errorf("Visible(%q) = %q, which is not the end of it", s, got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("Visible(%q) leaves %U", s, r)
			}
		}
	})
}
