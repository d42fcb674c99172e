package strict

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/text/words"
)

// How faults are worded.

// appendName appends a name to a path: tasks.title, tasks["odd name"].
func appendName(path, name string) string {
	switch {
	case name == "" || !plain(name):
		return path + "[" + words.Quoted(name) + "]"
	case path == "":
		return name
	default:
		return path + "." + name
	}
}

// appendIndex appends the index of an item to a path: tasks[3].
func appendIndex(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// plain reports whether a name can appear in a path without quotes.
func plain(name string) bool {
	for _, r := range name {
		if !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '$') {
			return false
		}
	}
	return len(name) <= 60
}

// Allowed lists the names that are allowed in place of an unknown one, and which of them was probably meant.
func Allowed(name string, names []string) string {
	return "allowed: " + words.List(names) + words.Meant(name, names)
}

// named describes a kind of value: a string, an object, null.
func named(kind jsontext.Kind) string { return cmp.Or(kinds[kind], "that") }

var kinds = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '{': "an object", '}': "an object", '[': "a list", ']': "a list", '0': "a number", '"': "a string",
}

// shown describes a value: an object, the number 3, the string "x".
func shown(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		s, _ := jsontext.AppendUnquote(nil, v)
		return "the string " + words.Quoted(string(s))
	case '0':
		return "the number " + words.Cut(string(v), 30)
	default:
		return named(v.Kind())
	}
}

// Place returns the line and the column (in characters) of a byte offset, both counted from 1.
func Place(src []byte, offset int64) (line, column int) {
	before := src[:max(0, min(offset, int64(len(src))))]
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// broken returns where a text stops being JSON, and why, from the error of reading it.
func broken(src []byte, err error) (offset int64, why string) {
	offset, why = int64(len(src)), err.Error()
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		offset, why = max(0, min(syntax.ByteOffset, offset)), syntax.Err.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return int64(len(src)), "the text ends in the middle"
	}
	rest := bytes.TrimLeft(src[offset:], " \t\r\n")
	if slip := slip(rest); slip != "" {
		return int64(len(src) - len(rest)), slip
	}
	return offset, why
}

// slip names common mistakes by the text where the JSON breaks.
func slip(rest []byte) string {
	after, comma := bytes.CutPrefix(rest, []byte{','})
	after = bytes.TrimLeft(after, " \t\r\n")
	switch {
	case comma && len(after) > 0 && (after[0] == '}' || after[0] == ']'):
		return "there is a comma after the last item"
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), bytes.HasPrefix(rest, []byte("#")):
		return "JSON has no comments"
	case bytes.HasPrefix(rest, []byte("'")):
		return "strings are written in double quotes"
	default:
		return ""
	}
}
