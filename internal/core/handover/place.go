package handover

import (
	"fmt"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/place"
)

// maxPlaces is how many workspaces of one task are looked at: it has one on each machine.
const maxPlaces = 100

// place adds the workspace of a task that was opened last, and tells whoever works on it where earlier work lies.
func (d *Draft) place(tx *core.ReadTx, t *task.Task) error {
	all, err := tx.Workspaces.Workspaces(place.Query{Task: t.ID}, maxPlaces)
	if err != nil || len(all) == 0 {
		return err
	}
	newest := all[0]
	for _, w := range all {
		if w.OpenedAt > newest.OpenedAt {
			newest = w
		}
	}
	d.Workspace = placeOf(newest, t, tx.Now())
	for _, w := range all {
		if w.Fence != 0 && t.Claim != nil && t.Claim.Fence != w.Fence {
			d.Warnings = append(d.Warnings, fmt.Sprintf("earlier work on it lies in %s on %s, opened by %s", w.Path, w.Host, w.OpenedBy))
		}
	}
	return nil
}

func placeOf(w *place.Workspace, t *task.Task, now task.Time) *bundle.Workspace {
	out := &bundle.Workspace{
		Path: w.Path, Host: w.Host, Branch: task.Opt(w.Branch), Base: task.Opt(w.Base), Ports: append([]int{}, w.Ports...),
		State: string(w.StateBeside(t, now)), OpenedAt: w.OpenedAt,
	}
	if s := w.Seen; s != nil {
		out.Dirty, out.Ahead, out.Behind, out.Landed, out.CheckedAt = &s.Dirty, &s.Ahead, &s.Behind, &s.Landed, s.CheckedAt
	}
	return out
}
