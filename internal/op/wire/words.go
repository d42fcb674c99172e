package wire

import (
	"reflect"

	"github.com/go-json-experiment/json"

	"tasker/internal/strict"
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

// shown says what stood in the place of what was wanted: the value, where the error holds it.
func shown(e *json.SemanticError) string {
	if e.JSONValue != nil && (e.JSONKind == '0' || e.JSONKind == '"') {
		return strict.Shown(e.JSONValue)
	}
	return strict.Named(e.JSONKind)
}
