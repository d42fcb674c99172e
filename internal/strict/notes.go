package strict

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// MaxListed bounds how many faults one refusal lists; the rest are counted.
const MaxListed = 100

// Notes collects faults during a walk through a document. The path to the current position is kept as steps and written
// out only for a fault. The zero value is ready to use.
type Notes struct {
	base    string // the path to the start of the walk
	path    []Step
	faults  []Fault
	count   int
	sourced bool  // there is a source, and here is an offset in it
	here    int64 // the current position of the walk
	rest    int64 // the position of the first fault that is not listed
}

// Fault is one thing that does not fit.
type Fault struct {
	Path    string
	Message string
	Allowed []string // the names or words that are allowed there
	Meant   string   // the one that was probably meant
	At      int64    // offset in the source, -1 without one
	More    int      // how many faults this one stands for, which begin here and are not listed; 0 for an ordinary fault
	listed  bool     // the message already lists what is allowed
}

// String returns the fault on one line: tasks[0].titel: unknown key; allowed: key, title; did you mean title?
func (f Fault) String() string {
	if f.Path == "" {
		return f.Text()
	}
	return f.Path + ": " + f.Text()
}

// Text returns String without the path.
func (f Fault) Text() string {
	text := f.Message
	if len(f.Allowed) > 0 && !f.listed {
		text += "; allowed: " + words.List(f.Allowed)
	}
	if f.Meant != "" {
		text += "; did you mean " + f.Meant + "?"
	}
	return text
}

// Enter moves into a member of an object.
func (n *Notes) Enter(name string) { n.path = append(n.path, Step{Name: name}) }

// EnterAt moves into an item of a list.
func (n *Notes) EnterAt(i int) { n.path = append(n.path, Step{Index: i, IsIndex: true}) }

// Leave moves back out of what was entered last.
func (n *Notes) Leave() { n.path = n.path[:len(n.path)-1] }

// Note adds a fault at the current path.
func (n *Notes) Note(format string, args ...any) { n.Add(Fault{Message: fmt.Sprintf(format, args...)}) }

// Stand sets the offset in the source that the next notes are about.
func (n *Notes) Stand(at int64) { n.here = at }

// Add adds a fault that has more than its message, at the current path.
func (n *Notes) Add(f Fault) {
	if n.count++; n.count > MaxListed {
		if n.count == MaxListed+1 {
			n.rest = n.here
		}
		return
	}
	if f.Path, f.At = n.where(), -1; n.sourced {
		f.At = n.here
	}
	n.faults = append(n.faults, f)
}

// Count returns how many faults there are, including the ones after MaxListed.
func (n *Notes) Count() int { return n.count }

// Full reports whether another fault would be counted but not listed, so that the work for its text can be saved.
func (n *Notes) Full() bool { return n.count >= MaxListed }

// where returns the current path: tasks[3].deps[0].
func (n *Notes) where() string {
	path := n.base
	for _, s := range n.path {
		if s.IsIndex {
			path = At(path, s.Index)
		} else {
			path = appendName(path, s.Name)
		}
	}
	return path
}

// Refuse combines all faults into one error, or returns nil if there are none. what names the faulty thing: the plan.
func (n *Notes) Refuse(what string) error { return n.refuse(what, nil) }

// refuse is Refuse, and also names the lines if src has more than one.
func (n *Notes) refuse(what string, src []byte) error {
	if n.count == 0 {
		return nil
	}
	texts := n.texts(src)
	e := fault.Bad("%s is not valid: %d faults", what, n.count)
	if n.count == 1 {
		e = fault.Bad("%s is not valid: %s", what, texts[0])
	}
	e.WithMissing(texts...)
	if more := n.count - len(texts); more > 0 {
		e.WithMissing(fmt.Sprintf("and %d more", more))
	}
	return e.WithHint("correct each place named; nothing was written")
}

// texts returns the faults with their lines, in the order in which they were found.
func (n *Notes) texts(src []byte) []string {
	out := make([]string, len(n.faults))
	order := make([]int, len(n.faults))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n.faults[a].At, n.faults[b].At) })
	several := bytes.IndexByte(bytes.TrimSpace(src), '\n') >= 0
	line, from := 1, 0
	for _, i := range order {
		f := n.faults[i]
		out[i] = f.String()
		if !several || f.At < 0 || f.At > int64(len(src)) {
			continue
		}
		line += bytes.Count(src[from:f.At], []byte{'\n'})
		from = int(f.At)
		out[i] += " (line " + strconv.Itoa(line) + ")"
	}
	return out
}

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

// plain reports whether a name can appear in a path without quotes.
func plain(name string) bool {
	return len(name) <= 60 && !strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '$')
	})
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
