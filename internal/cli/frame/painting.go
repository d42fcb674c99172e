package frame

import (
	"strings"

	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Painted returns a function that prints for a screen of a given width and returns the text as a terminal would show
// it, so that a full-screen view looks like the output of the commands. What one call learned from the repository is
// cached for the next.
func Painted(f *Factory) func(columns int, show func(*Factory)) string {
	own := &Factory{Process: f.Process, Wiring: f.Wiring, Flags: f.Flags, loaded: f.loaded}
	return func(columns int, show func(*Factory)) string {
		var b strings.Builder
		own.Out = term.New(&b, true)
		own.Out.Width = columns
		own.Out.Color = f.Out.Color
		own.Err = own.Out
		show(own)
		return b.String()
	}
}

// Refusal is an error in the words of the command line.
type Refusal struct {
	Message string
	Missing []string
	Hint    string
}

// RefusalOf returns an error in the words that Report prints.
func RefusalOf(f *Factory, err error) Refusal {
	e := fault.Of(err)
	r := Refusal{Message: Plain(f, e.Message), Missing: words.Each(f.listed(e), func(m string) string { return Plain(f, m) })}
	if e.Hint != "" {
		r.Hint = e.HintIn(f.AsCommand)
	}
	return r
}
