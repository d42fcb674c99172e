package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/git/worktree"
	"tasker/internal/hint"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
)

// rescue says what may happen to what somebody has added to a half-made or half-removed work tree since the crash.
type rescue int

const (
	refuse rescue = iota // nothing may
	store                // it is stored under a ref; ignored files go
	keep                 // it is stored under a ref; ignored files, which may be secret, are moved out of the work tree
)

// salvage rescues what somebody has added to a half-made or half-removed work tree since the crash. It returns warnings that
// say where that is now: none if there was nothing.
func (m *Manager) salvage(ctx context.Context, w *workspace.Workspace, how rescue) (warnings []string, err error) {
	seen, err := m.left(ctx, w)
	if err != nil {
		return nil, err
	}
	if how == keep && len(seen.Ignored) > 0 {
		aside, err := setAside(w.Path, seen.Ignored)
		if err != nil {
			return nil, err
		}
		warnings = append(warnings, "ignored files were moved to "+aside+": "+some(seen.Ignored))
	}
	if how != refuse {
		seen.Ignored = nil
	}
	lost := losses(seen)
	switch {
	case len(lost) == 0:
		return warnings, nil
	case how == refuse:
		half := words.Either(w.State == workspace.Closing, "removed", "made")
		return nil, fault.Decline("the workspace of %s was left half %s, and holds work that is nowhere else", w.Task, half).WithMissing(lost...).
			WithHint("move it away, or store it under a ref, without ignored files, and remove the rest: %s", hint.Command("workspace close "+string(w.Task)+" --force"))
	}
	repo, err := m.repo(ctx, w)
	if err != nil {
		return nil, err
	}
	ref, err := repo.KeepLeft(ctx, w.Path, workspace.Dir(w.Task), ended(w))
	if err != nil {
		return nil, err
	}
	w.Kept = ref
	return append(warnings, stored(ref)), nil
}

// setAside moves files of a work tree into a new directory next to it, and returns that directory.
func setAside(tree string, files []string) (dir string, err error) {
	dir = tree + ".left"
	for n := 2; ; n++ {
		if err = os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
			break
		}
		dir = fmt.Sprintf("%s.left-%d", tree, n)
	}
	for _, name := range files {
		if err != nil {
			break
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
			err = os.Rename(filepath.Join(tree, filepath.FromSlash(name)), to)
		}
	}
	if err != nil {
		return "", fault.Decline("ignored files of %s cannot be moved to %s: %v", tree, dir, err).WithCause(err)
	}
	return dir, nil
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
	written, err := m.Writes()
	if err != nil {
		return seen, err
	}
	known := *w
	known.Files = slices.Concat(w.Files, written)    // they are recorded only after they were written
	seen.Untracked = notMade(&known, seen.Untracked) // without its .gitignore they are not ignored
	if seen.Ignored = notMade(&known, seen.Ignored); w.Forced {
		seen.Ignored = nil
	}
	return seen, storable(ctx, w, seen)
}

// ended returns the commit to compare a half-made or half-removed work tree with; "" means the one
// checked out.
func ended(w *workspace.Workspace) string {
	return words.Either(w.State == workspace.Opening, w.From, w.Kept)
}

// stored returns the warning that says where the changes of a workspace are.
func stored(ref string) string { return "uncommitted changes are stored under " + ref }
