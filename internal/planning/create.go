package planning

import (
	"cmp"
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/plan"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/strict"
	"tasker/internal/task"
)

// CreateIn is a task definition for a project.
type CreateIn struct {
	Project string `query:"project"` // or in the body
	Def     *plan.TaskDef
}

// DecodeBody reads a task definition, which may name its project.
func (in *CreateIn) DecodeBody(src []byte) error {
	project, def, err := plan.DecodeTask(src)
	if err == nil {
		in.Project, in.Def = cmp.Or(project, in.Project), def
	}
	return err
}

// EncodeBody writes the task definition.
func (in CreateIn) EncodeBody() ([]byte, error) { return in.Def.Marshal() }

// Create creates one task. Without a key its id is its key; a key that exists in the project is refused. A project that
// the configuration declares and that does not exist yet is created with it.
func (s *Service) Create(ctx context.Context, in CreateIn) (*Written, error) {
	if in.Def == nil {
		return nil, fault.Bad("there is no task definition").WithHint(`give at least a title: {"title": "…"}`)
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (*Written, error) {
		p, err := policy.Declared(ctx, s.Env, tx, in.Project)
		if err != nil {
			return nil, err
		}
		if err := core.Writable(p); err != nil {
			return nil, err
		}
		s.About(p.Slug)
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
		circles, err := plan.Rewire(nil, made.Task, tiesOf(tx, p))
		if err != nil {
			return nil, err
		}
		made.Task.InCircle = circles.New
		if err := tx.CreateTasks(p.Slug, []task.NewTask{newTask(*made, tx.Now())}); err != nil {
			return nil, err
		}
		if err := tx.MarkCircles(circles.Marks); err != nil {
			return nil, err
		}
		return reread(tx, made.Task.ID, scene, circles)
	})
}

// BodySchema returns the schema of the body.
func (in CreateIn) BodySchema() strict.Members { return plan.TaskSchema() }

// newTask returns a task to create with its event. The event points into the task, so that it has the ids that the store
// assigns.
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

// createdPayload returns everything that a new task was given.
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

// scene returns the rules and records that a new or edited task of a project is checked against.
func (s *Service) scene(ctx context.Context, tx *store.Tx, p *task.Project) (plan.Scene, error) {
	a, pol, err := s.Rules(ctx, tx, p)
	return plan.Scene{
		Project: p.Slug, Actor: a, Policy: pol, Now: tx.Now(), Tasks: tx.TasksByID,
		Find: func(ref string) (task.ID, error) {
			t, err := tx.TaskByKey(p.Slug, ref)
			if _, _, ok := task.ParseID(ref); fault.Is(err, fault.NotFound) && ok {
				noKey := err
				// The id may be from before a rename or a merge, so its slug alone does not tell the project.
				if t, err = tx.Task(task.ID(ref)); err == nil && t.Project != p.Slug {
					err = noKey
				}
			}
			if err != nil {
				return "", err
			}
			return t.ID, nil
		},
	}, err
}

func keyIsFree(tx *store.Tx, project, key string) error {
	if key == "" {
		return nil
	}
	t, err := byKey(tx, project, key)
	if err != nil || t == nil {
		return err
	}
	return fault.Decline("%s has the key %q already", t.ID, key).
		WithHint("change that task (%s), or choose another key", hint.Edit(t.ID))
}

// byKey returns the task of a project with a key, or nil.
func byKey(tx *store.Tx, project, key string) (*task.Task, error) {
	t, err := tx.TaskByKey(project, key)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return t, err
}

// reread returns a task as this turn wrote it, with the warnings about it and about the circles that it closed.
func reread(tx *store.Tx, id task.ID, scene plan.Scene, circles plan.Circles) (*Written, error) {
	t, err := whole(tx, id)
	if err != nil {
		return nil, err
	}
	return &Written{Task: *t, Warnings: append(scene.Warnings(t), circles.Warnings(id)...)}, nil
}

// whole returns a task with its body and its dependencies.
func whole(tx *store.Tx, id task.ID) (*task.Task, error) {
	t, err := tx.Task(id)
	if err == nil {
		err = tx.Fill(t)
	}
	return t, err
}
