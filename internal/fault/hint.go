package fault

import (
	"fmt"
	"slices"
	"strings"
)

// Call is something that a hint says to do: an operation of the table with its arguments, or a command that is not an
// operation. Each face words it in its own language when it shows the error. Package hint declares the calls.
type Call struct {
	Op      string `json:"op,omitzero"`      // name in the table; empty for a command that is not an operation
	Args    []Arg  `json:"args,omitzero"`    // by their names in routes and tools
	Command string `json:"command"`          // on the command line, without the program's name
	Scoped  bool   `json:"scoped,omitzero"`  // it applies to the project that the caller assumes
	ByOther bool   `json:"byOther,omitzero"` // somebody other than the caller carries it out
	Field   string `json:"field,omitzero"`   // set if this is not a call but a field of the caller's own; Command is what sets it there
}

// Arg is an argument of a call.
type Arg struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// String returns the call as typed at a command line.
func (c Call) String() string {
	if c.Field != "" {
		return c.Command
	}
	return "tasker " + c.Command
}

// Part is a piece of a hint: words, or a call.
type Part struct {
	Text string `json:"text,omitzero"`
	Call *Call  `json:"call,omitzero"`
}

// WithHint returns the error with its hint set. Each face shows a Call among the arguments in its own language; Hint
// has it as a command.
func (e *Error) WithHint(format string, args ...any) *Error {
	return e.WithParts(Parts(format, args...))
}

// WithParts returns the error with a hint made of parts.
func (e *Error) WithParts(parts Text) *Error {
	e.parts = parts
	e.Hint = e.HintIn(Call.String)
	return e
}

// WithHintOf returns the error with the hint of another, followed by more words.
func (e *Error) WithHintOf(other *Error, more string) *Error {
	return e.WithParts(append(other.HintParts(), Part{Text: more}))
}

// AndHint returns a copy of the error whose hint says more, or the error itself if there is nothing to add.
func (e *Error) AndHint(more ...Text) *Error {
	if len(more) == 0 {
		return e
	}
	c, parts := *e, e.HintParts()
	for _, text := range more {
		if len(parts) > 0 {
			parts = append(parts, Part{Text: "; "})
		}
		parts = append(parts, text...)
	}
	return c.WithParts(parts)
}

// HintParts returns the pieces of the hint.
func (e *Error) HintParts() Text {
	if e.parts == nil && e.Hint != "" {
		return Text{{Text: e.Hint}}
	}
	return slices.Clone(e.parts)
}

// HintIn returns the hint in the language of a face; say words its calls.
func (e *Error) HintIn(say func(Call) string) string { return e.HintParts().In(say) }

// Text is a text that says what to do, with calls among its words. Each face words the calls in its own language.
type Text []Part

// In returns the text with its calls as say words them.
func (t Text) In(say func(Call) string) string {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.Text)
		if p.Call != nil {
			b.WriteString(say(*p.Call))
		}
	}
	return b.String()
}

// Parts formats like fmt.Sprintf, and keeps every Call among the arguments as a part of its own.
func Parts(format string, args ...any) Text {
	if !slices.ContainsFunc(args, func(a any) bool { _, ok := a.(Call); return ok }) {
		if len(args) == 0 {
			return Text{{Text: format}}
		}
		return Text{{Text: fmt.Sprintf(format, args...)}}
	}
	var parts Text
	from, next := 0, 0 // where the current words begin, in format and among the arguments
	for at, n := 0, 0; at < len(format); at++ {
		if format[at] != '%' {
			continue
		}
		end := at + 1
		for end < len(format) && strings.IndexByte("+-# 0123456789.", format[end]) >= 0 {
			end++
		}
		if end < len(format) && format[end] == '%' || n >= len(args) {
			at = end
			continue
		}
		if call, ok := args[n].(Call); ok {
			parts = append(parts, Part{Text: fmt.Sprintf(format[from:at], args[next:n]...)}, Part{Call: &call})
			from, next = end+1, n+1
		}
		n++
		at = end
	}
	return append(parts, Part{Text: fmt.Sprintf(format[min(from, len(format)):], args[next:]...)})
}
