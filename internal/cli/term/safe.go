package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inert returns s with everything that a terminal could obey written out: C0 and C1 controls and DEL as \x1b, bidi
// controls and line separators as \u202e, invalid UTF-8 bytes as \xff. It returns text without any of these unchanged.
// With keep, line breaks and tabs stay; otherwise they are written out as \n and \t.
func Inert(s string, keep bool) string {
	at := strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || obeyed(r, keep) })
	if at < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:at])
	for i := at; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !obeyed(r, keep):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// obeyed reports whether a terminal may obey r, or display what follows it in another place.
func obeyed(r rune, keep bool) bool {
	switch {
	case r >= 0x20 && r < 0x7f: // nearly all of it: without a look at the tables
		return false
	case r == '\n' || r == '\t':
		return !keep
	}
	return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) // Zl, Zp: line and paragraph separators
}

// inertJSON makes a JSON document inert: characters that JSON does not escape (DEL, C1, bidi) become \u escapes, which
// read back as the same text. In JSON such characters occur only inside strings.
func inertJSON(doc []byte) []byte {
	out := make([]byte, 0, len(doc)+32)
	for i := 0; i < len(doc); {
		r, size := utf8.DecodeRune(doc[i:])
		if obeyed(r, true) {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, doc[i:i+size]...)
		}
		i += size
	}
	return out
}
