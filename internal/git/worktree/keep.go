package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tasker/internal/fault"
)

// maxKept is how many refs one task can have; each forced close adds one.
const maxKept = 10_000

// Keep stores what a work tree holds and no commit has, changes and untracked files, in a commit
// under refs/tasker/closed/<name>/<n>, and returns that ref. It does not touch the work tree, its
// index or its branch.
func (r *Repo) Keep(ctx context.Context, path, name string) (ref string, err error) {
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
		if _, err := r.inTree(ctx, path, env, "read-tree", head); err != nil {
			return "", err
		}
	}
	if _, err := r.inTree(ctx, path, env, "add", "--all", "--", "."); err != nil {
		return "", err
	}
	return r.store(ctx, path, env, name, parents...)
}

// store commits the index that env names, under the next ref of a name.
func (r *Repo) store(ctx context.Context, path string, env []string, name string, parents ...string) (string, error) {
	tree, err := r.inTree(ctx, path, env, "write-tree")
	if err != nil {
		return "", err
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
		if there, bad := r.resolve(ctx, ref); bad != nil || there == "" { // failed for another reason than a taken number
			return "", err
		}
	}
	return "", fault.Decline("%s has %d closed workspaces stored under %s", name, maxKept, prefix).WithHint("delete some: git update-ref -d REF")
}
