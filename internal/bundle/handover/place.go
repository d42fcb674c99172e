package handover

import (
	"cmp"
	"fmt"
	"slices"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/workspace/place"
	"tasker/internal/workspace/workspacedb"
)

// maxPlaces is how many workspaces of one task are looked at: it has one on each machine.
const maxPlaces = 100

// landed warns of a done task whose work was not on its base when somebody last looked.
func (d *Draft) landed(tx *store.Tx, t *task.Task) error {
	found, err := workspacedb.Landings(tx, []*task.Task{t})
	if l := found[t.ID]; err == nil && l != nil && l.Words() != "" {
		d.Warnings = append(d.Warnings, "not landed: "+l.Words())
	}
	return err
}

// place adds the workspace of a task that was opened last, and tells whoever works on it where earlier work lies.
func (d *Draft) place(tx *store.Tx, t *task.Task) error {
	all, err := workspacedb.Workspaces(tx, place.Query{Task: t.ID}, maxPlaces)
	if err != nil || len(all) == 0 {
		return err
	}
	newest := slices.MaxFunc(all, func(a, b *place.Workspace) int { return cmp.Compare(a.OpenedAt, b.OpenedAt) })
	d.Workspace = core.PlaceOf(newest, t, tx.Now())
	for _, w := range all {
		if w.Fence != 0 && t.Claim != nil && t.Claim.Fence != w.Fence {
			d.Warnings = append(d.Warnings, fmt.Sprintf("earlier work on it lies in %s on %s, opened by %s", w.Path, w.Host, w.OpenedBy))
		}
	}
	return nil
}
