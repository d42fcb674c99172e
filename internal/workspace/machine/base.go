package machine

import (
	"context"
	"path/filepath"

	"tasker/internal/git/worktree"
)

// AtBase is a file as the base of its repository has it.
type AtBase struct {
	Base  worktree.Base
	Text  []byte
	Found bool // the base has the file
}

// FileAtBase returns a file as the base has it: the branch that is configured, else the remote's default, else the one that
// is checked out in the main work tree. It asks no remote. It returns nil if the file is in no repository.
func FileAtBase(ctx context.Context, file, configured string) (*AtBase, error) {
	repo, err := worktree.Find(ctx, filepath.Dir(file))
	if err != nil || repo == nil {
		return nil, err
	}
	at := &AtBase{}
	if at.Base, err = repo.BaseKnown(ctx, configured); err != nil {
		return nil, err
	}
	at.Text, at.Found, err = repo.FileAt(ctx, at.Base.Commit, file)
	return at, err
}
