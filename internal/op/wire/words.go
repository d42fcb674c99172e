package wire

import (
	"reflect"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
	"tasker/internal/words"
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
			return "the number " + words.Cut(s, 60)
		}
		return "a number"
	case '"':
		var s string
		if json.Unmarshal(e.JSONValue, &s) == nil && e.JSONValue != nil {
			return "the string " + words.Quoted(s)
		}
		return "a string"
	default:
		return "that"
	}
}

// plainName reports whether a name can stand in a path without quotes.
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
	return "allowed: " + words.List(allowed) + words.Meant(name, allowed)
}
