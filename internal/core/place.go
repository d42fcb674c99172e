package core

import (
	"tasker/internal/bundle"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/workspace/place"
	"tasker/internal/workspace/workspacedb"
)

// maxPlaces is how many workspaces of a project are looked at for a list of tasks.
const maxPlaces = 10_000

// PlaceOf returns a workspace as readers see it, beside its task.
func PlaceOf(w *place.Workspace, t *task.Task, now task.Time) *bundle.Workspace {
	out := &bundle.Workspace{
		Path: w.Path, Host: w.Host, Branch: task.Opt(w.Branch), Base: task.Opt(w.Base), Ports: append([]int{}, w.Ports...),
		State: string(w.StateBeside(t, now)), OpenedAt: w.OpenedAt,
	}
	if s := w.Seen; s != nil {
		out.Dirty, out.Ahead, out.Behind, out.Landed, out.Pushed, out.CheckedAt = &s.Dirty, &s.Ahead, &s.Behind, &s.Landed, &s.Pushed, s.CheckedAt
	}
	return out
}

// Places returns the workspaces of the tasks of a project, by task: of each the one that was opened last. held has the tasks
// that somebody holds; the others are shown as if nobody did.
func Places(tx store.View, p *task.Project, held []*task.Task) (map[task.ID]*bundle.Workspace, error) {
	now := tx.Current()
	if now == nil || p.Workspaces == 0 || len(held) == 0 {
		return nil, nil
	}
	all, err := workspacedb.Workspaces(now, place.Query{Project: p.Slug}, maxPlaces)
	if err != nil {
		return nil, err
	}
	newest := make(map[task.ID]*place.Workspace, len(all))
	for _, w := range all {
		if n := newest[w.Task]; n == nil || w.OpenedAt > n.OpenedAt {
			newest[w.Task] = w
		}
	}
	out := make(map[task.ID]*bundle.Workspace, len(held))
	for _, t := range held {
		if w := newest[t.ID]; w != nil {
			out[t.ID] = PlaceOf(w, t, tx.Now())
		}
	}
	return out, nil
}
