package machine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/git/worktree"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
)

// Target is a base that work lands on.
type Target struct {
	Base     worktree.Base // as it was last seen
	Warnings []string

	m    *Manager
	repo *worktree.Repo
}

// Target returns the base of this repository: the branch that is configured, else the remote's default, else the one of the
// main checkout. It asks the remote.
func (m *Manager) Target(ctx context.Context, configured string) (*Target, error) {
	if m.Repo == nil {
		return nil, fault.Decline("%s is in no git repository, so there is nothing to land on", m.Dir).WithHint("go to the repository of its project")
	}
	t := &Target{m: m, repo: m.Repo}
	var err error
	if t.Base, t.Warnings, err = m.askBaseNamed(ctx, m.Repo, configured); err != nil {
		return nil, err
	}
	if t.Base.Branch == "" {
		return nil, fault.Decline("%s is not a branch, so nothing can land on it", t.Base.Name).WithHint("name a branch in branch.base of the project's record")
	}
	return t, nil
}

// Branch is the work on a task as a branch has it.
type Branch struct {
	Task     task.ID
	Name     string // such as tasker/demo-4-pay or origin/tasker/demo-4-pay
	Head     string // its newest commit; empty if no branch of the task is here
	Tried    string // the names that were looked for
	Warnings []string
}

// Branch finds the work on a task: the branch of its workspace here, else one that is bound to it, else the one that the
// template names.
func (t *Target) Branch(ctx context.Context, s Subject, bound []string) (*Branch, error) {
	found, err := t.m.branchOf(ctx, s, bound)
	if err != nil {
		return nil, err
	}
	b := &Branch{Task: s.ID, Name: found.name, Head: found.head, Tried: strings.Join(found.tried, ", "), Warnings: found.warnings}
	if b.Head != "" && found.repo != t.repo {
		return nil, fault.Decline("the work on %s is in another repository: %s", s.ID, found.repo.Root).WithHint("land it there")
	}
	return b, nil
}

// Has reports whether a commit of the base has everything of another commit.
func (t *Target) Has(ctx context.Context, tip, commit string) (bool, error) {
	return t.repo.Landed(ctx, commit, tip)
}

// Onto returns what comes of putting a branch on top of a commit; see worktree.Repo.Onto.
func (t *Target) Onto(ctx context.Context, tip string, b *Branch) (commit, tree string, conflict []string, err error) {
	return t.repo.Onto(ctx, tip, b.Head, fmt.Sprintf("Merge %s for %s", b.Name, b.Task))
}

// FileAt returns a file of a work tree of the repository as a commit has it.
func (t *Target) FileAt(ctx context.Context, commit, file string) (text []byte, found bool, err error) {
	return t.repo.FileAt(ctx, commit, file)
}

// Within returns where a file of a work tree of the repository is below its root: "." for the root.
func (t *Target) Within(file string) (string, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	return filepath.Rel(cmp.Or(t.repo.Tree(dir), t.repo.Root), dir)
}

// located is a branch of a task, and where it is.
type located struct {
	repo            *worktree.Repo
	name, ref, head string
	tried, warnings []string
}

// branchOf finds the branch of a task: that of its workspace here, else one that is bound to it, else the one that the
// template names. It asks no remote.
func (m *Manager) branchOf(ctx context.Context, s Subject, bound []string) (*located, error) {
	out := &located{repo: m.Repo}
	v, err := m.find(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	if v != nil && v.Record.OwnBranch() {
		out.tried = append(out.tried, v.Record.Branch)
		if out.repo, err = m.repo(ctx, v.Record); err != nil {
			return nil, err
		}
		if out.warnings, err = m.uncommitted(ctx, v); err != nil {
			return nil, err
		}
	}
	if out.repo == nil {
		return nil, fault.Decline("%s is in no git repository, so there is no branch of %s to look at", m.Dir, s.ID).WithHint("go to the repository of its project")
	}
	for _, ref := range bound { // such as owner/name@branch
		_, branch, named := strings.Cut(ref, "@")
		out.tried = append(out.tried, words.Either(named, branch, ref))
	}
	if named, err := workspace.Branch(m.Config.BranchPrefix(), m.Config.Branch.Template, s.ID, s.Title); err == nil {
		out.tried = append(out.tried, named)
	}
	remote, err := out.repo.Remote(ctx)
	if err != nil {
		return nil, err
	}
	for _, branch := range out.tried {
		if out.head, out.ref, err = out.repo.Known(ctx, branch, remote); err != nil {
			return nil, err
		}
		if out.head != "" {
			out.name = strings.TrimPrefix(strings.TrimPrefix(out.ref, "refs/heads/"), "refs/remotes/")
			break
		}
	}
	return out, nil
}

// Stage is a work tree in which merged work is proven before it lands. Close removes it.
type Stage struct {
	Path  string
	t     *Target
	close func()
}

// Stage makes one. One landing at a time works on a repository of this machine; what a killed one left goes first.
func (t *Target) Stage(ctx context.Context) (*Stage, error) {
	dir := filepath.Join(filepath.Dir(t.m.Logs), "land")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.Decline("%s cannot be created: %v", dir, err).WithCause(err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte(t.repo.Root)))[:16])
	release, err := lock(path+".lock", t.repo.Root)
	if fault.Is(err, fault.Unavailable) {
		return nil, fault.Unready("another process lands work of %s", t.repo.Root).WithHint("wait for it, and try again")
	}
	if err != nil {
		return nil, err
	}
	s := &Stage{path, t, release}
	if err := t.repo.Stage(ctx, path, t.Base.Commit); err != nil {
		release()
		return nil, err
	}
	return s, nil
}

