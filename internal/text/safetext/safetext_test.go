package safetext_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"tasker/internal/text/safetext"
)

func TestHiddenCharactersAreRemoved(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "Fix the parser, très vite: 日本語 🙂\n\tindented", "Fix the parser, très vite: 日本語 🙂\n\tindented"},
		{"controls", "a\x1b[2Jb\x00\x7f\u009bc\r\n", "a[2Jbc\n"},
		{"zero width", "pass\u200bword\u200c\u200d\ufeff\u2060", "password"},
		{"bidirectional", "\u202eevil\u202c\u2066x\u2069\u061c", "evilx"},
		{"tags spell out hidden text", "ok\U000e0001\U000e0069\U000e0067\U000e007f", "ok"},
		{"variation selectors carry bytes", "a\ufe00\ufe0f\U000e0100\U000e01efb", "ab"},
		{"fillers and blanks", "x\u3164\u115f\uffa0\u2800\u034f\u00ady", "xy"},
		{"separators break lines", "a\u2028b\u2029c\u0085d", "a\nb\nc\nd"},
		{"bytes that are not text", "a\xffb\xf0\x9f", "ab"},
		{"a replacement character is one", "a\ufffdb", "a\ufffdb"},
	} {
		if got := safetext.Visible(c.in); got != c.want {
			t.Errorf("%s: Visible(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestADocumentKeepsEverythingButWhatIsHidden(t *testing.T) {
	got, err := safetext.JSON([]byte(`{"a\u200b": ["x\u001b[2J", 1.50, null, true, {}], "b": "line\nbreak \"quoted\""}`))
	if want := `{"a (with hidden characters)":["x[2J",1.50,null,true,{}],"b":"line\nbreak \"quoted\""}`; err != nil || string(got) != want {
		t.Errorf("JSON = %s, %v; want %s", got, err, want)
	}
	got, err = safetext.JSON([]byte(`{"ship": ["test"], "ship\u200b": [], "ship\u200c": ["x"], "z": {"k": "v\u200b"}}`))
	if want := `{"ship":["test"],"ship (with hidden characters)":[],"ship (with hidden characters)":["x"],"z":{"k":"v"}}`; err != nil || string(got) != want {
		t.Errorf("JSON = %s, %v; want %s", got, err, want)
	}
	if _, err := safetext.JSON([]byte(`{"a": `)); err == nil {
		t.Error("a truncated document was accepted")
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\u200b\xff\U000e0041\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		got := safetext.Visible(s)
		if !utf8.ValidString(got) || safetext.Visible(got) != got {
			t.Errorf("Visible(%q) = %q, which Visible changes again", s, got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)) {
				t.Errorf("Visible(%q) leaves %U", s, r)
			}
		}
	})
}

// FuzzJSON checks that, whatever texts a document contains, the result is a document of the same shape, nothing in it is
// hidden, and no name passes for another.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{"a\u200b\U000e0041", "\u2028", "\x00\x1b[2J", "\"\\", "«»"} {
		f.Add("a", s, s)
	}
	f.Fuzz(func(t *testing.T, plain, name, text string) {
		doc, err := json.Marshal(map[string]any{plain: 1, name: []any{text, 1.5, nil}})
		if err != nil || plain == name || safetext.Visible(plain) != plain {
			return // no text, or not two names
		}
		out, err := safetext.JSON(doc)
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		if string(out) != safetext.Visible(string(out)) {
			t.Errorf("%s became %s, which hides something", doc, out)
		}
		var back map[string]any
		if strings.HasPrefix(plain, safetext.Visible(name)) {
			return // it may be the visible form of a name with hidden characters
		}
		if err := json.Unmarshal(out, &back); err != nil || len(back) != 2 || back[plain] != 1.0 {
			t.Fatalf("%s became %s: %v", doc, out, err)
		}
		for key, list := range back {
			if list, ok := list.([]any); ok && (key != safetext.Visible(key) || len(list) != 3 || list[0] != safetext.Visible(text)) {
				t.Errorf("%s became %s", doc, out)
			}
		}
	})
}
