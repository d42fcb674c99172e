package task

import (
	"slices"
	"strings"
	"unicode"
)

// CommandPrefix begins a kind of evidence that asks for a command: the rest is the line that a shell runs, as in
// `$ go test ./...`. The grammar is declared once, for gates in the configuration and in documents, and for evidence on
// every face.
const CommandPrefix = "$ "

// MaxKind is how many characters a kind may have. A longer command belongs in a script.
const MaxKind = 200

// CommandLine returns the line that a kind asks for, without the blanks around it. It returns false for a kind that does
// not ask for a command.
func CommandLine(kind string) (line string, ok bool) {
	line, ok = strings.CutPrefix(kind, CommandPrefix)
	return strings.TrimSpace(line), ok
}

// IsCommand reports whether a kind asks for a command.
func IsCommand(kind string) bool { return strings.HasPrefix(kind, CommandPrefix) }

// CommandKind returns the kind that asks for a line.
func CommandKind(line string) string { return CommandPrefix + strings.TrimSpace(line) }

// CommandLines returns the lines that a list of kinds asks for, each once.
func CommandLines(kinds []string) (out []string) {
	for _, k := range kinds {
		if line, ok := CommandLine(k); ok && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// LikeCommand reports whether a text looks like a command, whether or not it is one: it begins with something that a reader
// takes for a dollar sign, no matter what blanks or unseen characters are around it.
func LikeCommand(text string) bool {
	for _, r := range text {
		switch {
		case unicode.IsSpace(r), unicode.In(r, unicode.Cf, unicode.Mn):
		default:
			return strings.ContainsRune("$＄﹩💲", r)
		}
	}
	return false
}

// lineBreaks are the characters that a reader may take for the end of a line.
const lineBreaks = "\n\r\v\f\u0085\u2028\u2029"

const brokenCommand = "a command is one line: put several into a script"

// BadCommand returns why a kind that looks like a command cannot be one, or "". Any other kind passes.
func BadCommand(kind string) (why string) {
	line, ok := CommandLine(kind)
	switch {
	case !ok && LikeCommand(kind):
		return "it looks like a command, and is none: a command begins with `$ `, the dollar sign and one blank"
	case !ok:
		return ""
	case line == "":
		return "`$ ` begins a command, and there is none after it"
	case strings.ContainsAny(kind, lineBreaks):
		return brokenCommand
	case len([]rune(kind)) > MaxKind:
		return "a command has at most 200 characters: put a longer one into a script"
	}
	return ""
}

// shellSpecial are the characters that a shell does not take as they stand.
const shellSpecial = "|&;<>()$`\\\"'*?[#~=%"

// CommandWords returns the words of a line that needs no shell: it has no special character, so it means the same as its
// words.
func CommandWords(line string) (words []string, ok bool) {
	if strings.ContainsAny(line, shellSpecial) {
		return nil, false
	}
	words = strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
	return words, len(words) > 0
}
