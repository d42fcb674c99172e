package tokens

import (
	"unicode"
	"unicode/utf8"
)

// Texts are split into pieces by this pattern before they are encoded:
//
//	[^\r\n\p{L}\p{N}]?[UPPER]*[LOWER]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[UPPER]+[LOWER]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
//
// where UPPER is \p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M} and LOWER \p{Ll}\p{Lm}\p{Lo}\p{M}. The first alternative that matches
// counts, as in a backtracking engine. An engine with look-ahead made the program half a megabyte larger; this pattern
// does not need one.

// next returns the length of the first piece of a non-empty text.
func next(text string) int {
	if n := word(text, lowered); n > 0 {
		return n
	}
	if n := word(text, raised); n > 0 {
		return n
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsNumber(r):
		n := size
		for range 2 {
			n += one(text[n:], unicode.IsNumber)
		}
		return n
	case !unicode.IsSpace(r):
		return marks(text)
	case r == ' ':
		if n := marks(text[1:]); n > 0 {
			return 1 + n
		}
	}
	return blank(text)
}

// word returns the length of a word at the beginning, including the character that may come before it, or 0 if there is
// no word. letters finds its letters.
func word(text string, letters func(string) int) int {
	if before := one(text, func(r rune) bool { return r != '\r' && r != '\n' && !unicode.IsLetter(r) && !unicode.IsNumber(r) }); before > 0 {
		if n := letters(text[before:]); n > 0 {
			return ended(text, before+n)
		}
	}
	if n := letters(text); n > 0 {
		return ended(text, n)
	}
	return 0
}

// lowered returns the length of [UPPER]*[LOWER]+.
func lowered(text string) int {
	n := many(text, upper)
	if more := many(text[n:], lower); more > 0 {
		return n + more
	}
	for n > 0 { // backtrack: the first part gives letters back until the second has one
		r, size := utf8.DecodeLastRuneInString(text[:n])
		if lower(r) {
			return n
		}
		n -= size
	}
	return 0
}

// raised returns the length of [UPPER]+[LOWER]*.
func raised(text string) int {
	n := many(text, upper)
	if n == 0 {
		return 0
	}
	return n + many(text[n:], lower)
}

// ended returns the length of a word including the contraction that follows it.
func ended(text string, n int) int {
	rest := text[n:]
	if len(rest) < 2 || rest[0] != '\'' {
		return n
	}
	first, size := utf8.DecodeRuneInString(rest[1:])
	switch folded(first) {
	case 's', 't', 'm', 'd':
		return n + 1 + size
	}
	second, more := utf8.DecodeRuneInString(rest[1+size:])
	switch string([]rune{folded(first), folded(second)}) {
	case "re", "ve", "ll":
		return n + 1 + size + more
	}
	return n
}

// folded returns the lower-case letter that a letter is a form of: the long s is an s.
func folded(r rune) rune {
	if r == 'ſ' {
		return 's'
	}
	return unicode.ToLower(r)
}

// marks returns the length of [^\s\p{L}\p{N}]+[\r\n/]*.
func marks(text string) int {
	n := many(text, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if n == 0 {
		return 0
	}
	return n + many(text[n:], func(r rune) bool { return r == '\r' || r == '\n' || r == '/' })
}

// blank returns how much of the white space at the beginning is a piece: up to its last line break; else all except the
// last character, which goes with what follows; else all.
func blank(text string) int {
	run := many(text, unicode.IsSpace)
	for n := run; n > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:n])
		if r == '\r' || r == '\n' {
			return n
		}
		n -= size
	}
	if run == len(text) {
		return run
	}
	if _, size := utf8.DecodeLastRuneInString(text[:run]); size < run {
		return run - size
	}
	return run
}

func upper(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M)
}

func lower(r rune) bool { return unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M) }

// many returns the length of the longest prefix whose letters all satisfy is.
func many(text string, is func(rune) bool) int {
	for i, r := range text {
		if !is(r) {
			return i
		}
	}
	return len(text)
}

// one returns the length of the first letter if it satisfies is, and 0 if not.
func one(text string, is func(rune) bool) int {
	if r, size := utf8.DecodeRuneInString(text); size > 0 && is(r) {
		return size
	}
	return 0
}
