package worktree

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"tasker/internal/git/command"
)

// Found is where a commit is.
type Found struct {
	Commit string // that was found; empty for none
	Known  bool   // the repository has the commit, or one with the same files
	Landed bool   // the base has everything that it has
	Pushed bool   // a branch of a remote has it, as far as is known here
	Branch string // of this repository or of a remote that has it; empty for none
}

// hash is what can be the name of an object. It may come from anywhere.
var hash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`) })

// historyLimit is how many commits are looked through for one with certain files, and sameLimit how many of those count.
const (
	historyLimit = "20000"
	sameLimit    = 20
)

// Locate looks for a commit, or for one with the same files where it was rewritten or is "". base is a ref or a commit. Of
// several that have the files, one that has landed counts before one that was pushed, and that before others.
func (r *Repo) Locate(ctx context.Context, commit, tree, base string) (best Found, err error) {
	var commits []string
	if hash().MatchString(commit) {
		if commits, err = r.existing(ctx, commit); err != nil {
			return best, err
		}
	}
	for i, c := range commits {
		if best, err = r.found(ctx, c, base); err != nil || best.Landed {
			return best, err
		}
		if tree == "" && i == 0 {
			if tree, err = r.line(ctx, r.Root, "rev-parse", "--verify", c+"^{tree}"); err != nil {
				return best, err
			}
		}
	}
	if !hash().MatchString(tree) {
		return best, nil
	}
	same, err := r.withTree(ctx, tree, base)
	if err != nil {
		return best, err
	}
	for _, c := range same {
		f, err := r.found(ctx, c, base)
		if err != nil || f.Landed {
			return f, err
		}
		if !best.Known || best.Branch == "" || f.Pushed && !best.Pushed {
			best = f
		}
	}
	return best, nil
}

// existing returns a commit where the repository has it.
func (r *Repo) existing(ctx context.Context, commit string) ([]string, error) {
	there, err := r.resolve(ctx, commit)
	if err != nil || there == "" {
		return nil, err
	}
	return []string{there}, nil
}

// withTree returns commits of branches and of the base that have exactly these files, the newest first.
func (r *Repo) withTree(ctx context.Context, tree, base string) ([]string, error) {
	out, err := r.git(ctx, r.Root, "log", "--format=%T %H", "-n", historyLimit, "--branches", "--remotes", base, "--")
	if err != nil {
		return nil, err
	}
	var commits []string
	for line := range strings.SplitSeq(out, "\n") {
		if has, commit, ok := strings.Cut(line, " "); ok && has == tree && len(commits) < sameLimit {
			commits = append(commits, commit)
		}
	}
	return commits, nil
}

// found tells where a commit is that the repository has.
func (r *Repo) found(ctx context.Context, commit, base string) (f Found, err error) {
	f = Found{Commit: commit, Known: true}
	if f.Landed, err = r.Landed(ctx, commit, base); err != nil {
		return f, err
	}
	here, err := r.holder(ctx, commit, "refs/heads")
	if err != nil {
		return f, err
	}
	there, err := r.holder(ctx, commit, "refs/remotes")
	if err != nil {
		return f, err
	}
	f.Pushed = there != ""
	if f.Branch = here; f.Pushed {
		f.Branch = there
	}
	return f, nil
}

// holder returns the first branch below a prefix that has a commit in its history, "" for none.
func (r *Repo) holder(ctx context.Context, commit, prefix string) (string, error) {
	out, err := r.line(ctx, r.Root, "for-each-ref", "--count=1", "--format=%(refname:lstrip=2)", "--contains", commit, prefix)
	if command.Refused(err) {
		return "", nil
	}
	return out, err
}

// Several reports whether the repository has work trees beside its main one.
func (r *Repo) Several() bool {
	records, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	return err == nil && len(records) > 0
}
