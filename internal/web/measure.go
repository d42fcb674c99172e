package web

import (
	"strings"
	"unicode"
)

// widths are how wide the characters from space to tilde are, in hundredths of the size of the type, in a wide typeface
// (DejaVu Sans): what fits in it fits in any other that a browser is likely to use.
var widths = [...]int{
	32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54,
	100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50,
	50, 62, 64, 55, 64, 62, 36, 64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
}

// width returns how wide a character may be, in hundredths of the size of the type.
func width(r rune) int {
	switch {
	case r >= ' ' && int(r-' ') < len(widths):
		return widths[r-' ']
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0xff00 && r < 0xff61:
		return 105
	case r >= 0x2000:
		return 140 // symbols and pictures
	}
	return 85
}

// fitted cuts a text to a number of lines of a width, in pixels at a size of type. It breaks between words where it can.
func fitted(text string, size, room float64, lines int) (out []string) {
	limit := int(room / size * 100)
	words := strings.Fields(visible(text))
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
			// As much of the word as fits; the rest of it goes to the next line.
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

// fit cuts a text to one line.
func fit(text string, size, room float64) string {
	if lines := fitted(text, size, room, 1); len(lines) > 0 {
		return lines[0]
	}
	return ""
}
