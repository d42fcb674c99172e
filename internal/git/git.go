// Package git asks the git command about the repository that a directory is in. It changes nothing
// there: not the index, not the objects, not a ref.
package git

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/git/command"
	"tasker/internal/text/words"
)

// Repo is a work tree.
type Repo struct {
	top    string   // its root
	git    string   // its git directory
	common string   // the git directory that all its work trees share
	obj    string   // where its objects are
	format string   // of object names: sha1, sha256
	safe   []string // settings for reading files, as arguments of git
}

// Find returns the repository that a directory is in, or nil if there is none or git is not
// installed. It runs nothing that the repository names.
func Find(ctx context.Context, dir string) (*Repo, error) {
	out, err := command.Run(ctx, dir, nil, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir",
		"--git-path", "objects", "--show-object-format")
	if errors.Is(err, command.ErrMissing) || command.Refused(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if len(lines) != 5 {
		return nil, fault.New(fault.Internal, "git says %q about %s", out, dir)
	}
	r := &Repo{top: lines[0], git: lines[1], common: lines[2], obj: lines[3], format: lines[4]}
	r.safe, err = settings(ctx, dir)
	return r, err
}

// settings returns the repository's settings for reading files that run nothing.
func settings(ctx context.Context, dir string) ([]string, error) {
	out, err := command.Answered(command.Run(ctx, dir, nil, "config", "--null", "--get-regexp", // refused: none is set
		`^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat)$`))
	var args []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if key, value, ok := strings.Cut(entry, "\n"); ok {
			args = append(args, "-c", key+"="+value)
		}
	}
	return args, err
}

// State is what a work tree holds.
type State struct {
	Commit string // empty before the first
	Tree   string // of all files that are tracked or would be: with changes and new files, without ignored ones
	Dirty  bool   // the tree differs from the commit's
}

// State returns what the work tree holds now. New objects go to a temporary directory.
func (r *Repo) State(ctx context.Context) (State, error) {
	return r.state(ctx, func(func(...string) (string, error), string) error { return nil })
}

// Compare returns what the work tree holds now, and the first files in which it differs from each of the given trees. A
// tree that the repository does not have, because it was never committed, is not among the keys.
func (r *Repo) Compare(ctx context.Context, trees []string, limit int) (s State, differ map[string][]string, err error) {
	differ = map[string][]string{}
	s, err = r.state(ctx, func(git func(...string) (string, error), now string) error {
		for _, tree := range trees {
			name, _, _ := strings.Cut(tree, "+") // see mark
			if !treeName().MatchString(name) {
				continue
			}
			out, err := git("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", name, now)
			if command.Refused(err) {
				continue
			}
			if err != nil {
				return err
			}
			files := strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
			differ[tree] = files[:min(len(files), limit)]
		}
		return nil
	})
	return s, differ, err
}

// treeName matches the name of an object. A tree comes from a record, whose text could be read as an option.
var treeName = words.Pattern(`^[0-9a-f]{40,64}$`)

// state returns what the work tree holds now; then can ask git about its tree, which only the temporary directory has.
func (r *Repo) state(ctx context.Context, then func(git func(...string) (string, error), tree string) error) (State, error) {
	var s State
	head, err := command.Answered(command.Run(ctx, r.top, nil, "rev-parse", "HEAD^{commit}", "HEAD^{tree}")) // refused: before the first commit
	if err != nil {
		return s, err
	}
	commit, committed, _ := strings.Cut(strings.TrimSpace(head), "\n")
	s.Commit = commit
	err = r.apart(ctx, s.Commit, func(git func(...string) (string, error)) error {
		large, err := r.large(git)
		if err != nil {
			return err
		}
		but := words.Each(large, func(f file) string { return ":(exclude,literal,top)" + f.path })
		if _, err := git(append([]string{"add", "--all", "--", "."}, but...)...); err != nil {
			return err
		}
		tree, err := git("write-tree")
		if err != nil {
			return err
		}
		now := strings.TrimSpace(tree)
		s.Tree = now + mark(large)
		s.Dirty = s.Tree != committed
		return then(git, now)
	})
	return s, err
}

// TrackedTree returns the tree of the files that git tracks, as they are now: without new files.
func (r *Repo) TrackedTree(ctx context.Context) (tree string, err error) {
	err = r.apart(ctx, "", func(git func(...string) (string, error)) error {
		if _, err := git("add", "--update", "--", "."); err != nil {
			return err
		}
		out, err := git("write-tree")
		tree = strings.TrimSpace(out)
		return err
	})
	return tree, err
}

