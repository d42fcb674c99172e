package worktree

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"tasker/internal/fault"
	"tasker/internal/git/command"
)

// Add makes a work tree at path with a branch checked out, and the branch at commit where there is none yet. It reports
// whether it made the branch. A work tree that is there already, on that branch, is left as it is.
func (r *Repo) Add(ctx context.Context, path, branch, commit string) (made bool, err error) {
	err = r.alone(ctx, func() error {
		made, err = r.add(ctx, path, branch, commit)
		return err
	})
	return made, err
}

func (r *Repo) add(ctx context.Context, path, branch, commit string) (made bool, err error) {
	if err := r.unfiltered(ctx, commit); err != nil {
		return false, err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // most often all is new, which git finds out by itself
		_, err := r.git(ctx, r.Root, "worktree", "add", "--quiet", "--no-track", "-b", branch, "--", path, commit)
		if _, bad := os.Lstat(path); err == nil || !command.Refused(err) || bad == nil {
			return true, err
		}
	}
	if at, err := r.checkedOut(ctx, branch); err != nil || at != nil && same(at.Path, path) && !at.Gone {
		return false, err
	} else if at != nil && !at.Gone {
		return false, fault.Decline("the branch %s is checked out in %s", branch, at.Path).WithHint("switch to another branch there, or work there with --here")
	}
	if _, err := os.Lstat(path); err == nil {
		return false, fault.Decline("%s is there already, and is not a work tree of %s", path, branch).WithHint("move it away")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	there, err := r.Commit(ctx, branch)
	if err != nil {
		return false, err
	}
	if err := r.unfiltered(ctx, there); err != nil {
		return false, err
	}
	args := []string{"worktree", "add", "--quiet", "--force", "--", path, branch} // force: a record of a directory that is gone may name it
	if there == "" {
		args = []string{"worktree", "add", "--quiet", "--force", "--no-track", "-b", branch, "--", path, commit}
	}
	_, err = r.git(ctx, r.Root, args...)
	return there == "", err
}

// Remove removes a work tree that Add made, whole or half, with all that is in it. Whoever calls it has looked before.
func (r *Repo) Remove(ctx context.Context, path string) error {
	return r.alone(ctx, func() error { return r.remove(ctx, path) })
}

func (r *Repo) remove(ctx context.Context, path string) error {
	record, err := r.record(path)
	if err != nil {
		return err
	}
	if hides(record) {
		if err := r.unhide(ctx, record); err != nil {
			return err
		}
	}
	if _, err := answered(r.git(ctx, r.Root, "worktree", "remove", "--force", "--force", "--", path)); err != nil {
		return err
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return r.forget(path)
}

// forget removes what git has written down of a work tree whose directory is gone. Git's own prune would do so for every
// such directory, also for one whose disk is only not mounted.
func (r *Repo) forget(path string) error {
	record, err := r.record(path)
	if err != nil || record == "" {
		return err
	}
	return os.RemoveAll(record)
}

// DropBranch deletes a branch that still points to commit, and leaves one that has moved on.
func (r *Repo) DropBranch(ctx context.Context, branch, commit string) error {
	_, err := answered(r.git(ctx, r.Root, "update-ref", "-d", "refs/heads/"+branch, commit))
	return err
}

// Switch checks a branch out in a work tree, and makes it at commit where there is none. Git refuses where changes would
// be lost by it.
func (r *Repo) Switch(ctx context.Context, path, branch, commit string) error {
	there, err := r.Commit(ctx, branch)
	if err != nil {
		return err
	}
	if err := r.unfiltered(ctx, cmp.Or(there, commit)); err != nil {
		return err
	}
	args := []string{"switch", "--quiet", "--no-guess", "--end-of-options", branch}
	if there == "" {
		args = []string{"switch", "--quiet", "--no-track", "-c", branch, commit}
	}
	_, err = r.inTree(ctx, path, nil, args...)
	if command.Refused(err) {
		return fault.Decline("%s cannot switch to %s: %s", path, branch, fault.Of(err).Message).WithHint("commit or put away what changed there")
	}
	return err
}

// same reports whether two paths are one directory.
func same(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
