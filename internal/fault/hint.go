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
	Before  string `json:"before,omitzero"`  // the command that comes first where a route or a tool is called: Command does both
	ByOther bool   `json:"byOther,omitzero"` // somebody other than the caller carries it out
	Field   string `json:"field,omitzero"`   // set if this is not a call but a field of the caller's own; Command is what sets it there
	Header  string `json:"header,omitzero"`  // with Field: the header of a request that does what the field does for a command
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

// Part is a piece of a hint: words, a call, or something that only humans may do.
type Part struct {
	Text  string `json:"text,omitzero"`
	Call  *Call  `json:"call,omitzero"`
	Human *Human `json:"human,omitzero"`
}

// Human is a piece of a hint that says how to do what only humans may do in a project that declares one. An agent in
// such a project is told who can do it instead: see Text.For. Everybody else reads How.
type Human struct {
	In  string `json:"in"`  // the project
	How Text   `json:"how"` // for a reader who may
	Ask Text   `json:"ask"` // for an agent; Humans in its words stands for their names; empty: the agent gets no hint
}

// String returns how a human does it, with calls as commands.
func (h Human) String() string { return h.How.In(Call.String) }

// Have returns what an agent is told about something that a human is to be asked for: `have ann or bob review it`.
func Have(do string) string { return "have " + Humans + " " + do }

// Humans stands for the names of a project's humans in what an agent is told.
const Humans = "{humans}"

// Reader is who a hint is worded for.
type Reader struct {
	Agent  bool   // an agent in a project that declares a human
	Humans string // who the humans of that project are: "ann or bob"
}

// ByHuman returns a piece of a hint for a project's humans: ask is what an agent is told, the rest how a human does it.
func ByHuman(project, ask, format string, args ...any) Human {
	h := Human{In: project, How: Parts(format, args...)}
	if ask != "" {
		h.Ask = Text{{Text: ask}}
	}
	return h
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

// For words the hint for its reader.
func (e *Error) For(r Reader) { _ = e.WithParts(e.HintParts().For(r)) }

// HumansOf returns the project whose humans the hint is about; false if it is for everybody.
func (e *Error) HumansOf() (project string, ok bool) {
	for _, p := range e.parts {
		if p.Human != nil {
			return p.Human.In, true
		}
	}
	return "", false
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
		if p.Human != nil {
			b.WriteString(p.Human.How.In(say))
		}
	}
	return b.String()
}

// For returns the text as it is worded for its reader. It is the one place that decides what an agent is told about
// things that only humans may do: who can do them, never how.
func (t Text) For(r Reader) Text {
	out := make(Text, 0, len(t))
	for _, p := range t {
		switch {
		case p.Human == nil:
			out = append(out, p)
		case !r.Agent:
			out = append(out, p.Human.How.For(r)...)
		default:
			for _, ask := range p.Human.Ask {
				ask.Text = strings.ReplaceAll(ask.Text, Humans, r.Humans)
				out = append(out, ask)
			}
		}
	}
	return out
}

// partOf returns an argument of Parts that stays a part of its own.
func partOf(arg any) (Part, bool) {
	switch a := arg.(type) {
	case Call:
		return Part{Call: &a}, true
	case Human:
		return Part{Human: &a}, true
	}
	return Part{}, false
}

// Parts formats like fmt.Sprintf, and keeps every Call and every Human among the arguments as a part of its own.
func Parts(format string, args ...any) Text {
	if !slices.ContainsFunc(args, func(a any) bool { _, ok := partOf(a); return ok }) {
		return Text{{Text: sentence(format, args)}}
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
		if part, ok := partOf(args[n]); ok {
			parts = append(parts, Part{Text: fmt.Sprintf(format[from:at], args[next:n]...)}, part)
			from, next = end+1, n+1
		}
		n++
		at = end
	}
	return append(parts, Part{Text: fmt.Sprintf(format[min(from, len(format)):], args[next:]...)})
}
