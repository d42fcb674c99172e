package machine

import (
	"context"
	"fmt"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// Refresh merges the base into a workspace, and the branches of done dependencies that are not on
// the base yet. On a conflict the branch stays as it is, and the warning names the file and the
// task.
func (m *Manager) Refresh(ctx context.Context, s Subject) (workspace.View, error) {
	fence, _, release, err := m.enter(ctx, s.ID, workspace.ToRefresh)
	if err != nil {
		return workspace.View{}, err
	}
	defer release()
	v, err := m.Here(ctx, s.ID)
	if err != nil {
		return v, err
	}
	w := *v.Record
	switch {
	case w.State != workspace.Open:
		return v, fault.Decline("the workspace of %s is %s", s.ID, w.State).WithHint("open it: %s", hint.Command("workspace open "+string(s.ID)))
	case w.Branch == "" || !w.OwnTree:
		return v, fault.Decline("the workspace of %s is not a work tree of its own", s.ID).WithHint("bring its branch up to date with git")
	}
	if m.Repo, err = m.repo(ctx, &w); err != nil {
		return v, err
	}
	warnings, err := m.forward(ctx, &w, s)
	if err != nil {
		return v, err
	}
	if err := m.look(ctx, &w, false); err != nil {
		return v, err
	}
	out, err := m.call(ctx, workspace.Made{Workspace: w, From: workspace.Open, To: workspace.ToRefresh, Fence: fence})
	out.Warnings = append(out.Warnings, warnings...)
	return out, err
}

// forward merges what is new into the branch of a workspace.
func (m *Manager) forward(ctx context.Context, w *workspace.Workspace, s Subject) ([]string, error) {
	base, warnings, err := m.askBase(ctx, m.Repo)
	if err != nil {
		return nil, err
	}
	head, err := m.Repo.Commit(ctx, w.Branch)
	if err != nil {
		return warnings, err
	}
	tip, conflict, err := m.Repo.Merged(ctx, head, base.Commit, "Merge "+base.Name+" into "+w.Branch)
	if err != nil {
		return warnings, err
	}
	if conflict != nil {
		return append(warnings, fmt.Sprintf("%s is not merged in: it conflicts in %s", base.Name, strings.Join(conflict, ", "))), nil
	}
	w.Base, w.Against = base.Name, base.Ref()
	tip, in, err := m.building(ctx, w, base, tip, s)
	if in != nil {
		warnings = append(warnings, in.words(base)+"; neither is merged in")
	}
	if err != nil || tip == head {
		return warnings, err
	}
	return warnings, m.Repo.Forward(ctx, w.Path, tip)
}

// Look records what the work tree of a task holds now, which anybody may do. It returns nil if that
// could not be recorded, or if the task has no workspace here.
func (m *Manager) Look(ctx context.Context, id task.ID) (*workspace.View, error) {
	v, err := m.find(ctx, id)
	if err != nil || v == nil || v.Record.State != workspace.Open || !exists(v.Path) {
		return nil, err
	}
	w := *v.Record
	if w.Branch != "" && m.Repo != nil {
		if err := m.Repo.Survey(ctx); err != nil {
			return nil, err
		}
	}
	if err := m.look(ctx, &w, false); err != nil {
		return nil, err
	}
	out, err := m.call(ctx, workspace.Made{Workspace: w, From: workspace.Open, Looked: true})
	return &out, err
}
