package frame

import (
	"errors"

	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/op/wire"
)

// The exit codes, as the help of every command lists them.
const (
	exitDone = iota
	exitUnexpected
	exitInvalid
	exitDeclined
	exitNotFound
	exitConflict
	exitUnauthorized
	exitNothing
)

// ExitCodes is the one table of what a code means.
var ExitCodes = []struct {
	Code int
	What string
}{
	{exitDone, "done"},
	{exitUnexpected, "unexpected: a fault of the program, the machine, the network, or what doctor found"},
	{exitInvalid, "invalid: usage, a document, a value, the configuration"},
	{exitDeclined, "declined: state, policy or identity says no"},
	{exitNotFound, "not found"},
	{exitConflict, "conflict: the version or the fence no longer matches"},
	{exitUnauthorized, "unauthorized: the server wants a credential, or refuses the request"},
	{exitNothing, "nothing to do (next and apply --dry-run, with --exit-code), or the time ran out (wait, ask --wait)"},
}

// ErrNothing ends a command with exitNothing and no words: they were said already.
var ErrNothing = errors.New("nothing to do")

// ErrFound ends a command with exitUnexpected and no words: what was found is printed already.
var ErrFound = errors.New("findings")

// ExitCode maps an error to the code that the process ends with.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, ErrNothing):
		return exitNothing
	case errors.Is(err, ErrFound):
		return exitUnexpected
	}
	switch fault.Of(err).Kind {
	case fault.Invalid, fault.TooLarge:
		return exitInvalid
	case fault.Declined:
		return exitDeclined
	case fault.NotFound:
		return exitNotFound
	case fault.Conflict:
		return exitConflict
	case fault.Unauthorized, fault.Forbidden:
		return exitUnauthorized
	default: // Internal, Unavailable, MethodNotAllowed
		return exitUnexpected
	}
}

// Report tells of an error: a JSON object with --json, and otherwise the sentence, what stands in the way line by
// line, and the hint.
func (f *Factory) Report(err error) {
	if err == nil || errors.Is(err, ErrNothing) || errors.Is(err, ErrFound) {
		return
	}
	e := fault.Of(err)
	if f.Flags.JSON {
		doc, _ := f.JSON(wire.FailureOf(e)) // a Failure can always be written
		f.Err.Document(doc)
		return
	}
	f.Err.Spans(term.Red.Of("tasker: "))
	f.Err.Printf("%s\n", e.Message)
	for _, m := range e.Missing {
		f.Err.Printf("  - %s\n", m)
	}
	if e.Hint != "" {
		f.Err.Printf("hint: %s\n", e.Hint)
	}
}
