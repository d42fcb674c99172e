package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// eachJSON reads the elements of an array, or a sequence of values, as T, and calls take with each
// one and its line. A value that is not a T is a fault, and so is invalid JSON, which ends the
// reading unless every line is a value of its own. Members that T does not have are ignored.
func eachJSON[T any](b *Batch, f File, take func(where string, v *T)) {
	data := bytes.TrimPrefix(f.Data, []byte("\ufeff"))
	start, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte{'\n'})
	if bytes.HasPrefix(start, []byte{'{'}) && jsontext.Value(start).IsValid(jsontext.AllowDuplicateNames(true)) {
		n := 0
		for line := range bytes.Lines(data) {
			if n++; len(bytes.TrimSpace(line)) > 0 {
				one(b, "line "+strconv.Itoa(n), line, take)
			}
		}
		return
	}
	lines := lineCounter{data: data}
	dec := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true))
	array := false
	for {
		if kind := dec.PeekKind(); kind == '[' && dec.StackDepth() == 0 || kind == ']' && array {
			array = kind == '['
			if _, err := dec.ReadToken(); err != nil {
				b.fault(lines.of(dec, err), "%s", jsonWords(err))
				return
			}
			continue
		}
		raw, err := dec.ReadValue()
		if errors.Is(err, io.EOF) { // within an array it is another error
			return
		}
		if err != nil {
			b.fault(lines.of(dec, err), "%s", jsonWords(err))
			return
		}
		one(b, lines.where(dec.InputOffset()-int64(len(raw))), raw, take)
	}
}

// one reads one value as T.
func one[T any](b *Batch, where string, raw []byte, take func(where string, v *T)) {
	var v T
	if err := json.Unmarshal(raw, &v, jsontext.AllowDuplicateNames(true)); err != nil {
		b.fault(where, "%s", jsonWords(err))
		return
	}
	take(where, &v)
}

// lineCounter returns line numbers for offsets that only grow.
type lineCounter struct {
	data []byte
	at   int64
	line int
}

func (l *lineCounter) where(offset int64) string {
	offset = min(offset, int64(len(l.data)))
	if offset > l.at {
		l.line += bytes.Count(l.data[l.at:offset], []byte{'\n'})
		l.at = offset
	}
	return "line " + strconv.Itoa(l.line+1)
}

// of returns the line of an error.
func (l *lineCounter) of(dec *jsontext.Decoder, err error) string {
	var wrong *jsontext.SyntacticError
	if errors.As(err, &wrong) {
		return l.where(wrong.ByteOffset)
	}
	return l.where(dec.InputOffset())
}

// jsonWords says what is wrong with JSON, without quoting it.
func jsonWords(err error) string {
	if errors.Is(err, errLong) {
		return errLong.Error()
	}
	var wrong *json.SemanticError
	if errors.As(err, &wrong) {
		at := string(wrong.JSONPointer)
		if at == "" {
			return fmt.Sprintf("a JSON %s stands where another kind of value belongs", wrong.JSONKind)
		}
		return fmt.Sprintf("%s is a JSON %s, where another kind of value belongs", at, wrong.JSONKind)
	}
	return "this is not valid JSON: " + first(err.Error())
}

// upTo is a list with at most as many entries as a plan has tasks. A longer list is an error, so
// that a long list of empty entries does not turn into a large one of records.
type upTo[T any] []T

var errLong = fmt.Errorf("a list has more than %d entries, which is the limit", task.MaxTasks)

// UnmarshalJSONFrom reads a list, or null.
func (l *upTo[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		return json.UnmarshalDecode(dec, (*[]T)(l))
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if len(*l) == task.MaxTasks {
			return errLong
		}
		var v T
		if err := json.UnmarshalDecode(dec, &v, jsontext.AllowDuplicateNames(true)); err != nil {
			return err
		}
		*l = append(*l, v)
	}
	_, err := dec.ReadToken()
	return err
}

// loose is a text that some tools write as a number.
type loose string

// UnmarshalJSONFrom reads a text, a number, or null.
func (l *loose) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind == '"' || kind == '0' {
		return readText(dec, l)
	}
	return dec.SkipValue()
}

// readText reads a text, or a number as text.
func readText[S ~string](dec *jsontext.Decoder, into *S) error {
	tok, err := dec.ReadToken()
	*into = S(tok.String())
	return err
}

// named is the name of a label, a user or a milestone, which is written as a text or an object.
type named string

// UnmarshalJSONFrom reads a text, or an object with a name.
func (n *named) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		return readText(dec, n)
	case '{':
		var o struct {
			Login   string `json:"login"`
			Name    string `json:"name"`
			Display string `json:"displayName"`
			Title   string `json:"title"`
			Value   string `json:"value"`
		}
		if err := json.UnmarshalDecode(dec, &o, jsontext.AllowDuplicateNames(true)); err != nil {
			return err
		}
		*n = named(cmp.Or(o.Login, o.Display, o.Name, o.Title, o.Value))
		return nil
	}
	return dec.SkipValue()
}

func texts[S ~string](list []S) []string {
	out := words.Each(list, func(s S) string { return string(s) })
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}
