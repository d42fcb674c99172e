package app

import (
	"context"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/telemetry"
	"tasker/internal/text/words"
)

// claims counts the claims that are made and given back, once they are committed.
type claims struct {
	total *telemetry.Counters // by outcome; nil: not counted
}

func (c *claims) observe(_ context.Context, write bool) store.Observed {
	if !write || c.total == nil {
		return store.Observed{}
	}
	return store.Observed{Ended: func(n store.Claims, err error) {
		if err == nil {
			c.total.Of("made").Add(n.Made)
			c.total.Of("released").Add(n.Released)
		}
	}}
}

// The spans of a request's database work: a turn from the request for it to its commit, or a snapshot, and within either
// the statements that an operation sends.
const (
	spanTurn       = "turn"
	spanSnapshot   = "snapshot"
	spanStatements = "statements"
)

// traced records the spans of a transaction if the request is traced.
func traced(ctx context.Context, write bool) store.Observed {
	span := telemetry.ChildSpan(ctx)
	if span == nil {
		return store.Observed{}
	}
	name := words.Either(write, spanTurn, spanSnapshot)
	return store.Observed{
		During: func(c db.Conn, run func() error) error {
			within, before := span.Child(), *c.Stats()
			err := run()
			endSpan(within, spanStatements, err,
				telemetry.CountAttribute("tasker.statements", c.Stats().Statements-before.Statements), telemetry.CountAttribute("tasker.rows", c.Stats().Rows-before.Rows))
			return err
		},
		Ended: func(_ store.Claims, err error) { endSpan(span, name, err) },
	}
}

func endSpan(s *telemetry.Span, name string, err error, about ...telemetry.Attribute) {
	s.End(name, fault.Is(err, fault.Internal) || fault.Is(err, fault.Unavailable), about...)
}
