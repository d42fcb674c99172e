package policy

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Create creates a project without tasks. The policy of the file that declares it here becomes its policy of record.
func Create(ctx context.Context, env *core.Env, tx *store.Tx, p *task.Project) error {
	rec, err := Record(ctx, env, tx, nil, p.Slug)
	if err != nil {
		return err
	}
	p.Repo = rec.Repo
	if rec.Changed {
		rec.Into(p, tx.Now())
	}
	return tx.CreateProject(p, core.ProjectCreated(p))
}

// Declared returns the project that a request is about, as core.ProjectOf does. If it does not exist and the
// configuration of this process declares it, it is created: the first task begins a project as the first plan does.
func Declared(ctx context.Context, env *core.Env, tx *store.Tx, named string) (*task.Project, error) {
	p, err := core.ProjectOf(ctx, tx, named)
	slug := env.UnappliedIn(ctx, err)
	if slug == "" {
		return p, err
	}
	if err := Create(ctx, env, tx, &task.Project{Slug: slug}); err != nil {
		return nil, err
	}
	return tx.Project(slug)
}
