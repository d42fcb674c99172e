package tree

import (
	"fmt"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/words"
)

// MaxFaults bounds how many faults of one reading are listed.
const MaxFaults = 500

// Fault is one thing that is wrong in a configuration, with its place.
type Fault struct {
	File       string   `json:"file"`   // "" where the value comes from no file
	Source     string   `json:"source"` // what stands in its place then: a variable, a flag, the db layer
	Line       int      `json:"line"`
	Column     int      `json:"column"`
	Path       string   `json:"path"`
	Message    string   `json:"message"`
	Allowed    []string `json:"allowed"` // keys or values allowed at that place
	Suggestion string   `json:"suggestion"`
	Hint       string   `json:"-"` // of the refusal, in place of the usual one
}

// String is the fault on one line: /repo/.tasker.json:3:5: workspace.strategi: unknown key; allowed: …; did you
// mean strategy?
func (f Fault) String() string {
	var b strings.Builder
	switch {
	case f.File != "":
		b.WriteString(f.File + ":" + strconv.Itoa(f.Line) + ":" + strconv.Itoa(f.Column) + ": ")
	case f.Source != "":
		b.WriteString(f.Source + ": ")
	}
	if f.Path != "" {
		b.WriteString(f.Path + ": ")
	}
	b.WriteString(f.Message)
	if len(f.Allowed) > 0 {
		b.WriteString("; allowed: " + words.List(f.Allowed))
	}
	if f.Suggestion != "" {
		b.WriteString("; did you mean " + f.Suggestion + "?")
	}
	return b.String()
}

// NewFault returns a fault at a byte offset of a source.
func NewFault(src *Source, offset int, path, format string, args ...any) Fault {
	f := Fault{File: src.File, Path: path, Message: fmt.Sprintf(format, args...), Allowed: []string{}}
	switch {
	case src.File != "":
		f.Line, f.Column = src.Place(offset)
	case src.Layer == DBLayer:
		f.Source = "the db layer"
	}
	return f
}

// Refuse makes one error of all faults; nil of none.
func Refuse(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	e := fault.Bad("%s", faults[0])
	if len(faults) > 1 {
		e.Message = fmt.Sprintf("%s is not valid: %d faults", subject(faults), len(faults))
	}
	for i, f := range faults {
		if i == MaxFaults {
			e.WithMissing(fmt.Sprintf("and %d more", len(faults)-MaxFaults))
			break
		}
		e.WithMissing(f.String())
		if f.Hint != "" {
			e.Hint = f.Hint
		}
	}
	if e.Hint == "" {
		e.WithHint("correct each place named, then check with: tasker config validate")
	}
	return e
}

// subject names where the faults are: one file, or the configuration as a whole.
func subject(faults []Fault) string {
	for _, f := range faults {
		if f.File != faults[0].File || f.Source != faults[0].Source {
			return "the configuration"
		}
	}
	if faults[0].File != "" {
		return faults[0].File
	}
	return faults[0].Source
}

// Show quotes a value for a message, cut where it is long.
func (n *Node) Show() string {
	switch n.Kind {
	case Object:
		return "an object"
	case List:
		return "an array"
	default: // it is short enough to be shown
	}
	s := string(n.Append(nil))
	s = words.Cut(s, 60)
	switch n.Kind {
	case Null:
		return "null"
	case Bool:
		return "the boolean " + s
	case Number:
		return "the number " + s
	default:
		return "the string " + s
	}
}