// Root returns the root of the work tree.
func (r *Repo) Root() string { return r.top }

// From returns a directory of the work tree from its root, with slashes; "." for the root. It returns "" for a directory
// elsewhere.
func (r *Repo) From(dir string) string {
	rel, err := filepath.Rel(resolved(r.top), resolved(dir))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// resolved returns a path without symbolic links, or as it is if it cannot be followed.
func resolved(path string) string {
	if direct, err := filepath.EvalSymlinks(path); err == nil {
		return direct
	}
	return path
}

// largeFile is the size from which a new file is identified by its size and time instead of its
// content: reading it would take longer than showing a task should.
const largeFile = 8 << 20

type file struct {
	path string
	info os.FileInfo
}

// large returns the new files that are too large to read.
func (r *Repo) large(git func(...string) (string, error)) ([]file, error) {
	out, err := git("ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	var found []file
	for path := range strings.SplitSeq(out, "\x00") {
		if info, err := os.Lstat(filepath.Join(r.top, path)); path != "" && err == nil && info.Size() >= largeFile {
			found = append(found, file{path, info})
		}
	}
	return found, nil
}

// mark distinguishes trees that differ only in their large files.
func mark(large []file) string {
	if len(large) == 0 {
		return ""
	}
	sum := sha256.New()
	for _, f := range large {
		_, _ = fmt.Fprintf(sum, "%q %d %d\n", f.path, f.info.Size(), f.info.ModTime().UnixNano())
	}
	return fmt.Sprintf("+%x", sum.Sum(nil)[:8])
}

// historyLimit is how many commits back History looks.
const historyLimit = "20000"

// maxTips is how many branches History reads next to what is checked out.
const maxTips = "--count=500"

// History returns a function that reports whether a tree belongs to a commit in the history of what is checked out or of a
// branch, local or remote.
func (r *Repo) History(ctx context.Context) (func(tree string) bool, error) {
	trees := map[string]bool{}
	has := func(tree string) bool { return trees[tree] }
	head, err := r.head(ctx)
	if err != nil {
		return has, err
	}
	branches, err := command.Answered(command.Run(ctx, r.top, nil, "for-each-ref", maxTips, "--sort=-committerdate", "--format=%(objectname)", "refs/heads", "refs/remotes"))
	tips := strings.Fields(head + " " + branches)
	if err != nil || len(tips) == 0 {
		return has, err
	}
	return has, r.apart(ctx, head, func(git func(...string) (string, error)) error {
		out, err := git(slices.Concat([]string{"log", "--format=%T", "-n", historyLimit}, tips, []string{"--"})...)
		for tree := range strings.FieldsSeq(out) {
			trees[tree] = true
		}
		return err
	})
}

// rootLength is how much of a commit's name tells it from others, as people write it.
const rootLength = 12

// Roots returns the first commits of the history of the checked-out commit, which every clone has too, abbreviated; none before
// the first commit. It follows first parents alone, which is quick, so that there is at most one. whole is false in a shallow
// clone, which does not have the beginning.
func (r *Repo) Roots(ctx context.Context) (roots []string, whole bool, err error) {
	if _, err := os.Stat(filepath.Join(r.common, "shallow")); err == nil {
		return nil, false, nil
	}
	head, err := r.head(ctx)
	if err != nil || head == "" {
		return nil, true, err
	}
	out, err := command.Run(ctx, r.top, nil, "rev-list", "--max-parents=0", "--first-parent", head, "--")
	return words.Each(strings.Fields(out), func(root string) string { return root[:min(len(root), rootLength)] }), true, err
}

// head returns the commit that is checked out, or "" before the first.
func (r *Repo) head(ctx context.Context) (string, error) {
	out, err := command.Answered(command.Run(ctx, r.top, nil, "rev-parse", "--verify", "--quiet", "HEAD"))
	return strings.TrimSpace(out), err
}

// Tracked reports whether a file of the work tree is in the index, and so in the next commit.
func (r *Repo) Tracked(ctx context.Context, path string) (tracked bool, err error) {
	err = r.apart(ctx, "", func(git func(...string) (string, error)) error {
		_, err := git("ls-files", "--error-unmatch", "--", path)
		tracked, err = command.Agreed(err)
		return err
	})
	return tracked, err
}
