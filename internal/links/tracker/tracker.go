// Package tracker is what the program needs of an issue tracker: its issues as values of the domain, page by page, and
// single values written back. Each tracker has a package of its own below this one.
package tracker

import (
	"context"
	"time"

	"tasker/internal/links/merge"
	"tasker/internal/site"
)

// Query selects issues.
type Query struct {
	Projects []string      // whose issues are wanted
	Within   time.Duration // changed no longer ago than this, by the tracker's clock; 0: all
}

// Tracker is an issue tracker.
type Tracker interface {
	// Site returns the address of the tracker.
	Site() string
	// Pages yields issues page by page, one request a page. An error means that some may be missing.
	Pages(ctx context.Context, q Query, yield func([]merge.Issue) error) error
	// Over notes an issue that is passed over because a credential of ours stands in it; Has tells of one, and Warnings name them.
	Over(ref string)
	Has(ref string) bool
	Warnings() []string
	// Issue returns one issue.
	Issue(ctx context.Context, ref string) (merge.Issue, error)
	// Write gives one field of an issue another value.
	Write(ctx context.Context, ref, field, value string) error
}

// Problem is why a tracker did not do what it was asked for.
type Problem = site.Problem

// ProblemOf returns the problem that an error is; any other error is one that may pass.
func ProblemOf(err error) *Problem { return site.ProblemOf(err) }
