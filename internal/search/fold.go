package search

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// class is what a character is to the words around it.
type class uint8

const (
	between class = iota // it separates words
	part                 // it belongs to a word
	alone                // it is a word by itself, with the marks after it
	nothing              // ignored
	joiner               // ignored between two parts of a word
)

// classOf returns the class of a character beyond ASCII.
func classOf(r rune) class {
	switch {
	case r == utf8.RuneError: // bytes that are not text
		return between
	case r == '’' || r == 'ʼ':
		return joiner
	case dropped(r), unicode.Is(unicode.Cf, r):
		return nothing
	case unicode.IsLetter(r):
		if unspaced(r) {
			return alone
		}
		return part
	case unicode.IsNumber(r), unicode.IsMark(r):
		return part
	case unicode.Is(unicode.So, r):
		return alone
	}
	return between
}

// dropped reports whether folding removes a mark: accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic,
// and marks that only choose how a character looks. Vowel signs of other scripts are letters in all but name, and stay.
func dropped(r rune) bool {
	switch {
	case r >= 0x0300 && r <= 0x036f, r >= 0x1ab0 && r <= 0x1aff, r >= 0x1dc0 && r <= 0x1dff, r >= 0x20d0 && r <= 0x20ff,
		r >= 0xfe20 && r <= 0xfe2f: // combining diacritical marks
		return true
	case r >= 0x0591 && r <= 0x05c7 && r != 0x05be && r != 0x05c0 && r != 0x05c3 && r != 0x05c6: // Hebrew
		return true
	case r >= 0x064b && r <= 0x065f, r == 0x0670, r == 0x0640, r >= 0x06d6 && r <= 0x06dc, r >= 0x06df && r <= 0x06e4,
		r == 0x06e7, r == 0x06e8, r >= 0x06ea && r <= 0x06ed: // Arabic
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x1f3fb && r <= 0x1f3ff: // variants, skin tones
		return true
	}
	return false
}

// unspaced reports whether a letter belongs to a script that is written without spaces between words.
func unspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r <= 0x0eff: // Thai, Lao
		return true
	case r >= 0x1000 && r <= 0x109f, r >= 0x1780 && r <= 0x17ff: // Myanmar, Khmer
		return true
	case r >= 0x2e80 && r <= 0x9fff: // Chinese and Japanese, with some Korean letters among them
		return r < 0x3130 || r > 0x318f
	case r >= 0xf900 && r <= 0xfaff, r >= 0xff66 && r <= 0xff9f, r >= 0x20000 && r <= 0x3ffff:
		return true
	}
	return false
}

// appendFolded adds the folded form of r, a character beyond ASCII and the first of s, to a word.
func appendFolded(word []byte, r rune, s string) []byte {
	made := norm.NFKD.PropertiesString(s).Decomposition()
	if made == nil {
		return appendRune(word, r)
	}
	for len(made) > 0 {
		r, n := utf8.DecodeRune(made)
		word = appendRune(word, r)
		made = made[n:]
	}
	return word
}

// appendRune adds a character that has no decomposition, in lower case. A few letters with strokes and ligatures, which
// decomposition leaves alone, become what people type for them.
func appendRune(word []byte, r rune) []byte {
	switch r = unicode.ToLower(r); r {
	case 'ß':
		return append(word, "ss"...)
	case 'æ':
		return append(word, "ae"...)
	case 'œ':
		return append(word, "oe"...)
	case 'þ':
		return append(word, "th"...)
	case 'ø':
		return append(word, 'o')
	case 'ł':
		return append(word, 'l')
	case 'đ', 'ð':
		return append(word, 'd')
	case 'ħ':
		return append(word, 'h')
	case 'ı':
		return append(word, 'i')
	case 'ς':
		return append(word, "σ"...)
	}
	switch {
	case r < utf8.RuneSelf:
		if asciiPart(byte(r)) {
			return append(word, byte(r))
		}
		return word
	case dropped(r), !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !unicode.Is(unicode.So, r):
		return word
	}
	return utf8.AppendRune(word, r)
}

func asciiPart(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }
