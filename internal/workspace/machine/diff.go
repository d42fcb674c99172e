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
	d := &Difference{repo: m.Repo}
	var branches []string
	v, err := m.find(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	if v != nil && v.Record.OwnBranch() {
		branches = append(branches, v.Record.Branch)
		if d.repo, err = m.repo(ctx, v.Record); err != nil {
			return nil, err
		}
		if d.Warnings, err = m.uncommitted(ctx, v); err != nil {
			return nil, err
		}
	}
	if d.repo == nil {
		return nil, fault.Decline("%s is in no git repository, so there is no branch of %s to look at", m.Dir, s.ID).WithHint("go to the repository of its project")
	}
	branches = append(branches, bound...)
	if named, err := workspace.Branch(m.Config.BranchPrefix(), m.Config.Branch.Template, s.ID, s.Title); err == nil {
		branches = append(branches, named)
	}
	at, err := d.repo.BaseKnown(ctx, base)
	if err != nil {
		return nil, err
	}
	remote, err := d.repo.Remote(ctx)
	if err != nil {
		return nil, err
	}
	for _, branch := range branches {
		var ref string
		if d.Head, ref, err = d.repo.Known(ctx, branch, remote); err != nil {
			return nil, err
		}
		if d.Head != "" {
			d.Branch = strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/remotes/")
			break
		}
	}
	if d.Head == "" {
		return nil, fault.Missing("no branch of %s is here: %s", s.ID, strings.Join(branches, ", ")).
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
