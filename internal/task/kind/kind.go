// Package kind defines which kinds of evidence ask for a command. The grammar is declared once, for gates in the
// configuration and in documents, and for evidence on every face.
package kind

import "strings"

// Prefix begins a kind that asks for a command: the rest is the line that a shell runs, as in `$ go test ./...`.
const Prefix = "$ "

// Max is how many characters a kind may have. A longer command belongs in a script.
const Max = 200

// Line returns the line that a kind asks for, without the blanks around it. It returns false for a kind that asks for no
// command.
func Line(kind string) (line string, ok bool) {
	line, ok = strings.CutPrefix(kind, Prefix)
	return strings.TrimSpace(line), ok
}

// Of returns the kind that asks for a line.
func Of(line string) string { return Prefix + strings.TrimSpace(line) }

// Lines returns the lines that a list of kinds asks for, each once.
func Lines(kinds []string) (out []string) {
	seen := map[string]bool{}
	for _, k := range kinds {
		if line, ok := Line(k); ok && !seen[line] {
			seen[line] = true
			out = append(out, line)
		}
	}
	return out
}

// Check returns why a kind that asks for a command cannot be one, or "". Any other kind passes.
func Check(kind string) (why string) {
	line, ok := Line(kind)
	switch {
	case !ok:
		return ""
	case line == "":
		return "`$ ` begins a command, and there is none after it"
	case strings.ContainsAny(kind, "\n\r\v\f\u0085\u2028\u2029"):
		return "a command is one line: put several into a script"
	case len([]rune(kind)) > Max:
		return "a command has at most 200 characters: put a longer one into a script"
	}
	return ""
}

// special are the characters that a shell does not take as they stand.
const special = "|&;<>()$`\\\"'*?[#~=%"

// Words returns the words of a line that needs no shell: it has no special character, so it means the same as its words.
func Words(line string) (words []string, ok bool) {
	if strings.ContainsAny(line, special) {
		return nil, false
	}
	words = strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	return words, len(words) > 0
}
