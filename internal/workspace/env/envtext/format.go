package envtext

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// The formats of Format.
const (
	Shell  = "shell"  // NAME=VALUE lines that any POSIX shell reads: set -a; eval "$(…)"
	Dotenv = "dotenv" // a file that Parse and other tools read
	JSON   = "json"   // an object of strings
	Direnv = "direnv" // export lines for an .envrc
)

// Formats lists all of them.
var Formats = []string{Shell, Dotenv, JSON, Direnv}

// Format writes variables in the given order. It refuses a variable that Check refuses.
func Format(vars []Variable, format string) (string, error) {
	if !slices.Contains(Formats, format) {
		return "", fault.Bad("there is no format %s%s", words.Quoted(format), words.Meant(format, Formats)).WithHint("the formats are %s", words.List(Formats))
	}
	for _, v := range vars {
		if err := Check(v); err != nil {
			return "", err
		}
	}
	before, word := "", words.Shell
	switch format {
	case JSON:
		return object(vars)
	case Dotenv:
		word = dotenvWord
	case Direnv: // bash reads an .envrc, and exports only what it is told to
		before = "export "
	}
	var b strings.Builder
	for _, v := range vars {
		b.WriteString(before + v.Name + "=" + word(v.Value) + "\n")
	}
	return b.String(), nil
}

// Check refuses a variable that no process can be given.
func Check(v Variable) error {
	if !ValidName(v.Name) {
		return fault.Bad("%s cannot name a variable", words.Quoted(v.Name)).WithHint("a name has letters, digits and _, and does not start with a digit")
	}
	if strings.ContainsRune(v.Value, 0) {
		return fault.Bad("the value of %s has a zero byte, which no variable can hold", v.Name).WithHint("encode it, for example as base64")
	}
	return nil
}

var dotenvEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "\n", `\n`, "\r", `\r`)

// dotenvWord prefers single quotes, which most readers take literally. They have no escapes, so a
// value with a quote, a backslash (some readers unescape it) or a line break goes into double
// quotes.
func dotenvWord(value string) string {
	switch {
	case words.Shell(value) == value: // no character in it is special to anybody
		return value
	case strings.ContainsAny(value, "'\\\r\n"):
		return `"` + dotenvEscapes.Replace(value) + `"`
	}
	return "'" + value + "'"
}

func object(vars []Variable) (string, error) {
	values := make(map[string]string, len(vars))
	for _, v := range vars {
		if !utf8.ValidString(v.Value) {
			return "", fault.Bad("the value of %s is not UTF-8, so it cannot be written as JSON", v.Name).
				WithHint("use another format: %s", words.List([]string{Shell, Dotenv, Direnv}))
		}
		values[v.Name] = v.Value
	}
	var b strings.Builder
	enc := json.NewEncoder(&b) // writes objects sorted by name
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(values); err != nil {
		return "", fault.New(fault.Internal, "the variables cannot be written as JSON")
	}
	return b.String(), nil
}
