package format

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/strict"
)

// Fault is one thing that is wrong in a configuration, with its position.
type Fault struct {
	File       string     `json:"file"`   // "" if the value does not come from a file
	Source     string     `json:"source"` // where it comes from then: a variable, a flag, the db layer
	Line       int        `json:"line"`
	Column     int        `json:"column"`
	Path       string     `json:"path"`
	Message    string     `json:"message"`
	Allowed    []string   `json:"allowed"` // keys or values allowed at that place
	Suggestion string     `json:"suggestion"`
	Hint       fault.Text `json:"-"` // of the refusal, instead of the usual one
	text       string     // the message with the allowed values and the suggestion; "" if it is just the message
	more       int        // how many faults it stands for, which begin there and are not listed; 0 for an ordinary fault
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
	b.WriteString(cmp.Or(f.text, f.Message))
	return b.String()
}

// NewFault returns a fault at a byte offset of a source.
func NewFault(src *strict.Source, offset int64, path, format string, args ...any) Fault {
	f := Fault{File: src.File, Path: path, Message: fmt.Sprintf(format, args...), Allowed: []string{}}
	switch {
	case src.File != "":
		f.Line, f.Column = src.Place(offset)
	case src.Layer == DBLayer:
		f.Source = "the db layer"
	}
	return f
}

// faultOf converts a fault found while reading a source.
func faultOf(src *strict.Source, from strict.Fault) Fault {
	f := NewFault(src, from.At, from.Path, "%s", from.Message)
	f.Allowed, f.Suggestion, f.text = append(f.Allowed, from.Allowed...), from.Meant, from.Text()
	f.more = from.More
	return f
}

// Refuse combines all faults into one error, or returns nil if there are none.
func Refuse(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	e := fault.Bad("%s", faults[0])
	if len(faults) > 1 {
		e.Message = fmt.Sprintf("%s is not valid: %d faults", subject(faults), count(faults))
	}
	for i, f := range faults {
		if i == strict.MaxListed {
			e.WithMissing(fmt.Sprintf("and %d more", count(faults[i:])))
			break
		}
		e.WithMissing(f.String())
		if f.Hint != nil {
			e = e.WithParts(f.Hint)
		}
	}
	if e.Hint == "" {
		e.WithHint("correct each place named, then check with: %s", hint.Command("config validate"))
	}
	return e
}

// count counts faults, with those for which one stands.
func count(faults []Fault) int {
	n := 0
	for _, f := range faults {
		n += max(1, f.more)
	}
	return n
}

// subject names where the faults are: one file, or the configuration as a whole.
func subject(faults []Fault) string {
	for _, f := range faults {
		if f.File != faults[0].File || f.Source != faults[0].Source {
			return "the configuration"
		}
	}
	return cmp.Or(faults[0].File, faults[0].Source)
}
