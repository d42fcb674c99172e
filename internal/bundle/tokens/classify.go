package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what pieces have in common that are looked up in one row of the table. Those from vague on differ much among
// themselves.
type kind int

const (
	digits      kind = iota // three at most, always one token
	blanks                  // spaces and tabs
	breaks                  // white space that ends a line
	bareMarks               // punctuation
	spacedMarks             // the same after a space
	bareWord                // a word with nothing before it
	spacedWord              // after a space, as in prose
	markedWord              // after a mark, as in a path
	bareCaps                // the same three in capitals
	spacedCaps
	markedCaps
	signs    // punctuation and symbols beyond ASCII
	mixed    // capitals that are followed by small letters, as in a hash in base 64
	harsh    // without a vowel, as in many hashes
	accented // Latin letters, some of them beyond ASCII
	foreign  // another alphabet
	rare     // another script, of which the vocabulary knows little more than the bytes
	dense    // Chinese, Japanese and Korean, whose letters stand for syllables and words
	kinds    // how many there are

	vague = signs
)

// classify returns the kind of a piece, and its length in characters without the space or mark that comes before them.
func classify(piece string) (kind, int) {
	first, _ := utf8.DecodeRuneInString(piece)
	var all, letters, small, space, broken, beyond int // characters
	var script kind
	var vowels bool
	for _, r := range piece {
		all++
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
			if !unicode.IsUpper(r) {
				small++
			}
			vowels = vowels || strings.ContainsRune("aeiouyAEIOUY", r)
			script = max(script, scriptOf(r))
		case r == '\r' || r == '\n':
			broken++
			space++
		case unicode.IsSpace(r):
			space++
		case r >= utf8.RuneSelf:
			beyond++
		}
	}
	switch {
	case unicode.IsNumber(first):
		return digits, all
	case letters > 0:
		lead := bareWord
		if first == ' ' {
			lead, all = spacedWord, all-1
		} else if !unicode.IsLetter(first) && !unicode.IsMark(first) {
			lead, all = markedWord, all-1
		}
		if script > 0 {
			return script, all
		}
		switch {
		case small == 0 && letters > 1:
			lead += bareCaps - bareWord
		case letters-small > 1:
			lead = mixed
		case letters > 2 && !vowels:
			lead = harsh
		}
		return lead, all
	case space == all && broken > 0:
		return breaks, all
	case space == all:
		return blanks, all
	case beyond > 0:
		return signs, all
	case first == ' ':
		return spacedMarks, all - 1
	}
	return bareMarks, all
}

// scriptOf returns the kind of the words that a letter beyond ASCII makes, and 0 for a letter of ASCII.
func scriptOf(r rune) kind {
	switch {
	case r < utf8.RuneSelf:
		return 0
	case unicode.In(r, unicode.Latin, unicode.M):
		return accented
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return dense
	case unicode.In(r, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew):
		return foreign
	}
	return rare
}
