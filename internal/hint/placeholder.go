package hint

import "strings"

// placeholders are the words that our printed commands leave to be filled in, and what to write in their place. Hints, pages,
// help and manual print no other (a test reads them all), and the command line takes none of them as an argument: whoever
// pastes a printed command as it stands stores no word of ours.
var placeholders = map[string]string{
	"AGENT":       "the name of an agent",
	"EVENT":       "the name of a moment in an agent's life",
	"CMD":         "the command that shows it",
	"COMMAND":     "a command",
	"CONFLICT":    "the number of a conflict",
	"DIR":         "a directory",
	"FIELD=OWNER": "a field and who owns it, such as title=tracker",
	"FILE":        "the name of a file",
	"HOST":        "the name of a host",
	"ID":          "the id of a task",
	"INTO":        "the slug of a project",
	"ITEM":        "an item of the inbox",
	"K":           "a kind of evidence",
	"K=V":         "a kind of evidence and its value, such as tests=ci/123",
	"KEY":         "the name of a setting",
	"KIND":        "a kind",
	"KIND=VALUE":  "a kind of evidence and its value, such as tests=ci/123",
	"LINE":        "the line that a shell runs",
	"N":           "a number",
	"NAME":        "a name",
	"NEW":         "the new slug",
	"PRESET":      "the name of a preset",
	"QUERY":       "what to search for",
	"QUESTION":    "the number of a question",
	"REF":         "a reference, such as DEMO-12",
	"RESOLUTION":  "how the conflict ends",
	"SHELL":       "the name of a shell",
	"SLUG":        "the slug of a project",
	"STATUS":      "a status",
	"TEXT":        "what you have to say",
	"TITLE":       "a title",
	"V":           "a value",
	"VALUE":       "a value",
	"WORDS":       "the words of a command",
}

// Unfilled returns the first argument of a command line that is a placeholder, alone or as the value of a flag, and what
// belongs in its place. What follows -- is the command of another program, of which we only print the first word.
func Unfilled(args []string) (word, means string, found bool) {
	for i, arg := range args {
		word := arg
		if flag, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(flag, "-") {
			word = value
		}
		if means, ok := Placeholder(word); ok {
			return bare(word), means, true
		}
		if i > 0 && args[i-1] == "--" {
			break
		}
	}
	return "", "", false
}

// Placeholder returns what belongs in the place of a word of a printed command, or false where the word stands for itself.
// A word may be marked as one that can be repeated.
func Placeholder(word string) (means string, ok bool) {
	means, ok = placeholders[bare(word)]
	return means, ok
}

// bare returns a word without the mark that it can be repeated.
func bare(word string) string { return strings.TrimSuffix(strings.TrimSuffix(word, "…"), ",") }
