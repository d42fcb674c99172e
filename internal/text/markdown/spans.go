package markdown

import (
	"net/url"
	"strings"
)

// spans reads a line. It looks at every byte a bounded number of times: a text may be one line of hundreds of
// kilobytes.
func (r *reader) spans(line string) []Span {
	var out []Span
	put := func(s Span) {
		if s.Text != "" {
			out = append(out, s)
		}
	}
	from, found := 0, 0
	inWord := false
	for at := 0; at < len(line) && found < maxSpans; {
		c := line[at]
		s, n := r.span(line[at:], inWord)
		if n == 0 {
			inWord = isAlnum(c) || inWord && (c == '.' || c == '_' || c == '-')
			at++
			continue
		}
		put(Span{Text: line[from:at]})
		put(s)
		at += n
		from, inWord = at, false
		found++
	}
	put(Span{Text: line[from:]})
	return out
}

// span reads the markup that a text begins with: code, a link, strong, emphasis, an address, an id. It returns its
// length in bytes, or 0 if there is none. An id does not begin within a word.
func (r *reader) span(text string, inWord bool) (Span, int) {
	switch c := text[0]; {
	case c == '`':
		if code, n := enclosed(text, "`"); n > 0 {
			return Span{Text: code, Code: true}, n
		}
	case c == '[':
		return link(text)
	case strings.HasPrefix(text, "**"):
		if strong, n := enclosed(text, "**"); n > 0 {
			return Span{Text: strong, Strong: true}, n
		}
	case c == '*':
		if em, n := enclosed(text, "*"); n > 0 && !isSpace(em[0]) {
			return Span{Text: em, Em: true}, n
		}
	case c == 'h' && schemeOf(text) > 0:
		if to := strings.TrimRight(until(text, "\t\n\f\r <>\"'`"), ".,;:!?)]}"); len(to) > schemeOf(text) {
			return Span{Text: to, Href: address(to)}, len(to)
		}
	}
	if inWord {
		return Span{}, 0
	}
	n := r.id(text)
	return Span{Text: text[:n], Task: text[:n]}, n
}

// enclosed returns the text between a mark and the next one, and its length in bytes with both. It returns nothing if
// the closing mark is incomplete or comes immediately.
func enclosed(text, mark string) (string, int) {
	inner := text[len(mark):]
	end := strings.IndexByte(inner, mark[0])
	if end < 1 || !strings.HasPrefix(inner[end:], mark) {
		return "", 0
	}
	return inner[:end], len(mark)*2 + end
}

// link reads [words](address).
func link(text string) (Span, int) {
	words := until(text[1:], "[]")
	to, ok := strings.CutPrefix(text[1+len(words):], "](")
	if !ok || words == "" {
		return Span{}, 0
	}
	href := until(to, "\t\n\f\r ()<>")
	if !strings.HasPrefix(to[len(href):], ")") || schemeOf(href) == 0 || len(href) == schemeOf(href) {
		return Span{}, 0
	}
	return Span{Text: words, Href: address(href)}, len(words) + len(href) + len("[](") + len(")")
}

// id returns the length of the id of a task of the project at the start of a text, or 0 if there is none or it is part
// of another word.
func (r *reader) id(text string) int {
	n := len(r.project)
	if n == 0 || len(text) < n+2 || text[n] != '-' || text[n+1] == '0' || !strings.EqualFold(text[:n], r.project) {
		return 0
	}
	const maxDigits = 15
	end := n + 1
	for end < len(text) && end-n <= maxDigits && isDigit(text[end]) {
		end++
	}
	if end == n+1 {
		return 0
	}
	if end < len(text) {
		if next := text[end]; next >= 0x80 || isAlnum(next) || strings.IndexByte("-_/@", next) >= 0 {
			return 0
		}
	}
	return end
}

// schemeOf returns the length of the http:// or https:// at the start of a text.
func schemeOf(text string) int {
	for _, scheme := range []string{"http://", "https://"} {
		if strings.HasPrefix(text, scheme) {
			return len(scheme)
		}
	}
	return 0
}

// until returns the beginning of a text up to the first of some ASCII characters.
func until(text, chars string) string {
	if end := strings.IndexAny(text, chars); end >= 0 {
		return text[:end]
	}
	return text
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' && c != '\v' }

// address returns a web address, or "" for anything else.
func address(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return text
}
