package worktree

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tasker/internal/git/command"
	"tasker/internal/text/words"
)

// Found says where a commit is.
type Found struct {
	Commit string // the one found; empty for none
	Known  bool   // the repository has the commit, or one with the same files
	Landed bool   // the base has everything in it
	Pushed bool   // a branch of a remote has it, as far as is known here
	Branch string // one that has it, a remote one if there is any: the sought one, else the first by name; empty for none
	Count  int    // how many branches of that sort have it
}

// hash matches object names. The string may come from anywhere.
var hash = words.Pattern(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// historyLimit is how many commits withTree searches for certain files, and sameLimit how many
// matches count.
const (
	historyLimit = 20_000
	sameLimit    = 20
)

// Sought is a commit to look for, or its files if it may have been rewritten.
type Sought struct {
	Commit string // may be ""
	Tree   string // its files; "" for the commit's own
	Base   string // a ref or a commit
	Branch string // named first among those that have it; may be ""
	Landed *bool  // whether the base has everything that the commit has, if already known
}

// Locate looks for a commit, or for one with the same files if it was rewritten or is "". Of
// several with the same files it prefers one that has landed, then one that was pushed.
func (r *Repo) Locate(ctx context.Context, s Sought) (best Found, err error) {
	if s.Landed != nil && *s.Landed {
		return r.found(ctx, s.Commit, s, s.Landed)
	}
	if hash().MatchString(s.Commit) {
		commit, tree, err := r.existing(ctx, s.Commit)
		if err != nil {
			return best, err
		}
		if commit != "" {
			if best, err = r.found(ctx, commit, s, s.Landed); err != nil || best.Landed {
				return best, err
			}
			s.Tree = cmp.Or(s.Tree, tree)
		}
	}
	if !hash().MatchString(s.Tree) {
		return best, nil
	}
	same, err := r.withTree(ctx, s.Tree, s.Base)
	if err != nil {
		return best, err
	}
	for _, c := range same {
		if c == best.Commit {
			continue
		}
		f, err := r.found(ctx, c, s, nil)
		if err != nil || f.Landed {
			return f, err
		}
		if !best.Known || best.Branch == "" || f.Pushed && !best.Pushed {
			best = f
		}
	}
	return best, nil
}

// existing returns a commit and its tree if the repository has it.
func (r *Repo) existing(ctx context.Context, commit string) (is, tree string, err error) {
	if is = r.known.tip(commit); is != "" {
		return is, r.known.commits[is].tree, nil
	}
	out, err := command.Answered(r.line(ctx, r.Root, "rev-parse", "--quiet", commit+"^{commit}", commit+"^{tree}"))
	is, tree, _ = strings.Cut(out, "\n")
	return is, tree, err
}

// withTree returns commits of the branches and the base that have exactly these files, newest
// first.
func (r *Repo) withTree(ctx context.Context, tree, base string) ([]string, error) {
	if r.known.tip(base) != "" {
		return r.known.withTree(tree), nil
	}
	out, err := r.git(ctx, r.Root, "log", "--format=%T %H", "-n", strconv.Itoa(historyLimit), "--branches", "--remotes", base, "--")
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

// found says where a commit of this repository is. landed is nil if unknown.
func (r *Repo) found(ctx context.Context, commit string, s Sought, landed *bool) (f Found, err error) {
	f = Found{Commit: commit, Known: true}
	if landed != nil {
		f.Landed = *landed
	} else if f.Landed, err = r.Landed(ctx, commit, s.Base); err != nil {
		return f, err
	}
	refs, err := r.containing(ctx, commit)
	if err != nil {
		return f, err
	}
	var here, there []string // sorted by name
	for _, ref := range refs {
		if name, ok := strings.CutPrefix(ref, "refs/remotes/"); ok && !strings.HasSuffix(name, "/HEAD") {
			there = append(there, name)
		} else if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			here = append(here, name)
		}
	}
	f.Pushed = len(there) > 0
	names := here
	if f.Pushed {
		names = there
	}
	if f.Count = len(names); f.Count > 0 {
		f.Branch = names[0]
	}
	for _, name := range names {
		if s.Branch != "" && (name == s.Branch || f.Pushed && strings.HasSuffix(name, "/"+s.Branch)) {
			f.Branch = name
			break
		}
	}
	return f, nil
}

// containing returns the full names of the branches, local and remote, that have a commit.
func (r *Repo) containing(ctx context.Context, commit string) ([]string, error) {
	if is := r.known.tip(commit); is != "" {
		return r.known.containing(is), nil
	}
	out, err := command.Answered(r.git(ctx, r.Root, "for-each-ref", "--format=%(refname)", "--contains", commit, "refs/heads", "refs/remotes"))
	return strings.Split(out, "\n"), err
}

// Several reports whether the repository has more than its main work tree.
func (r *Repo) Several() bool {
	records, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	return err == nil && len(records) > 0
}
