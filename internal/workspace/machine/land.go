package machine

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
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
