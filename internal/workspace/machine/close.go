package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/git/worktree"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
)

// Closed says how a workspace was closed.
type Closed struct {
	Task     task.ID          `json:"task"`
	Path     string           `json:"path"`
	Branch   task.Opt         `json:"branch"`
	Removed  bool             `json:"removed"`
	Steps    []workspace.Step `json:"steps"`
	Warnings []string         `json:"warnings"`
}

// Close runs the teardown of a workspace, removes its directory if that was made for it, and frees
// its ports. It never deletes a branch. It refuses if something would be lost, unless it is forced:
// then it first stores changes and untracked files under a ref.
func (m *Manager) Close(ctx context.Context, id task.ID, force bool) (Closed, error) {
	fence, _, release, err := m.enter(ctx, id, workspace.ToClose)
	if err != nil {
		return Closed{}, err
	}
	defer release()
	v, err := m.Here(ctx, id)
	if err != nil {
		return Closed{}, err
	}
	switch v.Record.State {
	case workspace.Opening:
		out := closed(&v, true)
		if out.Warnings, err = m.settle(ctx, &v, forced(force)); err == nil && v.Record.OwnTree {
			out.Branch, err = m.remains(ctx, v.Record)
		}
		return out, err
	case workspace.Closing:
		return m.resume(ctx, &v, force)
	case workspace.Open, workspace.Abandoned:
	}
	if err := m.home(v.Record); err != nil {
		return Closed{}, err
	}
	if v.Record.OwnTree && exists(v.Path) {
		if err := m.losing(ctx, v.Record, force); err != nil {
			return Closed{}, err
		}
	}
	return m.closing(ctx, v.Record, fence, workspace.ToClose, force)
}

// closing records that an open workspace is closing, and closes it.
func (m *Manager) closing(ctx context.Context, open *workspace.Workspace, fence *int64, to workspace.Use, force bool) (Closed, error) {
	w := *open
	w.State, w.Steps, w.Forced = workspace.Closing, nil, force
	v, err := m.call(ctx, workspace.Made{Workspace: w, From: workspace.Open, To: to, Fence: fence})
	if err != nil {
		return Closed{}, err
	}
	return m.resume(ctx, &v, force)
}

// remains returns the branch of a workspace that was undone, or "" if that is gone too.
func (m *Manager) remains(ctx context.Context, w *workspace.Workspace) (task.Opt, error) {
	repo, err := m.repo(ctx, w)
	if err != nil {
		return "", err
	}
	commit, err := repo.Commit(ctx, w.Branch)
	if commit == "" {
		return "", err
	}
	return task.Opt(w.Branch), err
}

// resume closes a workspace that is closing, from wherever a crash interrupted it. If the workspace
// holds work that is nowhere else, or its teardown fails, it is open again.
func (m *Manager) resume(ctx context.Context, v *workspace.View, force bool) (Closed, error) {
	w := v.Record
	if w.Removing || w.OwnTree && exists(w.Path) && !exists(filepath.Join(w.Path, ".git")) {
		w.Forced = w.Forced || force
		return m.finish(ctx, v, &force)
	}
	if err := m.home(w); err != nil {
		return Closed{}, err
	}
	next, err := m.clear(ctx, v, force || w.Forced)
	if err != nil {
		back := *w
		back.State, back.Forced = workspace.Open, false
		_, bad := m.call(context.WithoutCancel(ctx), workspace.Made{Workspace: back, From: workspace.Closing})
		if bad != nil {
			m.Tell("the workspace of %s stays marked as closing: %v", w.Task, bad)
		}
		return Closed{}, err
	}
	return m.finish(ctx, next, nil)
}

// losing refuses to remove a work tree that holds work that is nowhere else.
func (m *Manager) losing(ctx context.Context, w *workspace.Workspace, force bool) error {
	seen, err := m.seen(ctx, w, true)
	if err != nil {
		return err
	}
	if err := storable(ctx, w, seen); err != nil || force {
		return err
	}
	seen.Ignored = notMade(w, seen.Ignored)
	lost := losses(seen)
	if seen.Unpushed > 0 && !seen.Landed {
		lost = append(lost, fmt.Sprintf("%s of %s that no remote has", words.Count(seen.Unpushed, "commit", "commits"), w.Branch))
	}
	if len(lost) == 0 {
		return nil
	}
	return fault.Decline("the workspace of %s was not removed, because it holds work that is nowhere else", w.Task).WithMissing(lost...).
		WithHint("commit and push it, or store what changed under a ref and remove it: %s", hint.Command("workspace close "+string(w.Task)+" --force"))
}

// storable refuses a work tree if no commit can hold everything in it, or if part of it cannot be
// read.
func storable(ctx context.Context, w *workspace.Workspace, seen worktree.Seen) error {
	if len(seen.Nested) > 0 {
		return fault.Decline("%s holds nested repositories with files that cannot be stored: %s", w.Path, some(seen.Nested)).
			WithHint("commit and push there, or move them away")
	}
	dirs, err := unreadable(ctx, w.Path)
	if err != nil || len(dirs) == 0 {
		return err
	}
	return fault.Decline("%s holds directories that cannot be read, so what would be lost is unknown: %s", w.Path, some(dirs)).
		WithHint("make them readable (chmod u+rx), or move them away")
}

// losses lists the files of a work tree that no commit has.
func losses(seen worktree.Seen) (lost []string) {
	for _, part := range []struct {
		what  string
		files []string
	}{{"changed", seen.Changed}, {"new", seen.Untracked}, {"ignored", seen.Ignored}} {
		if len(part.files) > 0 {
			lost = append(lost, part.what+": "+some(part.files))
		}
	}
	return lost
}

