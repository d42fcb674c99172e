package core

import (
	"cmp"
	"context"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// List gives tasks of a project by number, narrowed by filters, a page at a time.
func (s *Services) List(ctx context.Context, in ListIn) (ListOut, error) {
	limit, err := limitOf(in.Limit, defaultLimit)
	if err != nil {
		return ListOut{}, err
	}
	q := task.ListQuery{HeldBy: in.HeldBy, Text: in.Q, Ready: in.Ready, Blocked: in.Blocked, Limit: limit, Cursor: in.Cursor}
	if in.Status != "" {
		if q.Status, err = task.ParseStatus(in.Status); err != nil {
			return ListOut{}, err
		}
	}
	if in.HeldBy != "" {
		if _, _, err := task.ParseActor(in.HeldBy); err != nil {
			return ListOut{}, err
		}
	}
	return read(ctx, s, func(tx ReadTx) (out ListOut, err error) {
		q := q
		for _, named := range []struct {
			name string
			id   *task.ID
		}{{in.Parent, &q.Parent}, {in.DependsOn, &q.DependsOn}, {in.DependencyOf, &q.DependencyOf}} {
			if named.name == "" {
				continue
			}
			p, id, err := below(ctx, tx, cmp.Or(in.Project, q.Project), named.name)
			if err != nil {
				return out, err
			}
			q.Project, *named.id = p.Slug, id
		}
		p, err := projectOf(ctx, tx, cmp.Or(q.Project, in.Project))
		if err != nil {
			return out, err
		}
		out.Project, q.Project = p.Slug, p.Slug
		var next string
		if out.Tasks, out.Total, next, err = tx.List(q); err != nil {
			return out, err
		}
		out.NextCursor = task.Opt(next)
		return out, tx.Fill(out.Tasks...)
	})
}

// below gives the project that a request means, and the task that it names within it, if any. An id implies its
// project; one of another project than the named one is invalid.
func below(ctx context.Context, tx ReadTx, project, name string) (*task.Project, task.ID, error) {
	if name == "" {
		p, err := projectOf(ctx, tx, project)
		return p, "", err
	}
	t, err := findIn(ctx, tx, cmp.Or(project, CallerOf(ctx).Project), name)
	if err != nil {
		return nil, "", err
	}
	if project != "" && t.Project != project {
		return nil, "", fault.Bad("%s is not a task of %s", t.ID, project).WithHint("name a task of %s, or leave the project out", project)
	}
	p, err := tx.Project(t.Project)
	return p, t.ID, err
}

// Ready gives the head of a project's ready frontier, in the caller's order of selection.
func (s *Services) Ready(ctx context.Context, in ReadyIn) (ReadyOut, error) {
	limit, err := limitOf(in.Limit, defaultLimit)
	if err != nil {
		return ReadyOut{}, err
	}
	return read(ctx, s, func(tx ReadTx) (ReadyOut, error) {
		p, err := projectOf(ctx, tx, in.Slug)
		if err != nil {
			return ReadyOut{}, err
		}
		a, pol, err := s.rules(ctx, p)
		if err != nil {
			return ReadyOut{}, err
		}
		out := ReadyOut{Project: p.Slug, SelectedBy: selection(pol), Total: p.Ready}
		q := task.FrontierQuery{Project: p.Slug, Policy: pol, Actor: a, Lane: task.LaneReady, Form: task.Ready}
		if out.Tasks, err = head(tx, q, limit); err != nil {
			return out, err
		}
		return out, tx.Fill(out.Tasks...)
	})
}

// head gives the first tasks of a walk, at most n of them.
func head(tx ReadTx, q task.FrontierQuery, n int) (out []*task.Task, err error) {
	q.Most = n
	err = tx.Frontier(q, func(t *task.Task) bool {
		out = append(out, t)
		return len(out) < n
	})
	return out, err
}

// selection is the order that counts under a policy.
func selection(p task.Policy) []task.SelectKey {
	if len(p.Selection) == 0 {
		return task.DefaultSelection
	}
	return p.Selection
}
