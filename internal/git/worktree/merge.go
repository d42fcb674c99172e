package worktree

import (
	"context"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/git/command"
)

// maxConflicting is how many files of a conflict are listed.
const maxConflicting = 20

// Merged returns a commit that contains two others, made without touching a work tree. If only one
// of the two has anything new, it returns that one. If both sides changed the same lines, conflict
// lists the files, is not nil, and the commit is from.
func (r *Repo) Merged(ctx context.Context, from, theirs, message string) (commit string, conflict []string, err error) {
	if has, err := r.Has(ctx, from, theirs); err != nil || has {
		return from, nil, err
	}
	if has, err := r.Has(ctx, theirs, from); err != nil || has {
		return theirs, nil, err
	}
	out, err := r.git(ctx, r.Root, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", "--end-of-options", from, theirs)
	tree, files, _ := strings.Cut(out, "\x00")
	if command.Exit(err) == 1 {
		names := strings.Split(strings.TrimRight(files, "\x00"), "\x00")
		return from, names[:min(len(names), maxConflicting)], nil
	}
	if err != nil {
		return from, nil, err
	}
	commit, err = r.commit(ctx, tree, message, from, theirs)
	return commit, nil, err
}

// Has reports whether one commit is in the history of another.
func (r *Repo) Has(ctx context.Context, commit, ancestor string) (bool, error) {
	_, err := r.git(ctx, r.Root, "merge-base", "--is-ancestor", "--end-of-options", ancestor, commit)
	if command.Exit(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// commit makes a commit from a tree.
func (r *Repo) commit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", "--no-gpg-sign", tree, "-m", message}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	out, err := r.gitWith(ctx, r.Root, r.identity(ctx), args...)
	return strings.TrimSpace(out), err
}

// identity returns an author for users who have not told git theirs: our commits must not fail for
// that.
func (r *Repo) identity(ctx context.Context) []string {
	if _, err := r.git(ctx, r.Root, "var", "GIT_COMMITTER_IDENT"); err == nil {
		return nil
	}
	return []string{"GIT_AUTHOR_NAME=tasker", "GIT_AUTHOR_EMAIL=tasker@localhost", "GIT_COMMITTER_NAME=tasker", "GIT_COMMITTER_EMAIL=tasker@localhost"}
}

// Forward moves the branch of a work tree, and its files, to a commit that has it in its history.
// Git refuses if changes would be lost.
func (r *Repo) Forward(ctx context.Context, path, commit string) error {
	if err := r.unfiltered(ctx, commit); err != nil {
		return err
	}
	_, err := r.inTree(ctx, path, nil, "merge", "--quiet", "--ff-only", "--no-verify-signatures", "--", commit)
	if command.Refused(err) {
		return fault.Decline("%s cannot be brought up to date: %s", path, fault.Of(err).Message).WithHint("commit what changed there, and try again")
	}
	return err
}
