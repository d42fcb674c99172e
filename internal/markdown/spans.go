package markdown

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// inline finds what means something within a line: code, a link, strong, emphasis, an address, an id.
var inline = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`([^`]+)`" + `|\[([^\]\[]+)\]\((https?://[^\s()<>]+)\)|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*?)\*` +
		`|(https?://[^\s<>"'` + "`" + `]+)|([A-Za-z0-9][A-Za-z0-9._-]{0,62}-[1-9][0-9]{0,14})`)
})

// The groups of inline.
const (
	atCode = iota + 1
	atLinkText
	atLinkTo
	atStrong
	atEm
	atAddress
	atID
)

func (r *reader) spans(line string) []Span {
	var out []Span
	from := 0
	put := func(s Span) {
		if s.Text != "" {
			out = append(out, s)
		}
	}
	for _, m := range inline().FindAllStringSubmatchIndex(line, maxSpans) {
		group := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return line[m[2*n]:m[2*n+1]]
		}
		start, end := m[0], m[1]
		var s Span
		switch {
		case m[2*atCode] >= 0:
			s = Span{Text: group(atCode), Code: true}
		case m[2*atLinkTo] >= 0:
			s = Span{Text: group(atLinkText), Href: address(group(atLinkTo))}
		case m[2*atStrong] >= 0:
			s = Span{Text: group(atStrong), Strong: true}
		case m[2*atEm] >= 0:
			s = Span{Text: group(atEm), Em: true}
		case m[2*atAddress] >= 0:
			to := strings.TrimRight(group(atAddress), ".,;:!?)]}")
			end = start + len(to)
			s = Span{Text: to, Href: address(to)}
		default:
			if !r.named(line, start, end) {
				continue
			}
			s = Span{Text: group(atID), Task: group(atID)}
		}
		put(Span{Text: line[from:start]})
		put(s)
		from = end
	}
	put(Span{Text: line[from:]})
	return out
}

// named reports whether a part of a line is the id of a task of the project, and not a part of another word.
func (r *reader) named(line string, start, end int) bool {
	id := line[start:end]
	if n := len(r.project); n == 0 || len(id) <= n+1 || !strings.EqualFold(id[:n], r.project) || id[n] != '-' || strings.Trim(id[n+1:], "0123456789") != "" {
		return false
	}
	if end == len(line) {
		return true
	}
	next := line[end]
	return next < 0x80 && next != '-' && next != '_' && next != '/' && next != '@' &&
		(next < '0' || next > '9') && (next < 'A' || next > 'Z') && (next < 'a' || next > 'z')
}

// address returns an address of the web, "" for anything else.
func address(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return text
}
