// Package codehost is what the program needs of a code host: its pull requests page by page, and what is known of single
// commits and branches. The clients have packages of their own below this one.
package codehost

import (
	"context"

	"tasker/internal/links/merge"
)

// Query selects pull requests of a repository.
type Query struct {
	Repo  string // owner/name
	Since string // changed at this moment of the code host's clock, or later; empty: all
}

// Host is a code host.
type Host interface {
	// Site returns the address of the code host.
	Site() string
	// Requests yields pull requests page by page, one request a page. An error means that some may be missing.
	Requests(ctx context.Context, q Query, yield func([]merge.Request) error) error
	// Over notes a request that is passed over because a credential of ours stands in it, and Warnings name those.
	Over(ref string)
	Warnings() []string
	// Request returns one pull request.
	Request(ctx context.Context, repo string, number int64) (merge.Request, error)
	// Messages returns the messages of the commits of a pull request.
	Messages(ctx context.Context, repo string, number int64) ([]string, error)
	// Checks returns how the checks of a commit ended.
	Checks(ctx context.Context, repo, commit string) (merge.Checks, error)
	// HasBranch reports whether a repository has a branch.
	HasBranch(ctx context.Context, repo, branch string) (bool, error)
}
