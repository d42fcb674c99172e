package machine

import (
	"context"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/git/worktree"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
)

// salvage rescues what somebody has added to a half-made or half-removed work tree since the crash.
// It stores that under a ref and returns the ref, refuses if it may not store it, and returns "" if
// there is nothing.
func (m *Manager) salvage(ctx context.Context, w *workspace.Workspace, store bool) (ref string, err error) {
	seen, err := m.left(ctx, w)
	if err != nil {
		return "", err
	}
	lost := losses(seen)
	switch {
	case len(lost) == 0:
		return "", nil
	case !store:
		half := words.Either(w.State == workspace.Closing, "removed", "made")
		return "", fault.Decline("the workspace of %s was left half %s, and holds work that is nowhere else", w.Task, half).WithMissing(lost...).
			WithHint("move it away, or store it under a ref and remove the rest: %s", hint.Command("workspace close "+string(w.Task)+" --force"))
	}
	repo, err := m.repo(ctx, w)
	if err != nil {
		return "", err
	}
	return repo.KeepLeft(ctx, w.Path, workspace.Dir(w.Task), ended(w))
}

// left returns what a half-made or half-removed work tree holds beyond what git wrote there or was
// stored. It refuses if no commit can hold that, or part of it cannot be read.
func (m *Manager) left(ctx context.Context, w *workspace.Workspace) (worktree.Seen, error) {
	if !w.OwnTree || !exists(w.Path) {
		return worktree.Seen{}, nil
	}
	repo, err := m.repo(ctx, w)
	if err != nil {
		return worktree.Seen{}, err
	}
	seen, err := repo.Left(ctx, w.Path, ended(w))
	if err != nil {
		return seen, err
	}
	seen.Untracked = notMade(w, seen.Untracked) // without its .gitignore they are not ignored
	return seen, storable(ctx, w, seen)
}

// ended returns the commit to compare a half-made or half-removed work tree with; "" means the one
// checked out.
func ended(w *workspace.Workspace) string {
	return words.Either(w.State == workspace.Opening, w.From, w.Kept)
}

// stored returns the warning that says where the changes of a workspace are.
func stored(ref string) string { return "uncommitted changes are stored under " + ref }
