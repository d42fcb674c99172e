package core

import (
	"context"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
)

// Create makes one task. Without a key it takes its id for one; a key that the project has already is declined.
func (s *Services) Create(ctx context.Context, in CreateIn) (*task.Task, error) {
	if in.Def == nil {
		return nil, fault.Bad("there is no task definition").WithHint(`give at least a title: {"title": "…"}`)
	}
	return write(ctx, s, func(tx WriteTx) (*task.Task, error) {
		p, err := projectOf(ctx, tx, in.Project)
		if err != nil {
			return nil, err
		}
		if err := alive(p); err != nil {
			return nil, err
		}
		scene, err := s.scene(ctx, tx, p)
		if err != nil {
			return nil, err
		}
		made, err := in.Def.New(scene)
		if err != nil {
			return nil, err
		}
		if err := keyIsFree(tx, p.Slug, made.Task.Key); err != nil {
			return nil, err
		}
		if err := tx.CreateTasks(p.Slug, []task.NewTask{newTask(*made, tx.Now())}); err != nil {
			return nil, err
		}
		return reread(tx, made.Task.ID)
	})
}

// newTask is a task to create with the event that tells of it. The event points into the task, so that it tells of
// the ids that the store assigns.
func newTask(c plan.Create, now task.Time) task.NewTask {
	t := c.Task
	t.CreatedAt, t.UpdatedAt = now, now
	if t.Status.Closed() {
		t.ClosedAt = now
	}
	return task.NewTask{
		Task: t, NewParent: c.NewParent, NewDeps: c.NewDeps, Evidence: c.Evidence,
		Event: task.Draft{Kind: task.TaskCreated, Payload: createdPayload(t, c.NewParent > 0, len(c.NewDeps) > 0)},
	}
}

// createdPayload tells everything that a new task was given.
func createdPayload(t *task.Task, newParent, newDeps bool) task.Payload {
	p := task.Payload{"key": &t.Key, "title": t.Title, "status": t.Status, "priority": t.Priority}
	t.AddGiven(p)
	if newParent || t.Parent != "" {
		p["parent"] = &t.Parent
	}
	if newDeps || len(t.Deps) > 0 {
		p["deps"] = &t.Deps
	}
	return p
}

// scene is what creating or editing a task of a project is decided in.
func (s *Services) scene(ctx context.Context, tx ReadTx, p *task.Project) (plan.Scene, error) {
	a, pol, err := s.rules(ctx, p)
	return plan.Scene{
		Project: p.Slug, Actor: a, Policy: pol, Now: tx.Now(),
		Find: func(ref string) (task.ID, error) {
			t, err := tx.TaskByKey(p.Slug, ref)
			if slug, _, ok := task.ParseID(ref); fault.Is(err, fault.NotFound) && ok && slug == p.Slug {
				t, err = tx.Task(task.ID(ref))
			}
			if err != nil {
				return "", err
			}
			return t.ID, nil
		},
	}, err
}

func keyIsFree(tx ReadTx, project, key string) error {
	if key == "" {
		return nil
	}
	t, err := tx.TaskByKey(project, key)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	}
	return fault.Decline("%s has the key %q already", t.ID, key).
		WithHint("change that task (tasker edit %s), or choose another key", t.ID)
}

// reread gives a task as it is after what this turn wrote.
func reread(tx ReadTx, id task.ID) (*task.Task, error) {
	t, err := tx.Task(id)
	if err != nil {
		return nil, err
	}
	return t, tx.Fill(t)
}

// Edit changes fields of a task. It is open to everybody, fence permitting; in a project that declares a human, an
// agent may not loosen anything by it. The holder's lease is extended by it.
func (s *Services) Edit(ctx context.Context, in EditIn) (*task.Task, error) {
	if in.Edit == nil {
		return nil, fault.Bad("there is no edit").WithHint("name the fields to change")
	}
	return write(ctx, s, func(tx WriteTx) (*task.Task, error) {
		t, p, err := findToWrite(ctx, tx, in.Task)
		if err != nil {
			return nil, err
		}
		if err := checkEdit(t, in.Edit); err != nil {
			return nil, err
		}
		if err := tx.Fill(t); err != nil {
			return nil, err
		}
		scene, err := s.scene(ctx, tx, p)
		if err != nil {
			return nil, err
		}
		after, changes, err := in.Edit.Apply(t, scene)
		if err != nil || len(changes) == 0 {
			return t, err
		}
		if err := checkCycles(tx, t, after); err != nil {
			return nil, err
		}
		if claim, holds := t.Extended(CallerOf(ctx).Actor, tx.Now()); holds {
			after = withClaim(after, claim)
		}
		err = tx.Save(task.Change{Before: t, After: after, Whole: true, Events: []task.Draft{updatedEvent(changes)}})
		if err != nil {
			return nil, err
		}
		return reread(tx, t.ID)
	})
}

func checkEdit(t *task.Task, e *plan.Edit) error {
	if err := t.CheckVersion(e.ExpectedVersion); err != nil {
		return err
	}
	return t.CheckFence(e.Fence)
}

func updatedEvent(changes map[string]task.Delta) task.Draft {
	p := make(task.Payload, len(changes))
	for name, d := range changes {
		p[name] = d
	}
	return task.Draft{Kind: task.TaskUpdated, Payload: p}
}

// checkCycles refuses new dependencies, and a new parent, that close a cycle. It walks from the new ones alone, a
// batch of tasks at a time.
func checkCycles(tx ReadTx, before, after *task.Task) error {
	fresh := slices.DeleteFunc(slices.Clone(after.Deps), func(id task.ID) bool { return slices.Contains(before.Deps, id) })
	if len(fresh) > 0 {
		edges := edgeReader{tx: tx, known: map[task.ID][]task.ID{}, ahead: fresh}
		if err := plan.WaitCycle(after.ID, fresh, edges.of); err != nil {
			return err
		}
	}
	if after.Parent == before.Parent {
		return nil
	}
	return plan.ParentCycle(after.ID, task.ID(after.Parent), func(id task.ID) (task.ID, error) {
		t, err := tx.Task(id)
		if err != nil {
			return "", err
		}
		return task.ID(t.Parent), nil
	})
}

// edgeReader answers what a task waits for, reading ahead for those that a walk in breadth will ask for next.
type edgeReader struct {
	tx    ReadTx
	known map[task.ID][]task.ID
	ahead []task.ID
}

func (r *edgeReader) of(id task.ID) ([]task.ID, error) {
	if out, ok := r.known[id]; ok {
		return out, nil
	}
	const most = 500
	batch := []task.ID{id}
	r.known[id] = nil
	for len(r.ahead) > 0 && len(batch) < most {
		next := r.ahead[0]
		r.ahead = r.ahead[1:]
		if _, ok := r.known[next]; !ok {
			r.known[next] = nil
			batch = append(batch, next)
		}
	}
	edges, err := r.tx.Edges(batch)
	if err != nil {
		return nil, err
	}
	for _, e := range edges {
		r.known[e.From] = append(r.known[e.From], e.To)
		r.ahead = append(r.ahead, e.To)
	}
	return r.known[id], nil
}