// Hold makes it hold exactly the files of a commit.
func (s *Stage) Hold(ctx context.Context, commit string) error {
	return s.t.repo.Hold(ctx, s.Path, commit)
}

// Close removes it.
func (s *Stage) Close(ctx context.Context) error {
	defer s.close()
	return s.t.repo.Remove(context.WithoutCancel(ctx), s.Path)
}

// Movable declines a base of this repository whose work tree could not follow: what changed there, or is new and in the way
// of what lands up to tip.
func (t *Target) Movable(ctx context.Context, tip string) error {
	if t.Base.Remote != "" {
		return nil
	}
	at, err := t.repo.CheckedOut(ctx, t.Base.Branch)
	if err != nil || at == nil || at.Gone {
		return err
	}
	seen, err := t.repo.Look(ctx, at.Path, "", false)
	if err != nil {
		return err
	}
	inWay := append(slices.Clone(seen.Changed), seen.Nested...)
	files, err := t.repo.Files(ctx, t.Base.Commit, tip)
	if err != nil {
		return err
	}
	for _, name := range seen.Untracked {
		if slices.ContainsFunc(files, func(f FileDiff) bool { return strings.HasPrefix(f.Path+"/", strings.TrimSuffix(name, "/")+"/") }) {
			inWay = append(inWay, name)
		}
	}
	if len(inWay) == 0 {
		return nil
	}
	return fault.Decline("%s is the branch of the work tree %s, where changes are in the way: %s", t.Base.Name, at.Path, words.Some(inWay[:min(len(inWay), 5)], len(inWay))).
		WithHint("commit or stash them there")
}

// ErrRefused is the cause of the error of an Advance that the base refused.
var ErrRefused = worktree.ErrRefused

// Advance moves the base to a commit with a tree, never by force, and sees that it has that tree afterwards. Where the base
// has moved meanwhile it is read anew, and moved says so.
func (t *Target) Advance(ctx context.Context, commit, tree string) (moved bool, err error) {
	is, err := t.repo.TreeOf(ctx, commit)
	if err != nil {
		return false, err
	}
	if is != tree {
		return false, t.alarm(commit, is, tree)
	}
	was := t.Base
	if err := t.repo.Advance(ctx, was, commit); err != nil {
		if !errors.Is(err, ErrRefused) {
			return false, err
		}
		if again := t.again(ctx); again != nil {
			return false, again
		}
		return t.Base.Commit != was.Commit, err
	}
	if err := t.again(ctx); err != nil {
		return false, err
	}
	if t.Base.Commit != commit { // somebody was faster after us
		has, err := t.repo.Has(ctx, t.Base.Commit, commit)
		if err != nil || has {
			return false, err
		}
		return false, t.alarm(commit, t.Base.Commit, commit)
	}
	if is, err = t.repo.TreeOf(ctx, t.Base.Ref()); err != nil {
		return false, err
	}
	if is != tree {
		return false, t.alarm(commit, is, tree)
	}
	return false, nil
}

func (t *Target) alarm(commit, is, proven string) error {
	return fault.New(fault.Internal, "what is on %s is not what was proven: %s has %s, and %s was proven", t.Base.Name, commit, is, proven).
		WithHint("look at it before anything else lands")
}

// again reads the base anew.
func (t *Target) again(ctx context.Context) error {
	base, silent, err := t.repo.Base(ctx, t.Base.Branch)
	if err == nil && silent != "" {
		err = fault.Unready("the remote %s did not answer", silent).WithHint("land again once it does")
	}
	if err == nil {
		t.Base = base
	}
	return err
}

// Landed returns the record of a task's work that is on the base as a commit.
func (t *Target) Landed(id task.ID, commit string) workspace.Landing {
	return workspace.Landing{
		Task: id, Where: workspace.Landed, Commit: task.Opt(commit), Branch: task.Opt(t.Base.Name), Branches: 1, Base: t.Base.Name,
		Remote: task.Opt(t.Base.Remote), Path: t.repo.Root, Host: t.m.Host,
	}
}
