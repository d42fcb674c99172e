package wire

import (
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/go-json-experiment/json"

	"tasker/internal/task"
)

// wanted says what a value of the type looks like in JSON.
func wanted(t reflect.Type) string {
	switch t {
	case nil:
		return "something else"
	case reflect.TypeFor[task.Opt]():
		return "a string or null"
	case reflect.TypeFor[task.Severity]():
		return "a whole number from 1 to 4, or null"
	case reflect.TypeFor[task.Time]():
		return "a time such as 2006-01-02T15:04:05Z"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

// shown says what stood in the place of what was wanted.
func shown(e *json.SemanticError) string {
	switch e.JSONKind {
	case 'n':
		return "null"
	case 't':
		return "true"
	case 'f':
		return "false"
	case '{', '}':
		return "an object"
	case '[', ']':
		return "a list"
	case '0':
		if s := string(e.JSONValue); s != "" {
			return "the number " + cut(s)
		}
		return "a number"
	case '"':
		var s string
		if json.Unmarshal(e.JSONValue, &s) == nil && e.JSONValue != nil {
			return "the string " + quoted(s)
		}
		return "a string"
	default:
		return "that"
	}
}

// quoted shows a text in a message, cut where it is long.
func quoted(s string) string { return strconv.Quote(cut(s)) }

func cut(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// plainName tells whether a name can stand in a path without quotes.
func plainName(name string) bool {
	for _, r := range name {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '$') {
			return false
		}
	}
	return name != "" && len(name) <= 60
}

// allowing lists what may stand where an unknown name does, and what was likely meant.
func allowing(name string, allowed []string) string {
	s := "allowed: " + strings.Join(allowed, ", ")
	if near := nearest(name, allowed); near != "" {
		s += "; did you mean " + near + "?"
	}
	return s
}

// nearest picks the option that the name was most likely meant to be, the first of equals, "" where none is near.
func nearest(name string, options []string) string {
	length := utf8.RuneCountInString(name)
	if length > 100 {
		return ""
	}
	far := 1 // edits up to which it is a slip: two letters swapped count as two
	if length >= 4 {
		far = max(2, min(length/3, 4))
	}
	lower := strings.ToLower(name)
	best, bestDistance := "", far+1
	for _, o := range options {
		if d := levenshtein.ComputeDistance(lower, strings.ToLower(o)); d < bestDistance {
			best, bestDistance = o, d
		}
	}
	return best
}
