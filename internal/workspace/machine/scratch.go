package machine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"tasker/internal/fault"
	"tasker/internal/git/worktree"
)

// Scratch is a place for work trees that exist only while something runs in them. It is locked while it is used, so that the
// next one on this machine removes what a killed process left.
type Scratch struct {
	Base worktree.Base // of the repository

	repo    *worktree.Repo
	path    string // of the one work tree at a time
	release func()
}

// maxScratch is how many processes may use work trees of one repository for a while at once.
const maxScratch = 64

// NewScratch takes a free place for work trees of the repository that a directory is in, below the directory in which this
// machine keeps what it remembers, and removes what killed processes left in the others. base is the branch that is
// configured. It returns nil outside a repository.
func NewScratch(ctx context.Context, state, dir, base string) (*Scratch, error) {
	repo, err := worktree.Find(ctx, dir)
	if err != nil || repo == nil {
		return nil, err
	}
	s := &Scratch{repo: repo}
	if s.Base, err = repo.BaseKnown(ctx, base); err != nil {
		return nil, err
	}
	all := filepath.Join(state, "scratch", fmt.Sprintf("%.8x", sha256.Sum256([]byte(repo.Root))))
	if err := os.MkdirAll(all, 0o700); err != nil {
		return nil, err
	}
	for n := range maxScratch {
		path := filepath.Join(all, strconv.Itoa(n))
		if s.release != nil && !exists(path) {
			continue
		}
		release, err := lock(path+".lock", "what runs in "+path)
		if fault.Is(err, fault.Unavailable) {
			continue // somebody uses it
		}
		if err == nil && exists(path) {
			err = repo.Remove(ctx, path)
		}
		switch {
		case err != nil:
			if release != nil {
				release()
			}
			s.Close()
			return nil, err
		case s.release == nil:
			s.path, s.release = path, release
		default:
			release()
		}
	}
	if s.release == nil {
		return nil, fault.Unready("%d processes use work trees of %s for a while already", maxScratch, repo.Root).WithHint("try again")
	}
	return s, nil
}

// Find returns the commit that a run was made on: the named one, or else one with the same files; "" if none is here.
func (s *Scratch) Find(ctx context.Context, commit, tree string) (string, error) {
	return s.repo.CommitWith(ctx, commit, tree, s.Base.Ref())
}

// In calls fn with a work tree that has the files of a commit, and removes it afterwards.
func (s *Scratch) In(ctx context.Context, commit string, fn func(root string) error) (err error) {
	defer func() {
		if exists(s.path) {
			err = errors.Join(err, s.repo.Remove(context.WithoutCancel(ctx), s.path))
		}
	}()
	if err := s.repo.Scratch(ctx, s.path, commit); err != nil {
		return err
	}
	return fn(s.path)
}

// Close gives the place back.
func (s *Scratch) Close() {
	if s.release != nil {
		s.release()
	}
}
