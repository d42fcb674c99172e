package admin

import (
	"cmp"
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/task"
)

// ProjectCreateIn creates an empty project.
type ProjectCreateIn struct {
	Slug, Name, Vision string
}

// ProjectRenameIn changes a project's slug.
type ProjectRenameIn struct {
	Slug, To string
}

// ProjectArchiveIn archives a project, or restores it.
type ProjectArchiveIn struct {
	Slug    string
	Restore bool
}

// ProjectCreate creates an empty project.
func (s *Service) ProjectCreate(ctx context.Context, in ProjectCreateIn) (*task.Project, error) {
	if err := cmp.Or(task.CheckSlug(in.Slug), task.CheckOptional("name", in.Name, task.MaxTitle),
		task.CheckOptional("vision", in.Vision, task.MaxText)); err != nil {
		return nil, err
	}
	return s.administer(ctx, in.Slug, func(tx *store.Tx) error {
		return policy.Create(ctx, s.Env, tx, &task.Project{Slug: in.Slug, Name: task.Opt(in.Name), Vision: task.Opt(in.Vision)})
	})
}

// ProjectRename changes a project's slug, and with it the ids of its tasks. The policy of a configuration file applies to
// the slug that the file declares.
func (s *Service) ProjectRename(ctx context.Context, in ProjectRenameIn) (*task.Project, error) {
	if err := task.CheckSlug(in.To); err != nil {
		return nil, err
	}
	return s.administer(ctx, in.To, func(tx *store.Tx) error {
		p, err := tx.Project(in.Slug)
		if err != nil || in.Slug == in.To {
			return err
		}
		return policy.Rename(ctx, s.Env, tx, p, in.To)
	})
}

// ProjectArchive makes a project read-only, or restores it.
func (s *Service) ProjectArchive(ctx context.Context, in ProjectArchiveIn) (*task.Project, error) {
	return s.administer(ctx, in.Slug, func(tx *store.Tx) error {
		before, err := tx.Project(in.Slug)
		if err != nil || before.Archived != in.Restore {
			return err
		}
		if err := policy.MayArchive(ctx, s.Env, tx, before); err != nil {
			return err
		}
		after := *before
		after.Archived = !in.Restore
		return tx.SaveProject(before, &after, task.Draft{Kind: task.ProjectArchived, Payload: task.Payload{
			"archived": task.Delta{From: before.Archived, To: after.Archived},
		}})
	})
}

// administer runs fn in a turn and returns the project after it.
func (s *Service) administer(ctx context.Context, slug string, fn func(*store.Tx) error) (*task.Project, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (*task.Project, error) {
		if err := fn(tx); err != nil {
			return nil, err
		}
		return tx.Project(slug)
	})
}

// ProjectDelete removes a project with everything in it, and returns its record. It is refused while somebody else holds
// one of its tasks.
func (s *Service) ProjectDelete(ctx context.Context, in core.ProjectIn) (*task.Project, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (*task.Project, error) {
		p, err := tx.Project(in.Slug)
		if err != nil {
			return nil, err
		}
		if err := policy.HumansOnly(ctx, s.Env, tx, p, "delete"); err != nil {
			return nil, err
		}
		held, err := tx.Held(p.Slug, "", false)
		if err != nil {
			return nil, err
		}
		for _, t := range held {
			if t.HeldByOther(core.CallerOf(ctx).Actor, tx.Now()) {
				return nil, fault.Decline("%s is %s, and would be deleted with the project %s", t.ID, t.Claim, p.Slug).
					WithHint("have it released first: %s", hint.Release(t.ID))
			}
		}
		return p, tx.DeleteProject(p.Slug)
	})
}
