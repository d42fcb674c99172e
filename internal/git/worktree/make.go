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

// Add makes a work tree at path with a branch checked out, creating the branch at commit if needed.
// It leaves an existing work tree on that branch as it is.
func (r *Repo) Add(ctx context.Context, path, branch, commit string) error {
	return r.alone(ctx, func() error { return r.add(ctx, path, branch, commit) })
}

func (r *Repo) add(ctx context.Context, path, branch, commit string) error {
	if err := r.unfiltered(ctx, commit); err != nil {
		return err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // usually everything is new, and git finds that out by itself
		_, err := r.git(ctx, r.Root, "worktree", "add", "--quiet", "--no-track", "-b", branch, "--", path, commit)
		if _, bad := os.Lstat(path); err == nil || !command.Refused(err) || bad == nil {
			return err
		}
	}
	if at, err := r.checkedOut(ctx, branch); err != nil || at != nil && same(at.Path, path) && !at.Gone {
		return err
	} else if at != nil && !at.Gone {
		return fault.Decline("the branch %s is checked out in %s", branch, at.Path).WithHint("switch to another branch there, or work there with --here")
	}
	if _, err := os.Lstat(path); err == nil {
		return fault.Decline("%s already exists, and is not a work tree of %s", path, branch).WithHint("move it away")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there, err := r.Commit(ctx, branch)
	if err != nil {
		return err
	}
	if err := r.unfiltered(ctx, there); err != nil {
		return err
	}
	args := []string{"worktree", "add", "--quiet", "--force", "--", path, branch} // force: the record of a deleted directory may name it
	if there == "" {
		args = []string{"worktree", "add", "--quiet", "--force", "--no-track", "-b", branch, "--", path, commit}
	}
	_, err = r.git(ctx, r.Root, args...)
	return err
}

// Remove removes a work tree that Add made, fully or partly, with everything in it. The caller has
// checked that nothing is lost.
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
	if _, err := command.Answered(r.git(ctx, r.Root, "worktree", "remove", "--force", "--force", "--", path)); err != nil {
		return err
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	return r.forget(path)
}

// forget removes git's record of a work tree whose directory is gone. Git's own prune would do so
// for every such directory, including one whose disk is just not mounted.
func (r *Repo) forget(path string) error {
	record, err := r.record(path)
	if err != nil || record == "" {
		return err
	}
	return os.RemoveAll(record)
}

// DropBranch deletes a branch if it still points to commit.
func (r *Repo) DropBranch(ctx context.Context, branch, commit string) error {
	_, err := command.Answered(r.git(ctx, r.Root, "update-ref", "-d", "refs/heads/"+branch, commit))
	return err
}

// Switch checks out a branch in a work tree, creating it at commit if needed. Git refuses if
// changes would be lost.
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
		return fault.Decline("%s cannot switch to %s: %s", path, branch, fault.Of(err).Message).WithHint("commit or stash the changes there")
	}
	return err
}

// same reports whether two paths are the same directory.
func same(a, b string) bool {
	x, bad := os.Stat(a)
	y, err := os.Stat(b)
	return filepath.Clean(a) == filepath.Clean(b) || bad == nil && err == nil && os.SameFile(x, y)
}
