package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Inert returns s with everything written out that a terminal could obey or that a reader could not see: C0 and C1
// controls and DEL as \x1b, bidi controls, separators of lines, zero-width and other invisible characters as \u202e, tags
// as \U000e0041, invalid UTF-8 bytes as \xff. It returns text without any of these unchanged. With keep, line breaks and
// tabs stay; otherwise they are written out as \n and \t. What joins the parts of an emoji or of a word stays too.
//
// A model reads what a command prints, and a person what a page shows; text that only one of them can read is an
// instruction past the other.
func Inert(s string, keep bool) string {
	at := strings.IndexFunc(s, func(r rune) bool { return r == utf8.RuneError || suspect(r, keep) })
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
		case !suspect(r, keep) || joins(s[:i], r, s[i+size:]):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += size
	}
	return b.String()
}

// InertJSON makes a JSON document inert: what JSON itself does not escape becomes \u escapes, which read back as the same
// text. In JSON such characters occur only inside strings.
func InertJSON(doc []byte) []byte {
	s := string(doc)
	at := strings.IndexFunc(s, func(r rune) bool { return suspect(r, true) })
	if at < 0 {
		return doc
	}
	out := append(make([]byte, 0, len(doc)+32), doc[:at]...)
	for i := at; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1 || !suspect(r, true) || joins(s[:i], r, s[i+size:]):
			out = append(out, s[i:i+size]...)
		case r <= 0xffff:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
		i += size
	}
	return out
}

// suspect reports whether a terminal may obey r or display what follows it in another place, or a reader sees nothing
// for it.
func suspect(r rune, keep bool) bool {
	switch {
	case r >= 0x20 && r < 0x7f: // nearly all of it: without a look at the tables
		return false
	case r == '\n' || r == '\t':
		return !keep
	}
	return invisible(r)
}

// joins reports whether r, which is invisible, belongs to the characters before and after it: a joiner between emoji or
// between letters of a script that has joiners, and the variation selector of a symbol. There is at most one between two
// visible characters, or a selector and a joiner.
func joins(before string, r rune, after string) bool {
	last, size := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	switch r {
	case '\ufe0e', '\ufe0f':
		return symbol(last) || next == '\u20e3' // a key, such as 1 in a box
	case '\u200d':
		if last == '\ufe0f' {
			last, _ = utf8.DecodeLastRuneInString(before[:len(before)-size])
		}
		return symbol(last) && symbol(next) || joined(last) && joined(next)
	case '\u200c':
		return joined(last) && joined(next)
	}
	return false
}

// symbol reports whether r is one of which emoji are made.
func symbol(r rune) bool {
	return r > 0x7f && unicode.In(r, unicode.So, unicode.Sk, unicode.Sm, unicode.Po) || r == 0xa9 || r == 0xae
}

// joined reports whether r is a letter or a mark of a script in which a joiner changes how letters are written.
func joined(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
		unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar)
}
