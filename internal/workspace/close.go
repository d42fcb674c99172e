package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/core/places"
	"tasker/internal/fault"
	"tasker/internal/git/worktree"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
	"tasker/internal/task/place"
)

// Closed is how a workspace was closed.
type Closed struct {
	Task     task.ID      `json:"task"`
	Path     string       `json:"path"`
	Branch   task.Opt     `json:"branch"`
	Removed  bool         `json:"removed"`
	Steps    []place.Step `json:"steps"`
	Warnings []string     `json:"warnings"`
}

// Close runs the teardown of a workspace, removes its directory where it was made for it, and gives its ports back. It
// never deletes a branch. What would be lost declines it, unless it is forced: then changes and untracked files are stored
// under a ref first.
func (m *Manager) Close(ctx context.Context, id task.ID, force bool) (Closed, error) {
	release, err := m.lock(id)
	if err != nil {
		return Closed{}, err
	}
	defer release()
	v, err := m.Here(ctx, id)
	if err != nil {
		return Closed{}, err
	}
	switch {
	case v.Record.State == place.Opening:
		err := m.settle(ctx, &v)
		return closed(&v, true), err
	case v.Record.State == place.Closing:
		return m.finish(ctx, &v, "")
	case v.Record.OwnTree && exists(v.Path):
		if err := m.losing(ctx, v.Record, force); err != nil {
			return Closed{}, err
		}
	}
	w := *v.Record
	w.State, w.Steps = place.Closing, nil
	if v, err = m.call(ctx, places.Made{Workspace: w, From: place.Open, Check: "close its workspace"}); err != nil {
		return Closed{}, err
	}
	kept, err := m.clear(ctx, &v, force)
	if err != nil {
		back := *v.Record
		back.State = place.Open
		_, bad := m.call(context.WithoutCancel(ctx), places.Made{Workspace: back, From: place.Closing})
		if bad != nil {
			m.Tell("the workspace of %s stays marked as closing: %v", id, bad)
		}
		return Closed{}, err
	}
	return m.finish(ctx, &v, kept)
}

// losing declines to remove a work tree that holds what nothing else has.
func (m *Manager) losing(ctx context.Context, w *place.Workspace, force bool) error {
	repo, err := m.repo(ctx, w)
	if err != nil {
		return err
	}
	seen, err := repo.Look(ctx, w.Path, w.Against, true)
	if err != nil {
		return err
	}
	made := func(f string) bool {
		return slices.Contains(w.Ignored, f) || slices.Contains(w.Files, strings.TrimSuffix(f, "/"))
	}
	ignored := slices.DeleteFunc(slices.Clone(seen.Ignored), made)
	if len(seen.Nested) > 0 {
		return fault.Decline("%s holds repositories of its own with files that cannot be stored: %s", w.Path, some(seen.Nested)).
			WithHint("commit and push there, or move them away")
	}
	if dirs, err := unreadable(ctx, w.Path); err != nil || len(dirs) > 0 {
		if err != nil {
			return err
		}
		return fault.Decline("%s holds directories that may not be read, so nobody can tell what would be lost: %s", w.Path, some(dirs)).
			WithHint("let them be read (chmod u+rx), or move them away")
	}
	if force {
		return nil
	}
	var lost []string
	for _, part := range []struct {
		what  string
		files []string
	}{{"changed", seen.Changed}, {"new", seen.Untracked}, {"ignored", ignored}} {
		if len(part.files) > 0 {
			lost = append(lost, part.what+": "+some(part.files))
		}
	}
	if seen.Unpushed > 0 && !seen.Landed {
		lost = append(lost, fmt.Sprintf("%d commits of %s that no remote has", seen.Unpushed, w.Branch))
	}
	if len(lost) == 0 {
		return nil
	}
	return fault.Decline("the workspace of %s is not removed, for it holds what is nowhere else", w.Task).WithMissing(lost...).
		WithHint("commit and push it, or store what changed under a ref and remove it: %s", remedy.Command("workspace close "+string(w.Task)+" --force"))
}

