package markdown

import "strings"

// indented returns a line without its indent; false if the indent has more than three spaces, which then has no special
// meaning.
func indented(line string) (string, bool) {
	rest := strings.TrimLeft(line, " ")
	return rest, len(line)-len(rest) <= 3
}

// headingLevel returns the level of a heading line, or 0.
func headingLevel(line string) int {
	rest, ok := indented(line)
	level := len(rest) - len(strings.TrimLeft(rest, "#"))
	if !ok || level < 1 || level > 6 || level == len(rest) || rest[level] != ' ' && rest[level] != '\t' {
		return 0
	}
	return level
}

// isRule reports whether a line is three or more of one character, with only blanks in between.
func isRule(line string) bool {
	rest, ok := indented(line)
	if !ok || rest == "" || strings.IndexByte("-*_", rest[0]) < 0 {
		return false
	}
	return strings.Count(rest, rest[:1]) >= 3 && strings.Trim(rest, rest[:1]+" \t") == ""
}

func isItem(line string) bool {
	_, sign, _ := item(line)
	return sign != ""
}

// item returns the parts of a list item: its indent, its bullet or number, and its words. sign is empty if the line is
// not an item.
func item(line string) (space, sign, words string) {
	rest := strings.TrimLeft(line, " \t")
	digits := 0
	for digits < len(rest) && isDigit(rest[digits]) {
		digits++
	}
	signs, signLen := "-*+", 1
	if digits > 0 {
		signs, signLen = ".)", digits+1
	}
	const maxDigits = 9
	if digits > maxDigits || len(rest) <= signLen || strings.IndexByte(signs, rest[signLen-1]) < 0 || rest[signLen] != ' ' && rest[signLen] != '\t' {
		return "", "", ""
	}
	return line[:len(line)-len(rest)], rest[:signLen], strings.TrimLeft(rest[signLen:], " \t")
}
