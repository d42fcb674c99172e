package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/git/command"
)

// Repo is a repository with its work trees. One goroutine uses it at a time.
type Repo struct {
	Root   string // the main work tree, or the directory of a bare repository
	common string // the git directory that all work trees share
	door   command.Git

	// These answers are cached until the command ends: each call of git costs as much as a small
	// work tree.
	remote *string // see Remote
	based  Base    // see Base
	within map[string]command.Own
	known  *history // see Survey

	reports map[string]string // of work trees, by path, for the next Look; see ChangedSince
}

// Find returns the repository that a directory is in, or nil if there is none or git is not
// installed.
func Find(ctx context.Context, dir string) (r *Repo, err error) {
	r = &Repo{door: command.Git{Without: command.Elsewhere}, within: map[string]command.Own{}, reports: map[string]string{}}
	if r.common = command.Shared(dir); r.common == "" {
		r.common, err = r.line(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	}
	if errors.Is(err, command.ErrMissing) || command.Refused(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if r.door.Own, err = r.door.Inspect(ctx, r.common, r.common); err != nil {
		return nil, err
	}
	r.Root, err = r.main(ctx)
	return r, err
}

// main returns the main work tree: the parent of the git directory, or what its configuration names
// (for a submodule), or the git directory itself if the repository is bare.
func (r *Repo) main(ctx context.Context) (string, error) {
	if filepath.Base(r.common) == ".git" {
		return filepath.Dir(r.common), nil
	}
	named, err := command.Answered(r.line(ctx, r.common, "config", "--get", "core.worktree"))
	if filepath.IsAbs(named) {
		return named, err
	}
	return filepath.Join(r.common, named), err
}

// Refused reports whether git ran and exited with an error, as it does in a broken directory.
func Refused(err error) bool { return command.Refused(err) }

func (r *Repo) git(ctx context.Context, dir string, args ...string) (string, error) {
	return r.gitWith(ctx, dir, nil, args...)
}

// gitWith runs git in a directory with further variables.
func (r *Repo) gitWith(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	return r.door.Run(ctx, dir, env, args...)
}

// inTree runs git in a work tree for commands that look at its files or change them. For these the
// configurations of the work tree and of its submodules count too.
func (r *Repo) inTree(ctx context.Context, path string, env []string, args ...string) (out string, err error) {
	door := r.door
	if door.Own, err = r.ownWithin(ctx, path); err != nil {
		return "", err
	}
	return door.Run(ctx, path, env, args...)
}

// ownWithin returns the programs that the configurations of a work tree and its submodules would
// run.
func (r *Repo) ownWithin(ctx context.Context, path string) (own command.Own, err error) {
	own, ok := r.within[path]
	if ok {
		return own, nil
	}
	if own, err = r.door.Within(ctx, path); err == nil {
		r.within[path] = own
	}
	return own, err
}

// line runs git for an answer of one line.
func (r *Repo) line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := r.git(ctx, dir, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// Tree is one work tree of a repository.
type Tree struct {
	Path   string
	Branch string // without refs/heads/; empty if none is checked out
	Gone   bool   // its directory no longer exists
}

// Trees returns the work trees of the repository, the main one first.
func (r *Repo) Trees(ctx context.Context) (trees []Tree, err error) {
	err = r.alone(ctx, func() error {
		trees, err = r.trees(ctx)
		return err
	})
	return trees, err
}

// trees is Trees for callers that hold the lock of alone.
func (r *Repo) trees(ctx context.Context) ([]Tree, error) {
	out, err := r.git(ctx, r.Root, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	var trees []Tree
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00\x00"), "\x00\x00") {
		var t Tree
		for line := range strings.SplitSeq(entry, "\x00") {
			key, value, _ := strings.Cut(line, " ")
			switch key {
			case "worktree":
				t.Path = filepath.FromSlash(value)
			case "branch":
				t.Branch = strings.TrimPrefix(value, "refs/heads/")
			case "prunable":
				t.Gone = true
			}
		}
		trees = append(trees, t)
	}
	if len(trees) == 0 || trees[0].Path == "" {
		return nil, fault.New(fault.Internal, "git lists no work tree of %s", r.Root)
	}
	return trees, nil
}

// CheckedOut returns the work tree that has a branch checked out, or nil.
func (r *Repo) CheckedOut(ctx context.Context, branch string) (tree *Tree, err error) {
	err = r.alone(ctx, func() error {
		tree, err = r.checkedOut(ctx, branch)
		return err
	})
	return tree, err
}

func (r *Repo) checkedOut(ctx context.Context, branch string) (*Tree, error) {
	trees, err := r.trees(ctx)
	if i := slices.IndexFunc(trees, func(t Tree) bool { return t.Branch == branch }); i >= 0 {
		return &trees[i], err
	}
	return nil, err
}

// Branch returns the commit that a branch of the repository points to, or "" if there is no such
// branch. inUse reports whether a work tree has it checked out, even one whose directory is gone.
func (r *Repo) Branch(ctx context.Context, name string) (commit string, inUse bool, err error) {
	ref := "refs/heads/" + name
	out, err := r.line(ctx, r.Root, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(worktreepath)", "--", ref)
	if err != nil {
		return "", false, err
	}
	for line := range strings.SplitSeq(out, "\n") { // the pattern also matches names below this one
		if part := strings.SplitN(line, "\x00", 3); len(part) == 3 && part[0] == ref {
			return part[1], part[2] != "", nil
		}
	}
	return "", false, nil
}

// Commit returns the commit that a branch of the repository points to, or "" if there is no such
// branch.
func (r *Repo) Commit(ctx context.Context, branch string) (string, error) {
	return r.resolve(ctx, "refs/heads/"+branch)
}

// symbolic returns the full name of the ref that a symbolic ref points to, or "" if it is not
// symbolic. It reads the files of the refs, and asks git if refs are stored in another format.
func (r *Repo) symbolic(ctx context.Context, name string) (string, error) {
	ref := name
	for range maxLinks {
		path := filepath.Join(r.common, filepath.FromSlash(ref))
		info, err := os.Lstat(path) //nolint:gosec // checked to be inside the git directory before it is read
		if err == nil && !info.Mode().IsRegular() || !filepath.IsLocal(ref) || exists(filepath.Join(r.common, "reftable")) {
			break
		}
		text, _ := os.ReadFile(path) //nolint:gosec // a missing file is no symbolic ref
		next, ok := strings.CutPrefix(string(text), "ref: ")
		switch {
		case !ok && ref == name:
			return "", nil
		case !ok:
			return ref, nil
		}
		ref = strings.TrimSpace(next)
	}
	return command.Answered(r.line(ctx, r.Root, "symbolic-ref", "--quiet", name))
}

// maxLinks is how long a chain of symbolic refs may be.
const maxLinks = 5

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// resolve returns the commit that the full name of a ref stands for, or "" if there is none.
func (r *Repo) resolve(ctx context.Context, name string) (string, error) {
	if tip := r.known.tip(name); tip != "" {
		return tip, nil
	}
	return command.Answered(r.line(ctx, r.Root, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}"))
}