// unreadable returns the directories below one that may not be read. Git goes past them without a word in its answer, and
// would remove what it can of the rest.
func unreadable(ctx context.Context, dir string) (out []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, bad error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(bad, fs.ErrPermission):
			name, err := filepath.Rel(dir, path)
			out = append(out, filepath.ToSlash(name)+"/")
			if err != nil || d == nil || !d.IsDir() {
				return err
			}
			return fs.SkipDir
		}
		return nil // what is gone meanwhile is not lost
	})
	return out, err
}

// some lists files, and how many more there are.
func some(files []string) string {
	const limit = 10
	text := strings.Join(files[:min(len(files), limit)], ", ")
	if len(files) > limit {
		text += fmt.Sprintf(" and %d more", len(files)-limit)
	}
	return text
}

// clear runs the teardown and removes the work tree. It returns the ref under which changes are stored, if any.
func (m *Manager) clear(ctx context.Context, v *places.View, force bool) (kept string, err error) {
	w := v.Record
	if exists(w.Path) && len(m.Config.Workspace.Teardown) > 0 {
		provided, err := m.provide(ctx, w)
		if err != nil {
			return "", err
		}
		if err := m.steps(ctx, w, "teardown", m.Config.Workspace.Teardown, m.Environment(*v, provided), place.Closing); err != nil {
			return "", err
		}
	}
	if !w.OwnTree || !exists(w.Path) {
		return "", nil
	}
	if err := m.losing(ctx, w, force); err != nil { // again: teardown and its user had time to change something
		return "", err
	}
	repo, err := m.repo(ctx, w)
	if err != nil {
		return "", err
	}
	seen, err := repo.Look(ctx, w.Path, "", false)
	if err != nil || !seen.Dirty() {
		return "", err
	}
	return repo.Keep(ctx, w.Path, place.Dir(w.Task))
}

// finish removes what a workspace that is closing still has, and its record last.
func (m *Manager) finish(ctx context.Context, v *places.View, kept string) (Closed, error) {
	w := v.Record
	out := closed(v, false)
	if kept != "" {
		out.Warnings = append(out.Warnings, "what was not committed is stored under "+kept)
	}
	if w.OwnTree {
		repo, err := m.repo(ctx, w)
		if err != nil {
			return out, err
		}
		if exists(w.Path) {
			if out.Removed, err = m.remove(ctx, repo, w, &out); err != nil {
				return out, err
			}
		} else if err := repo.Remove(ctx, w.Path); err != nil { // git's record of it
			return out, err
		}
	}
	_, err := op.WorkspaceDrop.Do(ctx, m.Ops, places.DropIn{Task: w.Task, Host: w.Host, Kind: task.WorkspaceClosed, Removed: out.Removed, Kept: kept})
	return out, err
}

// remove removes the directory of a workspace. Where a crash came between storing its changes and removing it, they may
// have grown: they are stored again.
func (m *Manager) remove(ctx context.Context, repo *worktree.Repo, w *place.Workspace, out *Closed) (bool, error) {
	seen, err := repo.Look(ctx, w.Path, "", false)
	if err != nil && exists(filepath.Join(w.Path, ".git")) { // what it holds is not known, so it stays
		return false, err
	}
	if err == nil && len(seen.Nested) > 0 {
		return false, m.losing(ctx, w, true)
	}
	if err == nil && len(out.Warnings) == 0 && seen.Dirty() {
		kept, err := repo.Keep(ctx, w.Path, place.Dir(w.Task))
		if err != nil {
			return false, err
		}
		out.Warnings = append(out.Warnings, "what was not committed is stored under "+kept)
	}
	// where git does not know it as a work tree any more, removing it was begun before the crash
	return true, repo.Remove(ctx, w.Path)
}

func closed(v *places.View, removed bool) Closed {
	return Closed{
		Task: v.Task, Path: v.Path, Branch: v.Branch, Removed: removed && v.Record.OwnTree,
		Steps: append([]place.Step{}, v.Record.Steps...), Warnings: []string{},
	}
}
