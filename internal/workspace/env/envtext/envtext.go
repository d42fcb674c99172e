// Package envtext reads and writes environment variables as text. It reads files in the dotenv
// grammar and the lines that a command prints; it writes shell, dotenv, direnv and JSON.
//
// Its refusals name a line or a variable, never a value: the texts hold secrets.
package envtext

import (
	"maps"
	"slices"
	"strings"

	"tasker/internal/fault"
)

// Variable is a name with its value.
type Variable struct {
	Name, Value string
	From        string // who gives it, such as a provider
	Over        string // whose values it replaced, separated by commas, the latest first
}

// ValidName reports whether every shell can have a variable with that name: letters, digits and _,
// not starting with a digit.
func ValidName(name string) bool {
	return name != "" && nameLength(name) == len(name)
}

func inName(c byte, first bool) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' && !first
}

// nameLength returns the length of the name at the beginning of a text.
func nameLength(text string) (n int) {
	for n < len(text) && inName(text[n], n == 0) {
		n++
	}
	return n
}

// Lines reads NAME=VALUE lines literally: a value is everything up to the end of its line, quotes
// included. It skips empty lines and lines that begin with #.
func Lines(text string) (map[string]string, error) {
	out := map[string]string{}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if !found || !ValidName(name) {
			return nil, malformed(n+1, "is not NAME=VALUE").
				WithHint("print each variable on a line of its own, with a name of letters, digits and _; everything else belongs on standard error")
		}
		out[name] = value
	}
	return out, nil
}

// malformed names a line and what is wrong with it, without quoting it: an invalid line may be a
// secret.
func malformed(line int, what string) *fault.Error { return fault.Bad("line %d %s", line, what) }

// Sorted returns variables sorted by name.
func Sorted(values map[string]string) []Variable {
	var out []Variable
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, Variable{Name: name, Value: values[name]})
	}
	return out
}
