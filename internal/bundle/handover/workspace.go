package handover

import (
	"cmp"
	"fmt"
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// maxHosts limits how many workspaces of one task are read: it has one per machine.
const maxHosts = 100

// landed warns about a done task whose work was not on its base when somebody last looked.
func (d *Draft) landed(tx *store.Tx, t *task.Task) error {
	found, err := workspace.Landings(tx, []*task.Task{t})
	if l := found[t.ID]; err == nil && l != nil && l.Words() != "" {
		d.Warnings = append(d.Warnings, "not landed: "+l.Words())
	}
	return err
}

// place adds the workspace of a task that was opened last, and tells the worker where earlier work is.
func (d *Draft) place(tx *store.Tx, t *task.Task) error {
	all, err := workspace.Find(tx, workspace.Query{Task: t.ID}, maxHosts)
	if err != nil || len(all) == 0 {
		return err
	}
	newest := slices.MaxFunc(all, func(a, b *workspace.Workspace) int { return cmp.Compare(a.OpenedAt, b.OpenedAt) })
	d.Workspace = workspaceOf(newest, t, tx.Now())
	for _, w := range all {
		if w.Fence != 0 && t.Claim != nil && t.Claim.Fence != w.Fence {
			d.Warnings = append(d.Warnings, fmt.Sprintf("earlier work on it lies in %s on %s, opened by %s", w.Path, w.Host, w.OpenedBy))
		}
	}
	return nil
}

// maxWorkspaces limits how many workspaces of a project are read for a list of tasks.
const maxWorkspaces = 10_000

// workspaceOf returns a workspace as readers see it, next to its task.
func workspaceOf(w *workspace.Workspace, t *task.Task, now task.Time) *bundle.Workspace {
	out := &bundle.Workspace{
		Path: w.Path, Host: w.Host, Branch: task.Opt(w.Branch), Base: task.Opt(w.Base), Ports: append([]int{}, w.Ports...),
		State: string(w.StateWith(t, now)), OpenedAt: w.OpenedAt,
	}
	if s := w.Seen; s != nil {
		out.Dirty, out.Ahead, out.Behind, out.Landed, out.Pushed, out.CheckedAt = &s.Dirty, &s.Ahead, &s.Behind, &s.Landed, &s.Pushed, s.CheckedAt
	}
	return out
}

// Workspaces returns the workspaces of the tasks of a project, by task: the one that was opened last. held lists the
// tasks that somebody holds; the others are shown as if nobody held them.
func Workspaces(tx store.View, p *task.Project, held []*task.Task) (map[task.ID]*bundle.Workspace, error) {
	now := tx.Current()
	if now == nil || p.Workspaces == 0 || len(held) == 0 {
		return nil, nil
	}
	all, err := workspace.Find(now, workspace.Query{Project: p.Slug}, maxWorkspaces)
	if err != nil {
		return nil, err
	}
	newest := make(map[task.ID]*workspace.Workspace, len(all))
	for _, w := range all {
		if n := newest[w.Task]; n == nil || w.OpenedAt > n.OpenedAt {
			newest[w.Task] = w
		}
	}
	out := make(map[task.ID]*bundle.Workspace, len(held))
	for _, t := range held {
		if w := newest[t.ID]; w != nil {
			out[t.ID] = workspaceOf(w, t, tx.Now())
		}
	}
	return out, nil
}
