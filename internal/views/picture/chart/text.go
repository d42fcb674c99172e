// Package chart lays out the charts of the pages, the workers' lanes and the burn-up, and fits text into the room that a
// picture has for it. It takes the answers of operations and returns numbers and words for a template to write.
package chart

import (
	"strconv"
	"strings"
	"unicode"

	"tasker/internal/text/safetext"
)

// widths holds the widths of the characters from space to tilde, in hundredths of the font size, in a wide typeface
// (DejaVu Sans): text that fits in it fits in any other typeface that a browser is likely to use.
var widths = [...]int{
	32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54,
	100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50,
	50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
}

// width returns the width that a character may have, in hundredths of the font size.
func width(r rune) int {
	switch {
	case r >= ' ' && int(r-' ') < len(widths):
		return widths[r-' ']
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0xff00 && r < 0xff61:
		return 105
	case r >= 0x2000:
		return 140 // symbols and emoji
	}
	return 85
}

// Fitted cuts text to a number of lines of a given width, in pixels at a font size. It breaks between words where it can.
func Fitted(text string, size, room float64, lines int) (out []string) {
	limit := int(room / size * 100)
	words := strings.Fields(Visible(text))
	for len(words) > 0 && len(out) < lines {
		last := len(out) == lines-1
		var line strings.Builder
		used := 0
		for len(words) > 0 {
			wide := 0
			for _, r := range words[0] {
				wide += width(r)
			}
			gap := 0
			if line.Len() > 0 {
				gap = width(' ')
			}
			if used+gap+wide <= limit {
				if gap > 0 {
					line.WriteByte(' ')
				}
				line.WriteString(words[0])
				used += gap + wide
				words = words[1:]
				continue
			}
			if line.Len() > 0 && !last {
				break
			}
			// Take as much of the word as fits; the rest goes to the next line.
			room := limit - gap - used
			if last {
				room -= width('…')
			}
			cut, took := 0, 0
			for i, r := range words[0] {
				if took+width(r) > room {
					break
				}
				took += width(r)
				cut = i + len(string(r))
			}
			if cut > 0 && gap > 0 {
				line.WriteByte(' ')
			}
			line.WriteString(words[0][:cut])
			if words[0] = words[0][cut:]; last || cut == 0 {
				line.WriteString("…")
				words = nil
			}
			break
		}
		out = append(out, line.String())
	}
	return out
}

// Fit cuts text to one line.
func Fit(text string, size, room float64) string {
	return strings.Join(Fitted(text, size, room, 1), "")
}

// Visible replaces control characters, which are not valid in XML and which terminals interpret, by spaces, and writes
// out what a reader could not see.
func Visible(text string) string {
	return safetext.Inert(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, text), true)
}

// Clip cuts text to limit, on one line.
func Clip(text string, limit int) string {
	text = strings.Join(strings.Fields(Visible(text)), " ")
	if r := []rune(text); len(r) > limit {
		return string(r[:max(1, limit-1)]) + "…"
	}
	return text
}

// Num formats a coordinate.
func Num(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
