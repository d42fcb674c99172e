package worktree

import "context"

// Scratch makes a work tree at path with the files of a commit, on no branch, for commands that only run there. Remove
// takes it away.
func (r *Repo) Scratch(ctx context.Context, path, commit string) error {
	return r.alone(ctx, func() error {
		if err := r.unfiltered(ctx, commit); err != nil {
			return err
		}
		_, err := r.git(ctx, r.Root, "worktree", "add", "--quiet", "--detach", "--force", "--", path, commit)
		return err
	})
}

// CommitWith returns a commit if the repository has it, or else the newest one with the files of a tree that a branch or the
// base has; "" if there is neither. Both may come from anywhere, and either may be "".
func (r *Repo) CommitWith(ctx context.Context, commit, tree, base string) (string, error) {
	if hash().MatchString(commit) {
		if is, _, err := r.existing(ctx, commit); err != nil || is != "" {
			return is, err
		}
	}
	if !hash().MatchString(tree) {
		return "", nil
	}
	same, err := r.withTree(ctx, tree, base)
	if err != nil || len(same) == 0 {
		return "", err
	}
	return same[0], nil
}
