package worktree

import (
	"context"
	"os"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/git/command"
)

// honest makes git read the history as it was committed: replacements and grafts of a repository would give it another
// merge base, and a merge from there undoes the work of others.
var honest = []string{"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=" + os.DevNull}

// The bounds of a rebase; what is larger is merged.
const (
	maxRebased = 200
	maxMessage = 60_000
)

// Onto returns a commit on top of one that has everything of another, head, and its tree, made without touching a work
// tree. It is head itself where that is on top already, else the commits of head once more, one by one, else a merge: where
// they hold a merge themselves, or where one by one they would give other files than the merge of the whole. Where both
// sides changed the same lines, conflict lists the files and is not nil. The commit is onto where head has nothing new.
func (r *Repo) Onto(ctx context.Context, onto, head, message string) (commit, tree string, conflict []string, err error) {
	git := func(args ...string) (string, error) {
		out, err := r.gitWith(ctx, r.Root, honest, args...)
		return strings.TrimSpace(out), err
	}
	fork, err := command.Answered(git("merge-base", "--end-of-options", onto, head))
	switch {
	case err != nil:
		return "", "", nil, err
	case fork == "":
		return "", "", nil, fault.Decline("%s and %s have no commit in common", short(head), short(onto)).
			WithHint("fetch the whole history, or name the branch that the work forks from in branch.base")
	case fork == head:
		tree, err = git("rev-parse", "--verify", onto+"^{tree}")
		return onto, tree, nil, err
	case fork == onto:
		tree, err = git("rev-parse", "--verify", head+"^{tree}")
		return head, tree, nil, err
	}
	if tree, conflict, err = r.mergeTree(ctx, onto, head); err != nil || conflict != nil {
		return "", "", conflict, err
	}
	there, err := git("rev-parse", "--verify", onto+"^{tree}")
	if err != nil || there == tree {
		return onto, there, nil, err
	}
	if err := r.addsOnly(ctx, onto, tree, fork, head); err != nil {
		return "", "", nil, err
	}
	if commit, err = r.replay(ctx, onto, head, tree); err != nil || commit != "" {
		return commit, tree, nil, err
	}
	commit, err = r.commit(ctx, tree, message, onto, head)
	return commit, tree, nil, err
}

func short(commit string) string { return commit[:min(len(commit), 12)] }

// mergeTree merges two commits into a tree. conflict lists the files in which they conflict.
func (r *Repo) mergeTree(ctx context.Context, one, other string) (tree string, conflict []string, err error) {
	out, err := r.gitWith(ctx, r.Root, honest, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", "--end-of-options", one, other)
	tree, files, _ := strings.Cut(out, "\x00")
	if command.Exit(err) == 1 {
		names := strings.Split(strings.TrimRight(files, "\x00"), "\x00")
		return "", names[:min(len(names), maxConflicting)], nil
	}
	return strings.TrimSpace(tree), nil, err
}

// addsOnly declines a merge that changes on the base what head does not change: it would undo what others have landed.
func (r *Repo) addsOnly(ctx context.Context, onto, tree, fork, head string) error {
	names := func(from, to string) ([]string, error) {
		out, err := r.gitWith(ctx, r.Root, honest, append(between("--name-only", "-z"), from, to, "--")...)
		return strings.Split(strings.TrimRight(out, "\x00"), "\x00"), err
	}
	own, err := names(fork, head)
	if err != nil {
		return err
	}
	landed, err := names(onto, tree)
	if err != nil {
		return err
	}
	slices.Sort(own)
	undone := slices.DeleteFunc(landed, func(name string) bool {
		_, changed := slices.BinarySearch(own, name)
		return changed
	})
	if len(undone) == 0 {
		return nil
	}
	return fault.Decline("the merge of %s into %s would change files that the branch does not change, and so undo the work of others: %s",
		short(head), short(onto), strings.Join(undone[:min(len(undone), maxConflicting)], ", ")).
		WithHint("look at the history that both have: git merge-base %s %s", short(onto), short(head))
}

// replay makes the commits of head that onto lacks once more, on top of onto. It returns "" where that cannot be done, or
// does not end with the files of tree.
func (r *Repo) replay(ctx context.Context, onto, head, tree string) (string, error) {
	out, err := r.gitWith(ctx, r.Root, honest, "rev-list", "--reverse", "--topo-order", "--parents", "--end-of-options", onto+".."+head)
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) > maxRebased {
		return "", nil
	}
	tip, files := onto, ""
	for _, line := range lines {
		names := strings.Fields(line)
		if len(names) != 2 { // a merge, or a root
			return "", nil
		}
		if tip, files, err = r.again(ctx, tip, names[0], names[1]); err != nil || tip == "" {
			return "", err
		}
	}
	if files != tree {
		return "", nil
	}
	return tip, nil
}

// again makes a commit once more on top of another, with its author and message. It returns "" where that conflicts.
func (r *Repo) again(ctx context.Context, onto, commit, parent string) (made, tree string, err error) {
	// Git merges from the common commit of two: with a commit that has the files of onto and the parent of this one, that is
	// the parent.
	from := onto
	if parent != onto {
		if from, err = r.commit(ctx, onto+"^{tree}", "on top", parent); err != nil {
			return "", "", err
		}
	}
	tree, conflict, err := r.mergeTree(ctx, from, commit)
	if err != nil || conflict != nil {
		return "", "", err
	}
	out, err := r.gitWith(ctx, r.Root, honest, "log", "-1", "--encoding=UTF-8", "--format=%an%x00%ae%x00%ad%x00%B", "--date=raw", "--end-of-options", commit)
	part := strings.SplitN(out, "\x00", 4)
	if err != nil || len(part) < 4 || len(part[3]) > maxMessage || part[0] == "" {
		return "", "", err
	}
	env := append(r.identity(ctx), "GIT_AUTHOR_NAME="+part[0], "GIT_AUTHOR_EMAIL="+part[1], "GIT_AUTHOR_DATE="+part[2])
	out, err = r.gitWith(ctx, r.Root, append(env, honest...), "commit-tree", "--no-gpg-sign", tree, "-p", onto, "-m", strings.TrimRight(part[3], "\n"))
	return strings.TrimSpace(out), tree, err
}
