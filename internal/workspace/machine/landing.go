package machine

import (
	"cmp"
	"context"
	"time"

	"tasker/internal/core"
	"tasker/internal/git/worktree"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// Landing finds out where the work on a task is, from what its workspace on this machine has
// checked out and the commits that its evidence was run on. It records what it saw of the
// workspace. If the work is not on the base and the base is a remote's, it asks the remote, and
// waits up to patience. It returns nil if there is neither a work tree nor a remote, or if nothing
// shows what the work is.
func (m *Manager) Landing(ctx context.Context, id task.ID, marks []workspace.Mark, patience time.Duration) (*workspace.Landing, error) {
	v, err := m.Look(ctx, id)
	if err != nil {
		return nil, err
	}
	repo, base, err := m.standing(ctx, v)
	if err != nil || repo == nil {
		return nil, err
	}
	if v != nil && v.Record.OwnBranch() && v.Record.Seen != nil {
		for i := range marks {
			marks[i].Branch = v.Record.Branch
		}
		own := workspace.Mark{Branch: v.Record.Branch, Commit: v.Record.Seen.Commit, Dirty: v.Record.Seen.Dirty, Path: v.Path}
		if v.Record.Against == base.Ref() {
			own.Landed = &v.Record.Seen.Landed
		}
		marks = append([]workspace.Mark{own}, marks...)
	}
	if len(marks) == 0 {
		return nil, nil
	}
	out, err := m.locate(ctx, id, repo, base, marks)
	if err != nil || out != nil && out.HasLanded() || base.Remote == "" || patience == 0 || !repo.Fetch(ctx, base.Remote, base.Branch, patience) {
		return out, err
	}
	if err := repo.Survey(ctx); err != nil {
		return nil, err
	}
	for i := range marks {
		marks[i].Landed = nil
	}
	return m.locate(ctx, id, repo, base, marks)
}

// standing returns the repository with the work on a task, and its base. It returns nil if there is
// neither a work tree nor a remote, because then there is nowhere else to land.
func (m *Manager) standing(ctx context.Context, v *workspace.View) (*worktree.Repo, worktree.Base, error) {
	repo, err := m.Repo, error(nil)
	own := v != nil && v.Record.OwnBranch()
	if own {
		repo, err = m.repo(ctx, v.Record)
	}
	if err != nil || repo == nil {
		return nil, worktree.Base{}, err
	}
	if !own {
		remote, err := repo.Remote(ctx)
		if err != nil {
			return nil, worktree.Base{}, err
		}
		if remote == "" && !repo.Several() {
			return nil, worktree.Base{}, nil
		}
		if err := repo.Survey(ctx); err != nil {
			return nil, worktree.Base{}, err
		}
	}
	base, err := repo.BaseKnown(ctx, m.Config.BaseInForce())
	return repo, base, err
}

// locate returns the mark that is farthest from the base, or nil if the repository knows none.
func (m *Manager) locate(ctx context.Context, id task.ID, repo *worktree.Repo, base worktree.Base, marks []workspace.Mark) (*workspace.Landing, error) {
	var all []workspace.Landing
	for _, mark := range marks {
		l := workspace.Landing{
			Task: id, Host: m.Host, Base: base.Name, Remote: task.Opt(base.Remote), Proved: task.Opt(mark.Proved), Path: cmp.Or(mark.Path, repo.Root),
		}
		if mark.Proved == "" && mark.Dirty {
			l.Where, l.Commit = workspace.Nowhere, task.Opt(mark.Commit)
			all = append(all, l)
			continue
		}
		found, err := seek(ctx, repo, base, mark)
		if err != nil {
			return nil, err
		}
		l.Commit, l.Branch, l.Branches = task.Opt(cmp.Or(found.Commit, mark.Commit)), task.Opt(found.Branch), found.Count
		switch {
		case found.Landed:
			l.Where = workspace.Landed
		case found.Pushed:
			l.Where = workspace.Pushed
		case found.Branch != "":
			l.Where = workspace.Local
		case found.Known || mark.Dirty:
			l.Where = workspace.Nowhere
		}
		all = append(all, l)
	}
	return workspace.Farthest(all), nil
}

// seek looks for a mark. The files of a mark that was proved with changes may have been committed
// since. If they were not, its commit says something only while the base does not have it.
func seek(ctx context.Context, repo *worktree.Repo, base worktree.Base, mark workspace.Mark) (worktree.Found, error) {
	if !mark.Dirty {
		return repo.Locate(ctx, worktree.Sought{Commit: mark.Commit, Tree: mark.Tree, Base: base.Ref(), Branch: mark.Branch, Landed: mark.Landed})
	}
	found, err := repo.Locate(ctx, worktree.Sought{Tree: mark.Tree, Base: base.Ref(), Branch: mark.Branch})
	if err != nil || found.Known {
		return found, err
	}
	on, err := repo.Locate(ctx, worktree.Sought{Commit: mark.Commit, Base: base.Ref(), Branch: mark.Branch})
	if err != nil || on.Landed {
		return worktree.Found{}, err
	}
	return on, nil
}

// Landed checks again the tasks whose work was not on its base, and records what has changed.
func (m *Manager) Landed(ctx context.Context, seen []workspace.Landing) error {
	patience := PatienceOfReads // only for the first: a remote is asked once
	for _, was := range seen {
		left, err := m.Landings.Traces(core.Doing(ctx, "traces"), workspace.TracesIn{Task: string(was.Task)})
		if err != nil {
			return err
		}
		l, err := m.Landing(ctx, was.Task, was.Since(left.Marks), patience)
		if patience = 0; err == nil && l != nil {
			err = m.RecordLanding(ctx, *l)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// RecordLanding records where the work on a done task is.
func (m *Manager) RecordLanding(ctx context.Context, l workspace.Landing) error {
	_, err := m.Landings.Landed(core.Doing(ctx, "landed-save"), workspace.LandedIn{Landing: l})
	return err
}

// How long a remote may take to say what is on the base. A command that depends on it waits longer.
const (
	PatienceOfReads   = 3 * time.Second
	PatienceOfInsists = 20 * time.Second
)
