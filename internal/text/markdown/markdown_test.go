package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/text/markdown"
)

// plain writes what was read on one line each.
func plain(blocks []markdown.Block) string {
	var b strings.Builder
	for _, k := range blocks {
		fmt.Fprintf(&b, "%s%d", k.Kind, k.Level)
		if k.Code != "" {
			fmt.Fprintf(&b, " %q", k.Code)
		}
		for _, l := range k.Lines {
			fmt.Fprintf(&b, " [%d%s", l.Depth, l.Mark)
			for _, s := range l.Spans {
				style := ""
				switch {
				case s.Strong:
					style = "strong"
				case s.Em:
					style = "em"
				case s.Code:
					style = "code"
				case s.Href != "":
					style = "to " + s.Href
				case s.Task != "":
					style = "task"
				}
				fmt.Fprintf(&b, " %s(%s)", style, s.Text)
			}
			b.WriteString("]")
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

func TestRead(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"One\ntwo":                           "p0 [0 (One)] [0 (two)]",
		"# Why ##\ntext":                     "h1 [0 (Why)]\np0 [0 (text)]",
		"#hash":                              "p0 [0 (#hash)]",
		"- a\n  - b\n- c\n  more":            "list0 [0• (a)] [1• (b)] [0• (c) ( more)]",
		"1. a\n2) b":                         "list0 [01. (a)] [02. (b)]",
		"text\n- a":                          "p0 [0 (text)]\nlist0 [0• (a)]",
		"```go\n# x\n```\nend":               "code0 \"# x\"\np0 [0 (end)]",
		"~~~\nopen":                          "code0 \"open\"",
		"> said\n> more":                     "quote0 [0 (said)] [0 (more)]",
		"---":                                "hr0",
		"a **b** *c* `d`":                    "p0 [0 (a ) strong(b) ( ) em(c) ( ) code(d)]",
		"2 * 3 * 4":                          "p0 [0 (2 * 3 * 4)]",
		"[x](https://a.example/b) y":         "p0 [0 to https://a.example/b(x) ( y)]",
		"[x](javascript:alert(1))":           "p0 [0 ([x](javascript:alert(1)))]",
		"see https://a.example/x. And":       "p0 [0 (see ) to https://a.example/x(https://a.example/x) (. And)]",
		"see demo-12, other-3":               "p0 [0 (see ) task(demo-12) (, other-3)]",
		"demo-12-b, xdemo-1, demo-1x demo-2": "p0 [0 (demo-12-b, xdemo-1, demo-1x ) task(demo-2)]",
		"<b>bold</b>":                        "p0 [0 (<b>bold</b>)]",
	} {
		if got := plain(markdown.Read(text, "demo")); got != want {
			t.Errorf("%q is read as\n%s\nwant\n%s", text, got, want)
		}
	}
}

// FuzzRead checks that no letter or digit is lost, whatever was written, and that every link leads to the web.
func FuzzRead(f *testing.F) {
	f.Add("# a\n- b\n```\nc\n```\n**d** [e](http://f.example)")
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r
			}
			return -1
		}, s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b strings.Builder
		for _, k := range markdown.Read(text, "demo") {
			b.WriteString(k.Code)
			for _, l := range k.Lines {
				for _, s := range l.Spans {
					b.WriteString(s.Text)
					if s.Href != "" && !strings.HasPrefix(s.Href, "http://") && !strings.HasPrefix(s.Href, "https://") {
						t.Errorf("a link leads to %q", s.Href)
					}
				}
			}
		}
		if strings.ContainsAny(text, "([~`") { // addresses of links, and languages of code, are not shown
			return
		}
		if got, want := letters(b.String()), letters(text); got != want {
			t.Errorf("of %q is left %q", want, got)
		}
	})
}

// A text of one long line takes time in proportion to its length, whatever it contains, and loses nothing. Regular
// expressions that try every start took a second for each of these.
func TestALongLineIsReadOnce(t *testing.T) {
	const size = 256 << 10
	for _, of := range []string{"x", "demo-", "demo-1", "a-1.", "[a", "[a](", "`a ", "*a ", "** a", "#", "- ", "http://", "h", "é", "_", "https://a-"} {
		text := "needle " + strings.Repeat(of, size/len(of))
		for range 3 {
			var all strings.Builder
			for _, b := range markdown.Read(text, "demo") {
				for _, l := range b.Lines {
					for _, s := range l.Spans {
						all.WriteString(s.Text)
					}
				}
			}
			if want := len(text); all.Len() < want/3*2 || all.Len() > want {
				t.Fatalf("%d bytes of %q are left of %d", all.Len(), of, want)
			}
		}
	}
}
