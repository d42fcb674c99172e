package admin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/store/dump"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/query"
	"tasker/internal/workspace"
)

// ProjectMergeIn moves everything from one project into another.
type ProjectMergeIn struct {
	Slug, Into string
	Under      string // an open task of the other project, which becomes the parent of tasks without one
	DryRun     bool
}

// ProjectMergeOut is what was moved, or would be.
type ProjectMergeOut struct {
	From    string          `json:"from"`
	Project string          `json:"project"` // the target
	Tasks   int             `json:"tasks"`
	Shift   int64           `json:"shift"` // how much was added to the numbers of its tasks
	Renamed []query.Rekeyed `json:"renamed"`

	SessionsEnded    int `json:"sessionsEnded"`    // they were for the project alone
	SessionsNarrowed int `json:"sessionsNarrowed"` // they were for other projects, too

	DryRun bool `json:"dryRun"`
}

// maxMerged limits how many tasks two projects may have to be merged: all of them are recounted in one turn.
const maxMerged = 100_000

// ProjectMerge moves everything from one project into another, in one transaction. Its tasks get new numbers in the same
// order, and a key that the other project already has becomes SLUG:KEY; the old ids continue to resolve. Sessions do not
// follow it there. Obstacles are listed before anything is written.
func (s *Service) ProjectMerge(ctx context.Context, in ProjectMergeIn) (ProjectMergeOut, error) {
	if in.Slug == in.Into {
		return ProjectMergeOut{}, fault.Bad("%s cannot be merged into itself", in.Slug).WithHint("name two projects")
	}
	return core.WriteAlone(ctx, s.Env, func(tx *store.Tx) (ProjectMergeOut, error) {
		out := ProjectMergeOut{From: in.Slug, Project: in.Into, DryRun: in.DryRun}
		a, b, under, err := s.mergeable(ctx, tx, in, &out)
		if err != nil {
			return out, err
		}
		linked, err := pulledByBoth(tx, a.Slug, b.Slug)
		if err != nil {
			return out, err
		}
		if out.Shift, err = dump.Merge(tx, a.Slug, b.Slug, under); err != nil {
			return out, err
		}
		if err := pullAnew(tx, b.Slug, linked); err != nil {
			return out, err
		}
		if out.SessionsEnded, out.SessionsNarrowed, err = tx.Unscope(a.Slug); err != nil {
			return out, err
		}
		if in.DryRun {
			return out, core.TakeBack()
		}
		const shown = 100
		return out, tx.Record(b.Slug, "", task.Draft{Kind: task.ProjectMerged, Payload: task.Payload{
			"from": a.Slug, "tasks": out.Tasks, "shift": out.Shift, "renamed": len(out.Renamed), "keys": out.Renamed[:min(len(out.Renamed), shown)],
			"sessionsEnded": out.SessionsEnded, "sessionsNarrowed": out.SessionsNarrowed,
		}})
	})
}

// mergeable loads both projects, and refuses what cannot be merged.
func (s *Service) mergeable(
	ctx context.Context, tx *store.Tx, in ProjectMergeIn, out *ProjectMergeOut,
) (a, b *task.Project, under task.ID, err error) {
	if a, err = tx.Project(in.Slug); err != nil {
		return a, b, "", err
	}
	if b, err = tx.Project(in.Into); err != nil {
		return a, b, "", err
	}
	for _, p := range []*task.Project{a, b} {
		if err := cmp.Or(policy.HumansOnly(ctx, s.Env, tx, p, "merge"), core.Writable(p)); err != nil {
			return a, b, "", err
		}
	}
	out.Tasks = a.Tasks.Total()
	if both := out.Tasks + b.Tasks.Total(); both > maxMerged {
		return a, b, "", fault.Decline("%s and %s have %d tasks, and at most %d can be merged", a.Slug, b.Slug, both, maxMerged).
			WithHint("export %s as a plan, and apply that to %s in parts", a.Slug, b.Slug)
	}
	if in.Under != "" {
		if under, err = openParent(ctx, tx, b, in.Under); err != nil {
			return a, b, "", err
		}
	}
	obstacles, err := mergeObstacles(tx, a, b, out)
	if err == nil && len(obstacles) > 0 {
		err = fault.Decline("%s cannot be merged into %s as it is", a.Slug, b.Slug).WithMissing(limited(obstacles)...).
			WithHint("change what is listed; nothing was written")
	}
	return a, b, under, err
}

// openParent returns the task that is to become the parent.
func openParent(ctx context.Context, tx *store.Tx, b *task.Project, name string) (task.ID, error) {
	_, id, err := core.Below(ctx, tx, b.Slug, name)
	if err != nil {
		return "", err
	}
	t, err := tx.Task(id)
	if err == nil && t.Status.Closed() {
		err = fault.Decline("%s is %s, and cannot be the parent of open tasks", id, t.Status).
			WithHint("open it again first: %s", hint.Command("reopen "+string(id)))
	}
	return id, err
}

// mergeObstacles returns what prevents one project from being merged into another, as text.
func mergeObstacles(tx *store.Tx, a, b *task.Project, out *ProjectMergeOut) (found []string, err error) {
	for _, gate := range slices.Sorted(maps.Keys(a.Gates)) {
		if kinds, ok := b.Gates[gate]; !ok || !slices.Equal(kinds, a.Gates[gate]) {
			found = append(found, fmt.Sprintf("gate %s: %s does not define it as %s does", gate, b.Slug, a.Slug))
		}
	}
	if out.Renamed, err = dump.Rekeyed(tx, a.Slug, b.Slug); err != nil {
		return nil, err
	}
	for _, r := range out.Renamed {
		switch {
		case r.Taken:
			found = append(found, fmt.Sprintf("key %s: both have it, and %s is taken too", r.Key, r.To))
		case len([]rune(r.To)) > task.MaxKey:
			found = append(found, fmt.Sprintf("key %s: both have it, and prefixed with %s it would be too long", r.Key, a.Slug))
		}
	}
	shared, err := dump.Shared(tx, a.Slug, b.Slug, maxFound)
	if err != nil {
		return nil, err
	}
	for _, s := range shared {
		found = append(found, fmt.Sprintf("issue %s: %s and %s are bound to it, and an issue has one task, so unbind one of them first", s.Ref, s.Task, s.Other))
	}
	open, err := workspace.Find(tx, workspace.Query{Project: a.Slug}, maxFound)
	for _, w := range open {
		found = append(found, fmt.Sprintf("workspace of %s on %s: it is named after the id, so close it first", w.Task, w.Host))
	}
	return found, err
}

// pulledByBoth returns the systems that both projects have been pulled from.
func pulledByBoth(tx *store.Tx, from, into string) (out []string, err error) {
	for _, system := range []string{merge.IssueTracker, merge.CodeHost} {
		a, err := linkdb.Health(tx, from, system)
		if err != nil {
			return nil, err
		}
		b, err := linkdb.Health(tx, into, system)
		if err != nil {
			return nil, err
		}
		if a.LastPull != 0 && b.LastPull != 0 {
			out = append(out, system)
		}
	}
	return out, nil
}

// pullAnew makes the next pull of a project fetch everything from its systems: one of the two projects may not have seen
// what the other has.
func pullAnew(tx *store.Tx, project string, systems []string) error {
	for _, system := range systems {
		h, err := linkdb.Health(tx, project, system)
		if err != nil {
			return err
		}
		h.Started, h.Marks = 0, nil
		if err := linkdb.SaveHealth(tx, project, system, h); err != nil {
			return err
		}
	}
	return nil
}
