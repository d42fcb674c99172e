package shape

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/text/words"
)

type layout struct{ parsed *template.Template }

// Template returns the shape of a Go template, with gh's helpers.
func Template(text string) (Shape, error) {
	parsed, err := template.New("--template").Option("missingkey=zero").Funcs((&filling{}).helpers()).Parse(text)
	if err != nil {
		return nil, misplaced(err)
	}
	return layout{parsed}, nil
}

// place matches a position as text/template writes it, --template:LINE:COLUMN:, and the message that follows.
var place = words.Pattern(`^template: --template:(\d+)(?::(\d+))?: (?:executing "--template" at )?`)

// misplaced says where a template is at fault.
func misplaced(err error) error {
	text := err.Error()
	at := place().FindStringSubmatch(text)
	if at == nil {
		return fault.Bad("--template: %s", text)
	}
	where := "in line " + at[1]
	if at[2] != "" {
		column, _ := strconv.Atoi(at[2]) // it consists of digits
		where += fmt.Sprintf(", column %d", column+1)
	}
	e := fault.Bad("--template: %s: %s", where, text[len(at[0]):])
	if strings.Contains(text, "not defined") {
		e.WithHint("besides Go's own functions there are json, join, pluck, tablerow, tablerender, timeago, timefmt and truncate")
	}
	return e
}

// maxText bounds what a template prints for one answer.
const maxText = 64 << 20

var errTooLong = errors.New("the text is longer than 64 MiB")

// errLate ends a template that takes too long.
var errLate = errors.New("too late")

// filling is one execution of a template: its text so far, and the rows of the current table.
type filling struct {
	ctx    context.Context
	screen Screen
	text   strings.Builder
	rows   [][]string
}

func (l layout) Form(ctx context.Context, doc []byte, screen Screen) ([]Piece, error) {
	v, err := read(doc, number)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, formTime)
	defer cancel()
	f := &filling{ctx: ctx, screen: screen}
	err = l.parsed.Funcs(f.helpers()).Execute(f, v)
	switch {
	case errors.Is(err, errLate):
		return nil, tooLate("--template")
	case err != nil:
		return nil, misplaced(err)
	}
	f.text.WriteString(f.table())
	return []Piece{{Text: f.text.String()}}, nil
}

// number returns a number as templates compare it: an integer if it is whole.
func number(s string) any {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return n
	}
	return stdjson.Number(s)
}

// Write adds text of the template.
func (f *filling) Write(p []byte) (int, error) {
	switch {
	case f.ctx.Err() != nil:
		return 0, errLate
	case f.text.Len()+len(p) > maxText:
		return 0, errTooLong
	}
	return f.text.Write(p)
}

func (f *filling) helpers() template.FuncMap {
	return template.FuncMap{
		"json":  asJSON,
		"join":  join,
		"pluck": pluck,
		"timeago": func(moment any) (string, error) {
			at, err := readTime(moment)
			if err != nil || at.IsZero() {
				return "", err
			}
			return words.Ago(at, f.screen.Now), nil
		},
		"timefmt": func(form string, moment any) (string, error) {
			at, err := readTime(moment)
			if err != nil || at.IsZero() {
				return "", err
			}
			return at.Format(form), nil
		},
		"truncate": func(columns int, v any) string { return term.Cut(inLine(v), columns) },
		"tablerow": func(cells ...any) string {
			f.rows = append(f.rows, words.Each(cells, inLine))
			return ""
		},
		"tablerender": f.table,
	}
}

// table returns the rows so far as an aligned table, and starts a new one.
func (f *filling) table() string {
	rows := f.rows
	f.rows = nil
	return term.Aligned(rows, f.screen.Width)
}

// inLine returns a value as one line of text.
func inLine(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.Join(strings.Fields(v), " ")
	case map[string]any, []any:
		text, _ := asJSON(v) // a value read from JSON can be written as JSON
		return text
	}
	return fmt.Sprint(v)
}

func asJSON(v any) (string, error) {
	text, err := json.Marshal(v, json.Deterministic(true))
	return string(text), err
}

// join returns the items of a list with a separator between them.
func join(separator string, list any) (string, error) {
	items, err := listOf("join", list)
	return strings.Join(words.Each(items, inLine), separator), err
}

// pluck returns one field of every object in a list.
func pluck(field string, list any) ([]any, error) {
	items, err := listOf("pluck", list)
	out := make([]any, 0, len(items))
	for _, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("pluck takes a list of objects, and one of them is %s", inLine(item))
		}
		out = append(out, object[field])
	}
	return out, err
}

func listOf(helper string, v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	return nil, fmt.Errorf("%s takes a list, and was given %s", helper, inLine(v))
}

// readTime parses a time as answers write it; nil means none.
func readTime(v any) (time.Time, error) {
	switch v := v.(type) {
	case nil:
		return time.Time{}, nil
	case string:
		at, err := time.Parse(time.RFC3339, v)
		if err != nil {
			return at, fmt.Errorf("%q is not a moment such as 2026-01-02T15:04:05Z", v)
		}
		return at, nil
	}
	return time.Time{}, fmt.Errorf("%s is not a moment such as 2026-01-02T15:04:05Z", inLine(v))
}
