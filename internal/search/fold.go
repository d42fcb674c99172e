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
	case unicode.In(r, dropped, unicode.Cf):
		return nothing
	case unicode.IsLetter(r) && unicode.Is(unspaced, r), unicode.Is(unicode.So, r):
		return alone
	case unicode.In(r, unicode.Letter, unicode.Number, unicode.Mark):
		return part
	}
	return between
}

// dropped are the marks that folding removes: accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic, and
// marks that only choose how a character looks. Vowel signs of other scripts are letters in all but name, and stay.
var dropped = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0300, Hi: 0x036f, Stride: 1}, // combining diacritical marks
		{Lo: 0x0591, Hi: 0x05bd, Stride: 1}, // Hebrew
		{Lo: 0x05bf, Hi: 0x05bf, Stride: 1},
		{Lo: 0x05c1, Hi: 0x05c2, Stride: 1},
		{Lo: 0x05c4, Hi: 0x05c5, Stride: 1},
		{Lo: 0x05c7, Hi: 0x05c7, Stride: 1},
		{Lo: 0x0640, Hi: 0x0640, Stride: 1}, // Arabic
		{Lo: 0x064b, Hi: 0x065f, Stride: 1},
		{Lo: 0x0670, Hi: 0x0670, Stride: 1},
		{Lo: 0x06d6, Hi: 0x06dc, Stride: 1},
		{Lo: 0x06df, Hi: 0x06e4, Stride: 1},
		{Lo: 0x06e7, Hi: 0x06e8, Stride: 1},
		{Lo: 0x06ea, Hi: 0x06ed, Stride: 1},
		{Lo: 0x1ab0, Hi: 0x1aff, Stride: 1}, // more diacritical marks
		{Lo: 0x1dc0, Hi: 0x1dff, Stride: 1},
		{Lo: 0x20d0, Hi: 0x20ff, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variants
		{Lo: 0xfe20, Hi: 0xfe2f, Stride: 1}, // half marks
	},
	R32: []unicode.Range32{
		{Lo: 0x1f3fb, Hi: 0x1f3ff, Stride: 1}, // skin tones
		{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}, // variants
	},
}

// unspaced are the scripts that are written without spaces between words.
var unspaced = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0e00, Hi: 0x0eff, Stride: 1}, // Thai, Lao
		{Lo: 0x1000, Hi: 0x109f, Stride: 1}, // Myanmar
		{Lo: 0x1780, Hi: 0x17ff, Stride: 1}, // Khmer
		{Lo: 0x2e80, Hi: 0x312f, Stride: 1}, // Chinese and Japanese, without the Korean letters among them
		{Lo: 0x3190, Hi: 0x9fff, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
		{Lo: 0xff66, Hi: 0xff9f, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x3ffff, Stride: 1}},
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

// typed is what people type for a few letters with strokes and ligatures, which decomposition leaves alone.
var typed = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'ħ': "h", 'ı': "i", 'ς': "σ",
}

// appendRune adds a character that has no decomposition, in lower case, as people type it.
func appendRune(word []byte, r rune) []byte {
	r = unicode.ToLower(r)
	if as, ok := typed[r]; ok {
		return append(word, as...)
	}
	if r < utf8.RuneSelf && !asciiPart(byte(r)) || unicode.Is(dropped, r) || !unicode.In(r, unicode.Letter, unicode.Number, unicode.Mark, unicode.So) {
		return word
	}
	return utf8.AppendRune(word, r)
}

func asciiPart(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }
