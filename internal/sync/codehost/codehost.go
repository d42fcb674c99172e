// Package codehost is what the program needs from a code host: its pull requests page by page, and
// the state of single commits and branches. Its client is in package forge.
package codehost

import (
	"context"

	"tasker/internal/task/merge"
)

// Query selects pull requests of a repository.
type Query struct {
	Repo  string // owner/name
	Since string // changed at or after this time of the code host's clock; empty: all
}

// Host is a code host.
type Host interface {
	// Site returns the address of the code host.
	Site() string
	// Requests yields pull requests page by page, with one HTTP request per page. An error means
	// that some may be missing.
	Requests(ctx context.Context, q Query, yield func([]merge.Request) error) error
	// Over records a pull request that is skipped because it contains one of our credentials.
	// Warnings lists them.
	Over(ref string)
	Warnings() []string
	// Request returns one pull request.
	Request(ctx context.Context, repo string, number int64) (merge.Request, error)
	// Messages returns the messages of the commits of a pull request.
	Messages(ctx context.Context, repo string, number int64) ([]string, error)
	// Checks returns the results of the checks of a commit.
	Checks(ctx context.Context, repo, commit string) (merge.Checks, error)
	// HasBranch reports whether a repository has a branch.
	HasBranch(ctx context.Context, repo, branch string) (bool, error)
}
