//go:build !unix

package worktree

import "context"

// alone just runs fn: this system has no locks that end with their process.
func (r *Repo) alone(_ context.Context, fn func() error) error { return fn() }
