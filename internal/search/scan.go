package search

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord bounds the bytes of a word; a longer one is cut, in texts and queries alike.
const maxWord = 64

// gap is the character between two parts of one text. No phrase crosses it.
const gap = '\x1e'

// scanner iterates over the words of a text.
type scanner struct {
	text string
	at   int

	word       []byte // folded; valid until the next call of next
	start, end int    // its position in the text
	apart      bool   // there is a gap between it and the previous word
	echo       bool   // it is the number of the version in the previous word
}

// next finds the next word.
func (s *scanner) next() bool {
	if s.echo = !s.echo && version(s.word); s.echo {
		s.word, s.start, s.apart = s.word[1:], s.start+1, false
		return true
	}
	s.word, s.apart = s.word[:0], false
	jamo, full := false, false
	for s.at < len(s.text) {
		b := s.text[s.at]
		if b < utf8.RuneSelf {
			if b >= 'A' && b <= 'Z' {
				b += 'a' - 'A'
			}
			switch {
			case asciiPart(b):
				s.begin()
				if full = full || len(s.word) >= maxWord; !full {
					s.word = append(s.word, b)
				}
				s.at++
				s.end = s.at
				continue
			case b == '\'' && s.joins():
				s.at++
				continue
			case len(s.word) > 0:
				return s.done(jamo)
			}
			s.apart = s.apart || b == gap
			s.at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		c := classOf(r)
		if c == joiner {
			if c = between; s.joins() {
				c = nothing
			}
		}
		switch c {
		case nothing:
			s.at += size
			if len(s.word) > 0 {
				s.end = s.at
			}
		case part, alone:
			if c == alone && len(s.word) > 0 {
				return s.done(jamo)
			}
			s.begin()
			before := len(s.word)
			if !full {
				s.word = appendFolded(s.word, r, s.text[s.at:])
				if full = len(s.word) > maxWord; full {
					s.word = s.word[:before]
				}
			}
			jamo = jamo || r >= 0x1100 && r <= 0x11ff
			s.at += size
			s.end = s.at
			if c == alone && len(s.word) > 0 {
				s.marks()
				return s.done(jamo)
			}
		default:
			if len(s.word) > 0 {
				return s.done(jamo)
			}
			s.at += size
		}
	}
	return len(s.word) > 0 && s.done(jamo)
}

// version reports whether a word is a v followed by a number. The number is a word too, so that 1.2 also finds v1.2.
func version(word []byte) bool {
	return len(word) > 1 && word[0] == 'v' && len(bytes.Trim(word[1:], "0123456789")) == 0
}

// begin notes where a word starts.
func (s *scanner) begin() {
	if len(s.word) == 0 {
		s.start = s.at
	}
}

// joins reports whether the current apostrophe is inside a word.
func (s *scanner) joins() bool {
	if len(s.word) == 0 {
		return false
	}
	_, size := utf8.DecodeRuneInString(s.text[s.at:])
	next, _ := utf8.DecodeRuneInString(s.text[s.at+size:])
	if next < utf8.RuneSelf {
		return next|0x20 >= 'a' && next|0x20 <= 'z'
	}
	return classOf(next) == part
}

// marks consumes the marks of a character that is a word by itself.
func (s *scanner) marks() {
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if r < utf8.RuneSelf {
			return
		}
		switch c := classOf(r); {
		case c == nothing:
		case c == part && unicode.IsMark(r) && len(s.word) < maxWord-utf8.UTFMax:
			s.word = appendRune(s.word, r)
		default:
			return
		}
		s.at += size
		s.end = s.at
	}
}

// done ends a word. Korean written letter by letter is composed into syllables, as it is usually written.
func (s *scanner) done(jamo bool) bool {
	if jamo {
		s.word = bytes.Clone(norm.NFC.Bytes(s.word))
	}
	return true
}
