package machine

import (
	"context"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/git/worktree"
	"tasker/internal/hint"
	"tasker/internal/workspace"
)

// FileDiff is a file that differs.
type FileDiff = worktree.FileDiff

// Difference is what the branch of a task adds to its base.
type Difference struct {
	Branch   string // that was found, such as tasker/demo-4-pay or origin/tasker/demo-4-pay
	Against  string // the base as people say it
	Base     string // the commit that the branch forked from
	Head     string // the newest commit of the branch
	Files    []FileDiff
	Warnings []string // of what no commit has

	repo *worktree.Repo
}

// Difference compares the branch of a task with its base: the branch of its workspace here, else one that is bound to it,
// else the one that the template names. It asks no remote.
func (m *Manager) Difference(ctx context.Context, s Subject, bound []string, base string) (*Difference, error) {
	found, err := m.branchOf(ctx, s, bound)
	if err != nil {
		return nil, err
	}
	d := &Difference{repo: found.repo, Branch: found.name, Head: found.head, Warnings: found.warnings}
	at, err := d.repo.BaseKnown(ctx, base)
	if err != nil {
		return nil, err
	}
	if d.Head == "" {
		return nil, fault.Missing("no branch of %s is here: %s", s.ID, strings.Join(found.tried, ", ")).
			WithHint("bring it here with git fetch, or see which files were recorded: %s", hint.Command("show "+string(s.ID)))
	}
	d.Against = at.Name
	if d.Base, err = d.repo.Fork(ctx, at.Commit, d.Head); err != nil {
		return nil, err
	}
	if d.Base == "" {
		return nil, fault.Decline("%s and %s have no commit in common", d.Branch, d.Against).WithHint("name the branch that the work forks from in branch.base")
	}
	d.Files, err = d.repo.Files(ctx, d.Base, d.Head)
	return d, err
}

// Text returns the lines in which the branch differs from its base, as git prints them.
func (d *Difference) Text(ctx context.Context) (string, error) {
	return d.repo.Difference(ctx, d.Base, d.Head)
}

// uncommitted warns of what a workspace holds and its branch does not.
func (m *Manager) uncommitted(ctx context.Context, v *workspace.View) ([]string, error) {
	seen, err := m.Look(ctx, v.Task)
	if err != nil || seen == nil || seen.Record.Seen == nil || !seen.Record.Seen.Dirty {
		return nil, err
	}
	return []string{"its work tree holds changes that are in no commit, and are not shown: " + v.Path}, nil
}
