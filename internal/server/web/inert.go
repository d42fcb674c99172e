package web

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// inert returns a page with every control character spelled out, as the terminal output does: \x1b. html/template escapes
// what a browser would obey, but leaves control characters, which matter to people who read a page in a terminal. Line
// breaks and tabs stay; the CR of CR LF is dropped.
func inert(page []byte) []byte {
	if !bytes.ContainsFunc(page, control) {
		return page
	}
	var out []byte
	for rest := bytes.ReplaceAll(page, []byte("\r\n"), []byte("\n")); len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if control(r) {
			out = fmt.Appendf(out, `\x%02x`, r)
		} else {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	return out
}

func control(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
