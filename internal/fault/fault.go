// Package fault holds the one error type of tasker: an error with a kind, a sentence that a person can act on, what is
// missing, and a hint.
//
// Every layer returns it: Bad for input that is faulty in itself, Decline for what state, policy or identity forbids,
// Missing, Stale, Unready, and New for the rest. A face shows the parts and maps the kind to an error code, a status or
// an exit code with the one table of this package (kind.go); nobody parses messages.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Error is what every layer returns. Message is a whole sentence without a final period; Missing names each thing in
// the way, in order; Hint says what to do.
type Error struct {
	Kind    Kind
	Message string
	Missing []string
	Hint    string // with its calls as commands: see HintIn
	parts   Text
	cause   error

	// Recorded is what a declined move recorded anyway; nil for any other error. Version is then the task's version,
	// and 0 if nothing was recorded.
	Recorded []string
	Version  int64
}

// Error returns the message; the parts are for faces that can show them.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, which is for logs and never for answers.
func (e *Error) Unwrap() error { return e.cause }

// WithMissing returns the error with more things in the way appended.
func (e *Error) WithMissing(missing ...string) *Error {
	e.Missing = append(e.Missing, missing...)
	return e
}

// parameter begins the place of a parameter in a route's query. Other faces use another word: see MissingIn.
const parameter = "query parameter "

// Parameter returns the place of a parameter in the query of a request.
func Parameter(name string) string { return parameter + name }

// MissingIn returns what is missing as a face words it; say returns its name for a query parameter.
func (e *Error) MissingIn(say func(name string) string) []string {
	out := make([]string, len(e.Missing))
	for i, m := range e.Missing {
		if name, ok := strings.CutPrefix(m, parameter); ok {
			m = say(name)
		}
		out[i] = m
	}
	return out
}

// At returns err, which may be nil, with the place in the request that it is about, if it is Invalid and names none.
func At(place string, err error) error {
	if !Is(err, Invalid) {
		return err
	}
	e := Of(err)
	if len(e.Missing) == 0 {
		e.Missing = []string{place}
	}
	return err
}

// WithCause returns the error with the error behind it.
func (e *Error) WithCause(cause error) *Error {
	e.cause = cause
	return e
}

// New returns an error of a kind.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: sentence(format, args)}
}

// Bad returns an Invalid error: the input is faulty in itself.
func Bad(format string, args ...any) *Error { return New(Invalid, format, args...) }

// Decline returns a Declined error: state, policy or identity says no.
func Decline(format string, args ...any) *Error { return New(Declined, format, args...) }

// Missing returns a NotFound error.
func Missing(format string, args ...any) *Error { return New(NotFound, format, args...) }

// Stale returns a Conflict error.
func Stale(format string, args ...any) *Error { return New(Conflict, format, args...) }

// Unready returns an Unavailable error.
func Unready(format string, args ...any) *Error { return New(Unavailable, format, args...) }

// Of returns the Error in err's chain, or wraps err in an Internal or Unavailable one. It returns nil only for nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Unready("the request was cancelled before it was carried out").WithHint("send it again").WithCause(err)
	}
	return New(Internal, "something unexpected happened: %v", err).WithCause(err)
}

// Is reports whether err is of the kind.
func Is(err error, kind Kind) bool {
	return err != nil && Of(err).Kind == kind
}

func sentence(format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}
