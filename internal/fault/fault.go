// Package fault holds the one error type of tasker: an error with a kind, a sentence that a person can act on,
// what is missing, and a hint. Faces map the kind to a status or an exit code; nobody looks into messages.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Kind says what sort of answer an error is. The list is closed: every face has a table over it.
type Kind uint8

// The kinds. Internal is the zero value, so that an error without a kind is never mistaken for a refusal.
const (
	Internal         Kind = iota
	Invalid               // faulty in itself: a malformed or unknown name, value, reference, cycle, limit
	Declined              // understood, and state, policy or identity says no
	NotFound              // the project, task or record does not exist
	Conflict              // expectedVersion or fence no longer matches
	Unauthorized          // no valid credential
	Forbidden             // the front door says no: host, origin, read-only session
	MethodNotAllowed      // the path exists, the method does not
	TooLarge              // a body past its bound
	Unavailable           // not now: shutting down, a commit that could not be made durable, a lost database
)

// Kinds lists every kind, for the tables that must be complete.
var Kinds = []Kind{Internal, Invalid, Declined, NotFound, Conflict, Unauthorized, Forbidden, MethodNotAllowed, TooLarge, Unavailable}

// Code is the literal that stands in the `error` field of an answer.
func (k Kind) Code() string {
	switch k {
	case Invalid, Declined:
		return "refusal"
	case NotFound:
		return "not_found"
	case Conflict:
		return "conflict"
	case Unauthorized:
		return "unauthorized"
	case Forbidden:
		return "forbidden"
	case MethodNotAllowed:
		return "method_not_allowed"
	case TooLarge:
		return "too_large"
	case Unavailable:
		return "unavailable"
	default:
		return "internal"
	}
}

// Reason is the `reason` of a refusal, empty for every other kind.
func (k Kind) Reason() string {
	switch k {
	case Invalid:
		return "invalid"
	case Declined:
		return "declined"
	default:
		return ""
	}
}

// KindOf is the inverse of Code and Reason: what a client reads back from an answer.
func KindOf(code, reason string) Kind {
	for _, k := range Kinds {
		if k.Code() == code && (k.Reason() == "" || k.Reason() == reason) {
			return k
		}
	}
	return Internal
}

// Error is what every layer returns. Message is a whole sentence without a final stop; Missing names each thing
// that stands in the way, in order; Hint says what to do.
type Error struct {
	Kind    Kind
	Message string
	Missing []string
	Hint    string
	cause   error
}

// Error is the message; the parts are for faces that can show them.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause, which is for logs and never for answers.
func (e *Error) Unwrap() error { return e.cause }

// WithHint returns the error with its hint set.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = sentence(format, args)
	return e
}

// AndHint gives a copy of the error whose hint says more; without more it is the error itself.
func (e *Error) AndHint(more ...string) *Error {
	if len(more) == 0 {
		return e
	}
	c := *e
	if c.Hint != "" {
		c.Hint += "; "
	}
	c.Hint += strings.Join(more, "; ")
	return &c
}

// WithMissing returns the error with what stands in the way appended.
func (e *Error) WithMissing(missing ...string) *Error {
	e.Missing = append(e.Missing, missing...)
	return e
}

// WithCause returns the error with the error behind it.
func (e *Error) WithCause(cause error) *Error {
	e.cause = cause
	return e
}

// New makes an error of a kind.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: sentence(format, args)}
}

// Bad makes an Invalid error: the input is faulty in itself.
func Bad(format string, args ...any) *Error { return New(Invalid, format, args...) }

// Decline makes a Declined error: state, policy or identity says no.
func Decline(format string, args ...any) *Error { return New(Declined, format, args...) }

// Missing makes a NotFound error.
func Missing(format string, args ...any) *Error { return New(NotFound, format, args...) }

// Stale makes a Conflict error.
func Stale(format string, args ...any) *Error { return New(Conflict, format, args...) }

// Unready makes an Unavailable error.
func Unready(format string, args ...any) *Error { return New(Unavailable, format, args...) }

// Of gives the Error in err's chain, or an Internal or Unavailable one around it. It is nil only for nil.
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

// Is tells whether err is of the kind.
func Is(err error, kind Kind) bool {
	return err != nil && Of(err).Kind == kind
}

func sentence(format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}
