package wire

import (
	"bytes"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/strict"
)

// rejecting refuses names that the target does not have; duplicate names, names in another case, invalid UTF-8 and
// text after the document are refused by the package itself.
var rejecting = json.RejectUnknownMembers(true)

// lenientNumbers takes a whole number however it is written (3, 3.0, 30e-1), as JSON Schema does. It costs, so it is
// used only after the plain way has found a number that it cannot take.
var lenientNumbers = sync.OnceValue(func() json.Options {
	return json.JoinOptions(rejecting, json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(readWhole[int]), json.UnmarshalFromFunc(readWhole[int64]))))
})

func readWhole[T int | int64](dec *jsontext.Decoder, into *T) error {
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported // the package's own way
	}
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		*into = T(n)
		return nil
	}
	const exact = 1 << 53 // up to which every reader of JSON keeps a number exactly
	n, ok := strict.WholeNumber(raw)
	if !ok || n > exact || n < -exact {
		return &json.SemanticError{JSONKind: '0', JSONValue: bytes.Clone(raw), Err: strconv.ErrSyntax}
	}
	*into = T(n)
	return nil
}

// decodeBody reads a JSON object into the struct that into points at.
func decodeBody(src []byte, into any) error {
	if len(src) == 0 {
		return nil
	}
	err := json.Unmarshal(src, into, rejecting)
	var semantic *json.SemanticError
	if errors.As(err, &semantic) && semantic.JSONKind == '0' {
		err = json.Unmarshal(src, into, lenientNumbers()) // sets again whatever the first reading set
	}
	if err != nil {
		return explain(src, reflect.TypeOf(into).Elem(), err)
	}
	if bytes.TrimLeft(src, " \t\r\n")[0] == 'n' { // null would pass for a zero value
		return faulty("must be an object, not null")
	}
	if bytes.Contains(src, []byte(`\u0000`)) {
		return refuseNUL(src)
	}
	return nil
}

// faulty is the one form of a fault in a body, in the manner of a plan's.
func faulty(format string, args ...any) *fault.Error {
	e := fault.Bad(format, args...)
	text := e.Message
	e.Message = "the body is not valid: " + text
	return e.WithMissing(text).WithHint("correct the place named; nothing was written")
}

// explain puts an error of the JSON package into words: where, what is wrong, what is allowed.
func explain(src []byte, in reflect.Type, err error) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		place, parent := locate(in, semantic.JSONPointer)
		if errors.Is(semantic.Err, json.ErrUnknownName) {
			name := semantic.JSONPointer.LastToken()
			allowed := fieldNames(parent)
			if len(allowed) == 0 {
				return faulty("%s: unknown name; the body takes none", place)
			}
			return faulty("%s: unknown name; %s", place, strict.Allowed(name, allowed))
		}
		if place == "" {
			return faulty("must be %s, not %s", wanted(semantic.GoType), shown(semantic))
		}
		return faulty("%s: must be %s, not %s", place, wanted(semantic.GoType), shown(semantic))
	}
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return faulty("%v", err)
	}
	if errors.Is(syntactic.Err, jsontext.ErrDuplicateName) {
		place, _ := locate(in, syntactic.JSONPointer)
		return faulty("%s: the name stands there twice", place)
	}
	at, why := strict.Broken(src, err)
	line, column := strict.Place(src, at)
	return faulty("line %d, column %d: %s", line, column, strings.ToValidUTF8(why, "\ufffd"))
}

// refuseNUL finds the text that holds U+0000; an escaped backslash before u0000 is no such text.
func refuseNUL(src []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(src))
	for dec.PeekKind() != 0 { // it was read whole before: this is its end
		tok, err := dec.ReadToken()
		if err != nil {
			return faulty("%v", err)
		}
		if tok.Kind() == '"' && strings.IndexByte(tok.String(), 0) >= 0 {
			place, _ := locate(nil, dec.StackPointer())
			return faulty("%s: holds U+0000, which no text may", place)
		}
	}
	return nil
}

// locate writes a pointer as a path (items[0].kind), and returns the type that the last step of it leads into.
func locate(t reflect.Type, pointer jsontext.Pointer) (path string, parent reflect.Type) {
	for name := range pointer.Tokens() {
		for t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		parent = t
		index, err := strconv.Atoi(name)
		if t != nil && t.Kind() != reflect.Slice || err != nil {
			path = strict.AppendName(path, name)
		} else {
			path = strict.AppendIndex(path, index)
		}
		t = below(t, name)
	}
	return path, parent
}

// below is the type of the member or element of that name.
func below(t reflect.Type, name string) reflect.Type {
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map:
		return t.Elem()
	case reflect.Struct:
		for i := range t.NumField() {
			if jsonName(t.Field(i)) == name {
				return t.Field(i).Type
			}
		}
	}
	return nil
}

// fieldNames lists the names that a struct takes in JSON.
func fieldNames(t reflect.Type) []string {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for i := range t.NumField() {
		if name := jsonName(t.Field(i)); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// jsonName is the name of a field in a body, empty for one that travels elsewhere.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	if name == "" {
		return f.Name
	}
	return name
}