// notMade returns the ignored files that neither the setup nor a provider has made.
func notMade(w *workspace.Workspace, ignored []string) []string {
	return slices.DeleteFunc(slices.Clone(ignored), func(f string) bool {
		return slices.Contains(w.Ignored, f) || slices.Contains(w.Files, strings.TrimSuffix(f, "/"))
	})
}

// unreadable returns the unreadable directories below one. Git silently skips them, and would
// remove what it can of the rest.
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
		return nil // what has disappeared in the meantime is not lost
	})
	return out, err
}

// some lists the first files, and how many more there are.
func some(files []string) string { return first(files, 10) }

// first lists the first texts, and how many more there are.
func first(all []string, limit int) string {
	return strings.Join(all[:min(len(all), limit)], ", ") + words.When(len(all) > limit, fmt.Sprintf(" and %d more", len(all)-limit))
}

// clear runs the teardown, or the rest of it, and stores what would be lost. It then records that
// the directory may go: what is missing from a half-removed one is not a change by its user.
func (m *Manager) clear(ctx context.Context, v *workspace.View, force bool) (*workspace.View, error) {
	w := v.Record
	warnings, err := m.teardown(ctx, v, force)
	if err != nil {
		return nil, err
	}
	if !w.OwnTree || !exists(w.Path) {
		v.Warnings = append(w.Warnings(), warnings...)
		return v, nil
	}
	if err := m.losing(ctx, w, force); err != nil { // again: the teardown and the user had time to change something
		return nil, err
	}
	repo, err := m.repo(ctx, w)
	if err != nil {
		return nil, err
	}
	seen, err := repo.Look(ctx, w.Path, "", false)
	if err != nil {
		return nil, err
	}
	if seen.Dirty() {
		if w.Kept, err = repo.Keep(ctx, w.Path, workspace.Dir(w.Task)); err != nil {
			return nil, err
		}
	}
	w.Removing, w.Forced = true, force
	next, err := m.call(ctx, workspace.Made{Workspace: *w, From: workspace.Closing})
	next.Warnings = append(next.Warnings, warnings...)
	return &next, err
}

// teardown runs the remaining steps of the teardown. A forced close continues when a step fails,
// and runs no steps if the providers do not give their environment; it returns warnings about both.
func (m *Manager) teardown(ctx context.Context, v *workspace.View, force bool) (warnings []string, err error) {
	w := v.Record
	if !exists(w.Path) || len(m.Config.Workspace.Teardown) == 0 {
		return nil, nil
	}
	provided, err := m.provide(ctx, w)
	switch {
	case err != nil && force && ctx.Err() == nil:
		return []string{"the teardown was not run: " + fault.Of(err).Message}, nil
	case err != nil:
		return nil, err
	}
	return nil, m.steps(ctx, w, stage{
		phase: "teardown", steps: m.Config.Workspace.Teardown, state: workspace.Closing, forced: force, env: m.Environment(*v, provided), secret: secrets(provided),
	})
}

// finish removes what a closing workspace still has, its record last. later is not nil after a
// crash, and says whether what was added since may be stored.
func (m *Manager) finish(ctx context.Context, v *workspace.View, later *bool) (Closed, error) {
	w := v.Record
	out := closed(v, false)
	if w.Kept != "" {
		out.Warnings = append(out.Warnings, stored(w.Kept))
	}
	if w.OwnTree {
		repo, err := m.repo(ctx, w)
		if err != nil {
			return out, err
		}
		if exists(w.Path) {
			if out.Removed, err = m.remove(ctx, repo, w, &out, later); err != nil {
				return out, err
			}
		} else if err := repo.Remove(ctx, w.Path); err != nil { // git's record of it
			return out, err
		}
	}
	_, err := m.Workspaces.Drop(core.Doing(ctx, "workspace-drop"), workspace.DropIn{Task: w.Task, Host: w.Host, Kind: task.WorkspaceClosed, Removed: out.Removed, Kept: w.Kept})
	return out, err
}

// remove removes the directory of a workspace. If somebody has worked there since its changes were
// stored, it stores that too, or keeps the directory.
func (m *Manager) remove(ctx context.Context, repo *worktree.Repo, w *workspace.Workspace, out *Closed, later *bool) (bool, error) {
	clean := false
	if exists(filepath.Join(w.Path, ".git")) { // without it, removal began before the crash, and git would find another repository
		seen, err := repo.Look(ctx, w.Path, "", !w.Forced)
		if err != nil { // what it holds is unknown, so it stays
			return false, err
		}
		if ignored := notMade(w, seen.Ignored); len(ignored) > 0 {
			return false, fault.Decline("the workspace of %s is being removed, but holds ignored files that are nowhere else: %s", w.Task, some(ignored)).
				WithHint("move them away, then finish removing it: %s", hint.Command("workspace prune"))
		}
		clean = !seen.Dirty()
	}
	if !clean {
		warnings, err := m.salvage(ctx, w, forced(later == nil || *later))
		if err != nil {
			return false, err
		}
		out.Warnings = append(out.Warnings, warnings...)
	}
	return true, repo.Remove(ctx, w.Path)
}

// forced returns what happens to what was added later: a forced close stores it.
func forced(force bool) rescue {
	if force {
		return store
	}
	return refuse
}

func closed(v *workspace.View, removed bool) Closed {
	return Closed{
		Task: v.Task, Path: v.Path, Branch: v.Branch, Removed: removed && v.Record.OwnTree,
		Steps: append([]workspace.Step{}, v.Record.Steps...), Warnings: append([]string{}, v.Warnings...),
	}
}
