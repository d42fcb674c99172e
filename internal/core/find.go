package core

import (
	"context"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// find gives the task that a request names: by id, or by key in the project that the request is about.
func find(ctx context.Context, tx ReadTx, name string) (*task.Task, error) {
	return findIn(ctx, tx, CallerOf(ctx).Project, name)
}

// findIn is find with the project that keys belong to; empty for the only one there is.
func findIn(ctx context.Context, tx ReadTx, project, name string) (*task.Task, error) {
	if name == "" {
		return nil, fault.Bad("no task is named").WithHint("name it by its id, such as demo-4; list them: tasker list")
	}
	var noID error
	if _, _, ok := task.ParseID(name); ok {
		t, err := tx.Task(task.ID(name))
		if err == nil || !fault.Is(err, fault.NotFound) {
			return t, err
		}
		noID = err
	}
	if noID != nil && project == "" {
		return nil, noID
	}
	p, err := projectOf(ctx, tx, project)
	if err != nil {
		if noID != nil {
			return nil, noID
		}
		return nil, err
	}
	t, err := tx.TaskByKey(p.Slug, name)
	switch {
	case err == nil:
		return t, nil
	case !fault.Is(err, fault.NotFound):
		return nil, err
	case noID != nil:
		return nil, noID
	}
	return nil, fault.Missing("there is no task %q in %s", name, p.Slug).WithHint("list what there is: tasker list -p %s", p.Slug)
}

// findToWrite is find for a write: the project that it gives too is not archived.
func findToWrite(ctx context.Context, tx ReadTx, name string) (*task.Task, *task.Project, error) {
	t, err := find(ctx, tx, name)
	if err != nil {
		return nil, nil, err
	}
	p, err := tx.Project(t.Project)
	if err != nil {
		return nil, nil, err
	}
	return t, p, alive(p)
}

// stored gives the project that a plan names. A name that no project can have is not asked for: it may hold what a
// database cannot even look for, and what is wrong with it is the comparison's to say.
func stored(tx ReadTx, slug string) (*task.Project, error) {
	if err := task.CheckSlug(slug); err != nil {
		return nil, fault.Missing("there is no project %q", slug).WithCause(err)
	}
	return tx.Project(slug)
}

// alive declines a write to an archived project.
func alive(p *task.Project) error {
	if p.Archived {
		return fault.Decline("the project %s is archived", p.Slug).WithHint("bring it back: tasker project archive %s --restore", p.Slug)
	}
	return nil
}

// limitOf is how many records an answer may have: fallback where none was asked for, never more than 1000.
func limitOf(asked *int, fallback int) (int, error) {
	const most = 1000
	if asked == nil {
		return fallback, nil
	}
	if *asked <= 0 {
		return 0, fault.Bad("limit is %d", *asked).WithHint("a whole number above 0; more than %d is cut at that", most)
	}
	return min(*asked, most), nil
}

// How many records an answer has where the request does not say.
const (
	defaultLimit       = 50
	defaultEventsLimit = 100
)
