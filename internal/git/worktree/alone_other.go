//go:build !unix

package worktree

import "context"

// alone runs fn: there are no locks here that end with their process.
func (r *Repo) alone(_ context.Context, fn func() error) error { return fn() }
