package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/git/command"
)

// Seen is what a work tree holds, and how it compares with its base.
type Seen struct {
	Commit    string
	Branch    string   // empty if none is checked out
	Changed   []string // tracked files that differ from the commit, at most maxListed
	Untracked []string // files that git neither tracks nor ignores, at most maxListed; a directory ends in a slash
	Ignored   []string // files that git ignores, at most maxListed
	Nested    []string // repositories within it, whose files our commits cannot hold, and submodules with changes
	Ahead     int      // commits that the base lacks
	Behind    int      // commits of the base that it lacks
	Unpushed  int      // commits that no remote has, as far as known here; 0 without a remote
	Remote    bool     // the repository has a remote
	Landed    bool     // the base has everything in it: by commit, by change or by content
}

// Dirty reports whether it has uncommitted changes.
func (s Seen) Dirty() bool { return len(s.Changed)+len(s.Untracked)+len(s.Nested) > 0 }

// maxListed is how many files of each kind are listed.
const maxListed = 1000

// Look returns what a work tree holds. base is a commit, or "" to compare with nothing. It looks
// for ignored files only on request, because there may be many.
func (r *Repo) Look(ctx context.Context, path, base string, ignored bool) (s Seen, err error) {
	if err := r.status(ctx, path, nil, ignored, func(entry string) { s.read(path, entry) }); err != nil {
		return s, err
	}
	if s.Branch == detached { // no branch, or one of that name
		if s.Branch, err = command.Answered(r.line(ctx, path, "symbolic-ref", "--quiet", "--short", "HEAD")); err != nil {
			return s, err
		}
	}
	if s.Commit == "" {
		return s, nil
	}
	if base != "" {
		if err := r.compareBase(ctx, path, base, &s); err != nil {
			return s, err
		}
	}
	return s, r.unpushed(ctx, path, base, &s)
}

// head returns the commit that is checked out, or "" before the first.
func (r *Repo) head(ctx context.Context, path string) (string, error) {
	return command.Answered(r.line(ctx, path, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"))
}

// status calls read for each entry of git's report: what is checked out, and which files differ.
// Git reports both in one call.
func (r *Repo) status(ctx context.Context, path string, env []string, ignored bool, read func(entry string)) (err error) {
	out := r.reports[path] // from ChangedSince, for one use
	delete(r.reports, path)
	if out == "" || ignored || len(env) > 0 {
		args := []string{"--untracked-files=normal"}
		if ignored {
			args = append(args, "--ignored=matching")
		}
		if out, err = r.report(ctx, path, env, args...); err != nil {
			return err
		}
	}
	for entry := range strings.SplitSeq(out, "\x00") {
		read(entry)
	}
	return nil
}

// report returns git's report on a work tree.
func (r *Repo) report(ctx context.Context, path string, env []string, args ...string) (string, error) {
	return r.inTree(ctx, path, env, append([]string{
		"status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--no-renames", "--ignore-submodules=none",
	}, args...)...)
}

// read adds an entry of git's report on the work tree at path.
func (s *Seen) read(path, entry string) {
	switch {
	case strings.HasPrefix(entry, "? "):
		file := entry[2:]
		if holdsRepository(filepath.Join(path, filepath.FromSlash(file))) {
			s.Nested = listed(s.Nested, file)
		} else {
			s.Untracked = listed(s.Untracked, file)
		}
	case strings.HasPrefix(entry, "! "):
		s.Ignored = listed(s.Ignored, entry[2:])
	case strings.HasPrefix(entry, "# "):
		s.header(entry)
	case entry != "":
		s.change(entry)
	}
}

// detached is what git calls the branch when none is checked out.
const detached = "(detached)"

// header reads what is checked out: "# branch.oid COMMIT", where COMMIT is (initial) before the first, or "# branch.head
// BRANCH".
func (s *Seen) header(entry string) {
	if commit, ok := strings.CutPrefix(entry, "# branch.oid "); ok && commit != "(initial)" {
		s.Commit = commit
	}
	if branch, ok := strings.CutPrefix(entry, "# branch.head "); ok {
		s.Branch = branch
	}
}

// change adds a tracked file: "1 XY sub mH mI mW hH hI path", or "u XY sub m1 m2 m3 mW h1 h2 h3 path". sub is N... for a
// file, and S with what changed within for a submodule.
func (s *Seen) change(entry string) {
	parts := partsOf(entry)
	if len(parts) < 9 {
		return
	}
	file := parts[len(parts)-1]
	if sub := parts[2]; strings.HasPrefix(sub, "S") && strings.ContainsAny(sub[1:], "MU") {
		s.Nested = listed(s.Nested, file+"/")
		return
	}
	s.Changed = listed(s.Changed, file)
}

// partsOf returns the parts of an entry for a tracked file, the path last.
func partsOf(entry string) []string {
	if strings.HasPrefix(entry, "u ") {
		return strings.SplitN(entry, " ", 11)
	}
	return strings.SplitN(entry, " ", 9)
}

func listed(files []string, file string) []string {
	if len(files) == maxListed {
		return files
	}
	return append(files, file)
}

// holdsRepository reports whether an untracked directory is a repository of its own or contains
// one: git would store none of its files.
func holdsRepository(dir string) bool {
	if exists(filepath.Join(dir, ".git")) {
		return true
	}
	found, seen := false, 0
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if seen++; err != nil || seen > maxWalked {
			return filepath.SkipAll
		}
		if d.Name() == ".git" {
			found = true
			return filepath.SkipAll
		}
		return nil
	})
	return found || seen > maxWalked // too large to say, and what cannot be stored must not be lost
}

