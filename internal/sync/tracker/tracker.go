// Package tracker is what the program needs from an issue tracker: its issues as values of the
// domain, page by page, and writing single values. Each tracker has its own package in
// internal/links.
package tracker

import (
	"context"
	"time"

	"tasker/internal/task/merge"
)

// Query selects issues.
type Query struct {
	Projects []string      // only issues of these
	Within   time.Duration // changed within this time, by the tracker's clock; 0: all
}

// Tracker is an issue tracker.
type Tracker interface {
	// Site returns the address of the tracker.
	Site() string
	// Pages yields issues page by page, with one request per page. An error means that some may be
	// missing.
	Pages(ctx context.Context, q Query, yield func([]merge.Issue) error) error
	// Over records an issue that is skipped because it contains one of our credentials. Has reports
	// on one of them, and Warnings lists them.
	Over(ref string)
	Has(ref string) bool
	Warnings() []string
	// Issue returns one issue.
	Issue(ctx context.Context, ref string) (merge.Issue, error)
	// Write sets one field of an issue.
	Write(ctx context.Context, ref, field, value string) error
}
