package machine

import (
	"context"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/git/worktree"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// Pruned says what a prune did with the workspaces of this machine.
type Pruned struct {
	Removed []task.ID `json:"removed"`
	Kept    []Kept    `json:"kept"`
}

// Kept is a workspace that stays, and why.
type Kept struct {
	Task task.ID `json:"task"`
	Path string  `json:"path"`
	Why  string  `json:"why"`
}

// Prune removes the workspaces of this machine that nobody needs: ones that a crash left half made,
// ones whose directory was deleted by hand, and clean ones whose task is closed. It removes nothing
// that holds work that is nowhere else, half made or not, and nothing that another actor holds. It does
// not change the ones that it reports as kept.
func (m *Manager) Prune(ctx context.Context, dryRun bool) (Pruned, error) {
	out := Pruned{Removed: []task.ID{}, Kept: []Kept{}}
	all, err := m.Workspaces.List(core.Doing(ctx, "workspace-list"), workspace.Query{Host: m.Host})
	if err != nil {
		return out, err
	}
	for _, v := range all {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		why, err := m.prune(ctx, &v, dryRun)
		switch {
		case err != nil && fault.Of(err).Kind == fault.Internal && !worktree.Refused(err): // what git refuses is a problem of one repository
			return out, err
		case err != nil:
			refusal := fault.Of(err)
			why = strings.Join(append([]string{refusal.Message}, refusal.Missing...), "; ")
			fallthrough
		case why != "":
			out.Kept = append(out.Kept, Kept{Task: v.Task, Path: v.Path, Why: why})
		default:
			out.Removed = append(out.Removed, v.Task)
		}
	}
	return out, nil
}

// prune removes one workspace, or says why it stays.
func (m *Manager) prune(ctx context.Context, v *workspace.View, dryRun bool) (why string, err error) {
	fence, _, release, err := m.enter(ctx, v.Task, workspace.ToPrune)
	if err != nil {
		return "", err
	}
	defer release()
	// Only with the lock is it certain that a crash left what looks half made: it may have been
	// opened in the meantime.
	if v, err = m.find(ctx, v.Task); err != nil || v == nil {
		return "", err
	}
	w := v.Record
	gone := !exists(w.Path)
	switch {
	case w.State == workspace.Open && !gone && !v.Closed:
		return "its task is not closed", nil
	case w.State == workspace.Open && m.home(w) != nil:
		return "", m.home(w)
	case w.State == workspace.Open && !gone && !w.OwnTree && w.Strategy == workspace.InPlace:
		// only its ports are left
	case w.State == workspace.Open && !gone:
		if err := m.losing(ctx, w, false); err != nil {
			return "", err
		}
	case w.State == workspace.Opening || w.Removing:
		if _, err := m.salvage(ctx, w, refuse); err != nil {
			return "", err
		}
	}
	if dryRun {
		if w.State == workspace.Closing && !w.Removing && !w.Forced && w.OwnTree && !gone { // finish would check it only after the teardown
			return "", m.losing(ctx, w, false)
		}
		return "", nil
	}
	switch {
	case w.State == workspace.Opening || w.State == workspace.Closing:
		warnings, err := m.settle(ctx, v, refuse)
		for _, text := range warnings {
			m.Tell("%s: %s", v.Task, text)
		}
		return "", err
	case gone:
		return "", m.forget(ctx, v, fence)
	}
	_, err = m.closing(ctx, w, fence, workspace.ToPrune, false)
	return "", err
}

// forget removes the record of a workspace whose directory somebody has deleted, and git's record
// of it.
func (m *Manager) forget(ctx context.Context, v *workspace.View, fence *int64) error {
	w := v.Record
	if w.OwnTree {
		if repo, err := m.repo(ctx, w); err == nil {
			if err := repo.Remove(ctx, w.Path); err != nil {
				return err
			}
		}
	}
	_, err := m.Workspaces.Drop(core.Doing(ctx, "workspace-drop"), workspace.DropIn{
		Task: w.Task, Host: w.Host, Kind: task.WorkspacePruned, Why: "its directory was deleted", Fence: fence,
	})
	return err
}
