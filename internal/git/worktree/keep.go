package worktree

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tasker/internal/fault"
)

// maxKept is how many refs one task can have: each is a forced close.
const maxKept = 10_000

// Keep stores what a work tree holds and no commit has, changes and untracked files, in a commit under
// refs/tasker/closed/<name>/<n>, and returns that ref. It touches neither the work tree, nor its index, nor its branch.
func (r *Repo) Keep(ctx context.Context, path, name string) (ref string, err error) {
	return r.keep(ctx, path, name, "")
}

// KeepMore is Keep for a work tree that is half removed: it returns "" where a commit has every file that is still there. An
// empty commit is the one that is checked out.
func (r *Repo) KeepMore(ctx context.Context, path, name, commit string) (ref string, err error) {
	return r.keep(ctx, path, name, cmp.Or(commit, "HEAD"))
}

func (r *Repo) keep(ctx context.Context, path, name, than string) (ref string, err error) {
	dir, err := os.MkdirTemp("", "tasker-keep-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	head, err := r.head(ctx, path)
	if err != nil {
		return "", err
	}
	parents := []string{}
	if head != "" {
		parents = []string{head}
		if _, err := r.gitWith(ctx, path, env, "read-tree", head); err != nil {
			return "", err
		}
	}
	if _, err := r.gitWith(ctx, path, env, "add", "--all", "--", "."); err != nil {
		return "", err
	}
	tree, err := r.gitWith(ctx, path, env, "write-tree")
	if err != nil {
		return "", err
	}
	if than != "" {
		more, err := r.gitWith(ctx, path, env, "diff-tree", "-r", "--name-only", "--no-renames", "--diff-filter=d", than, strings.TrimSpace(tree))
		if err != nil || more == "" {
			return "", err
		}
	}
	commit, err := r.commit(ctx, strings.TrimSpace(tree), "What "+name+" held when its workspace was closed by force", parents...)
	if err != nil {
		return "", err
	}
	return r.number(ctx, name, commit)
}

// number points the first free ref of a name to a commit.
func (r *Repo) number(ctx context.Context, name, commit string) (string, error) {
	prefix := "refs/tasker/closed/" + name + "/"
	out, err := r.git(ctx, r.Root, "for-each-ref", "--format=%(refname)", "--", prefix)
	if err != nil {
		return "", err
	}
	highest := 0
	for ref := range strings.FieldsSeq(out) {
		if n, err := strconv.Atoi(strings.TrimPrefix(ref, prefix)); err == nil {
			highest = max(highest, n)
		}
	}
	for n := highest + 1; n <= maxKept; n++ {
		ref := prefix + strconv.Itoa(n)
		if _, err = r.git(ctx, r.Root, "update-ref", ref, commit, strings.Repeat("0", len(commit))); err == nil {
			return ref, nil
		}
		if there, bad := r.resolve(ctx, ref); bad != nil || there == "" { // not because another took the number
			return "", err
		}
	}
	return "", fault.Decline("%s has %d closed workspaces stored under %s", name, maxKept, prefix).WithHint("delete some: git update-ref -d REF")
}
