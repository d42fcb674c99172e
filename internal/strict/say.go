package strict

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/words"
)

// How faults are said. A package that decodes by other means, such as a library that reads into Go types, says them with
// these words too.

// AppendName appends a name to a path: tasks.title, tasks["odd name"].
func AppendName(path, name string) string {
	switch {
	case name == "" || !plain(name):
		return path + "[" + words.Quoted(name) + "]"
	case path == "":
		return name
	default:
		return path + "." + name
	}
}

// AppendIndex appends the index of an item to a path: tasks[3].
func AppendIndex(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// plain reports whether a name can stand in a path without quotes.
func plain(name string) bool {
	for _, r := range name {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '$') {
			return false
		}
	}
	return len(name) <= 60
}

// Allowed lists the names that may stand where an unknown one does, and which of them was probably meant.
func Allowed(name string, names []string) string {
	return "allowed: " + words.List(names) + words.Meant(name, names)
}

// Named says what sort of value a kind is: a string, an object, null.
func Named(kind jsontext.Kind) string {
	switch kind {
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
		return "a number"
	case '"':
		return "a string"
	default:
		return "that"
	}
}

// Shown says what a value is: an object, the number 3, the string "x".
func Shown(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		s, _ := jsontext.AppendUnquote(nil, v)
		return "the string " + words.Quoted(string(s))
	case '0':
		return "the number " + words.Cut(string(v), 30)
	default:
		return Named(v.Kind())
	}
}

// Place returns the line and the column (in characters) of a byte offset, both from 1.
func Place(src []byte, offset int64) (line, column int) {
	before := src[:max(0, min(offset, int64(len(src))))]
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// Broken returns where a text stops being JSON, and why, of the error that reading it gave.
func Broken(src []byte, err error) (offset int64, why string) {
	offset, why = int64(len(src)), err.Error()
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		offset, why = max(0, min(syntax.ByteOffset, offset)), syntax.Err.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return int64(len(src)), "the text ends in the middle"
	}
	return offset, why
}