// maxWalked is how many files of an untracked directory are searched for a repository within.
const maxWalked = 50_000

// unpushed counts the commits that no remote has. There are none if the base is a remote's branch
// and has them all.
func (r *Repo) unpushed(ctx context.Context, path, base string, s *Seen) error {
	remote, err := r.Remote(ctx)
	if err != nil || remote == "" {
		return err
	}
	s.Remote = true
	if s.Ahead == 0 && strings.HasPrefix(base, "refs/remotes/") {
		return nil
	}
	if r.known.tip(s.Commit) != "" {
		s.Unpushed = len(r.known.without(s.Commit, r.known.remotes()...))
		return nil
	}
	out, err := r.line(ctx, path, "rev-list", "--count", s.Commit, "--not", "--remotes")
	if err != nil {
		return err
	}
	s.Unpushed, err = strconv.Atoi(out)
	return err
}

// compareBase compares what is checked out with a base.
func (r *Repo) compareBase(ctx context.Context, path, base string, s *Seen) (err error) {
	if r.based.Commit == s.Commit && r.based.Ref() == base { // when it was read
		s.Landed = true
		return nil
	}
	if s.Ahead, s.Behind, err = r.distance(ctx, path, s.Commit, base); err != nil {
		return err
	}
	if s.Landed = s.Ahead == 0; !s.Landed {
		s.Landed, err = r.Landed(ctx, s.Commit, base)
	}
	return err
}

// distance counts the commits that base lacks and the commits of base that one lacks.
func (r *Repo) distance(ctx context.Context, path, one, base string) (ahead, behind int, err error) {
	if one, base, ok := r.known.both(one, base); ok {
		return len(r.known.without(one, base)), len(r.known.without(base, one)), nil
	}
	out, err := r.line(ctx, path, "rev-list", "--left-right", "--count", base+"..."+one)
	if err == nil {
		_, err = fmt.Sscan(out, &behind, &ahead)
	}
	return ahead, behind, err
}

// Landed reports whether the base has everything that a commit has: the commit itself, the same
// changes in other commits (a rebase), or the same content (a squash), in which case merging it
// would change nothing.
func (r *Repo) Landed(ctx context.Context, commit, base string) (landed bool, err error) {
	if r.known == nil {
		return r.compare(ctx, commit, base)
	}
	pair := [2]string{commit, base}
	landed, ok := r.known.landed[pair]
	if !ok {
		if landed, ok = r.known.straight(commit, base); !ok {
			landed, err = r.compare(ctx, commit, base)
		}
		if err == nil {
			r.known.landed[pair] = landed
		}
	}
	return landed, err
}

// compare is Landed for two commits that are not known to contain each other. Usually the merge alone decides. The changes
// are compared one by one only if the base went on changing what a rebase brought there.
func (r *Repo) compare(ctx context.Context, commit, base string) (bool, error) {
	merged, err := r.git(ctx, r.Root, "merge-tree", "--write-tree", "--no-messages", "-z", "--end-of-options", base, commit)
	if err != nil && !command.Refused(err) {
		return false, err
	}
	if err == nil {
		_, tree, err := r.existing(ctx, base)
		if err != nil || strings.TrimRight(merged, "\x00\n") == tree {
			return err == nil, err
		}
	}
	if !r.known.mayBeRebased(commit, base) {
		return false, nil
	}
	out, err := r.line(ctx, r.Root, "rev-list", "--count", "--left-right", "--cherry-mark", "--no-merges", base+"..."+commit, "--")
	counts := strings.Split(out, "\t") // only in the base, only in the commit, in both
	return err == nil && len(counts) == 3 && counts[1] == "0", err
}

// Among returns the given files that a commit has.
func (r *Repo) Among(ctx context.Context, commit string, names []string) ([]string, error) {
	out, err := r.git(ctx, r.Root, append([]string{"ls-tree", "-z", "--name-only", "--full-tree", commit, "--"}, names...)...)
	return slices.DeleteFunc(strings.Split(out, "\x00"), func(name string) bool { return !slices.Contains(names, name) }), err
}

// Tracks reports whether git has a file of a work tree under version control.
func (r *Repo) Tracks(ctx context.Context, path, file string) (bool, error) {
	_, err := r.inTree(ctx, path, nil, "ls-files", "--error-unmatch", "--", ":(literal)"+filepath.ToSlash(file))
	return command.Agreed(err)
}
