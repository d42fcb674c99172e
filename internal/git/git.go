// Package git asks the git command about the repository that a directory is in. It changes nothing there: not the
// index, not the objects, not a ref.
package git

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"tasker/internal/fault"
)

// Repo is a work tree.
type Repo struct {
	top string // its root
	git string // its git directory
	obj string // where its objects are
}

// Find gives the repository that a directory is in, nil where it is in none or there is no git.
func Find(ctx context.Context, dir string) (*Repo, error) {
	out, err := run(ctx, dir, nil, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-path", "objects")
	if errors.Is(err, exec.ErrNotFound) || failed(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	if len(lines) != 3 {
		return nil, fault.New(fault.Internal, "git says %q of %s", out, dir)
	}
	return &Repo{top: lines[0], git: lines[1], obj: lines[2]}, nil
}

// State is what a work tree holds.
type State struct {
	Commit string // empty before the first
	Tree   string // of all files that are tracked, or would be: changes and new files included, ignored ones not
	Dirty  bool   // the tree is not the commit's
}

// State tells what the work tree holds now. New objects go to a directory of their own, which is then thrown away.
func (r *Repo) State(ctx context.Context) (State, error) {
	var s State
	head, err := run(ctx, r.top, nil, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil && !failed(err) {
		return s, err
	}
	s.Commit = strings.TrimSpace(head)
	if s.Tree, err = r.writeTree(ctx); err != nil {
		return s, err
	}
	s.Dirty = true
	if s.Commit != "" {
		tree, err := run(ctx, r.top, nil, "rev-parse", s.Commit+"^{tree}")
		if err != nil {
			return s, err
		}
		s.Dirty = strings.TrimSpace(tree) != s.Tree
	}
	return s, nil
}

func (r *Repo) writeTree(ctx context.Context) (_ string, err error) {
	tmp, err := os.MkdirTemp("", "tasker-tree-")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	index := filepath.Join(tmp, "index")
	if err := copyIndex(filepath.Join(r.git, "index"), index); err != nil {
		return "", err
	}
	objects := filepath.Join(tmp, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return "", err
	}
	env := []string{"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + objects, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + r.obj}
	if _, err := run(ctx, r.top, env, "-c", "core.fsmonitor=false", "-c", "core.safecrlf=false", "add", "--all", "--", "."); err != nil {
		return "", err
	}
	tree, err := run(ctx, r.top, env, "write-tree")
	return strings.TrimSpace(tree), err
}

// copyIndex copies the index, where there is one: it spares git the reading of every file that has not changed since.
// The copy keeps the time of the original, by which git knows the files that may have changed in the very second in
// which they were added, and reads those: a younger index would vouch for them.
func copyIndex(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return nil //nolint:nilerr // without an index git reads every file, which is slower and as true
	}
	src, err := os.ReadFile(from)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	if err := os.WriteFile(to, src, 0o600); err != nil { //nolint:gosec // to is in a directory of our own making
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// History tells whether a tree is that of a commit in the history of what is checked out.
func (r *Repo) History(ctx context.Context) (func(tree string) bool, error) {
	out, err := run(ctx, r.top, nil, "log", "--format=%T", "HEAD", "--")
	if failed(err) { // nothing is committed yet
		return func(string) bool { return false }, nil
	}
	if err != nil {
		return nil, err
	}
	trees := map[string]bool{}
	for tree := range strings.FieldsSeq(out) {
		trees[tree] = true
	}
	return func(tree string) bool { return trees[tree] }, nil
}

// Tracked reports whether a file of the work tree is tracked: it is in the index, and so in the next commit.
func (r *Repo) Tracked(ctx context.Context, path string) (bool, error) {
	_, err := run(ctx, r.top, nil, "ls-files", "--error-unmatch", "--", path)
	if failed(err) {
		return false, nil
	}
	return err == nil, err
}

// failed tells whether git ran and said no.
func failed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}

// run asks git. Nothing of the user's may colour, page or translate what it says.
func run(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // the arguments are this package's own
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"), env...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.String(), nil
	case errors.As(err, &exit) && ctx.Err() == nil:
		why := strings.ToValidUTF8(strings.TrimSpace(said.String()), "\ufffd")
		return "", fault.New(fault.Internal, "git %s: %s", args[0], why).WithHint("run it by hand in %s", dir).WithCause(err)
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	return "", fault.New(fault.Internal, "git cannot be run: %v", err).WithCause(err)
}
