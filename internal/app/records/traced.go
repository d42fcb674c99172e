package records

import (
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/telemetry/traces"
)

// The spans of a request's work in the database: a turn from when it is asked for until it is committed, or a snapshot, and
// within either the statements that an operation sends.
const (
	spanTurn       = "turn"
	spanSnapshot   = "snapshot"
	spanStatements = "statements"
)

// ended ends a span, where there is one.
func ended(s *traces.Span, name string, err error, about ...traces.Attribute) {
	s.End(name, fault.Is(err, fault.Internal) || fault.Is(err, fault.Unavailable), about...)
}

// counted runs fn, and tells a span within another what it sent.
func counted(within *traces.Span, c db.Conn, fn func() error) error {
	if within == nil {
		return fn()
	}
	span, before := within.Child(), *c.Stats()
	err := fn()
	ended(span, spanStatements, err,
		traces.Count("tasker.statements", c.Stats().Statements-before.Statements), traces.Count("tasker.rows", c.Stats().Rows-before.Rows))
	return err
}
