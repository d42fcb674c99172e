package core

import (
	"cmp"
	"context"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Version tells the versions of the binary, the database's schema and the configuration format.
func (s *Services) Version(ctx context.Context, _ None) (VersionOut, error) {
	schema, err := s.Store.Version(ctx)
	return VersionOut{Version: s.Binary, SchemaVersion: schema, ConfigVersion: s.Config}, err
}

// Whoami tells who acts, what decided that, and what it holds: in the project that is named or assumed, else in
// every one.
func (s *Services) Whoami(ctx context.Context, in WhoamiIn) (WhoamiOut, error) {
	c := CallerOf(ctx)
	return read(ctx, s, func(tx ReadTx) (WhoamiOut, error) {
		slug := cmp.Or(in.Project, c.Project)
		slugs, err := meant(tx, in.Project, c.Project)
		if err != nil {
			return WhoamiOut{}, err
		}
		a := c.Actor
		if slug != "" && len(slugs) == 1 {
			p, err := tx.Project(slug)
			if err != nil {
				return WhoamiOut{}, err
			}
			if a, err = s.Settings.ActorIn(p, a); err != nil {
				return WhoamiOut{}, err
			}
		}
		out := WhoamiOut{
			Actor: a.Name, Instance: task.Opt(a.Instance), Kind: "agent", How: c.How,
			Roles: a.Roles, Capabilities: a.Capabilities, Project: task.Opt(slug),
		}
		if a.Human {
			out.Kind = "human"
		}
		for _, slug := range slugs {
			held, err := tx.Held(slug, c.Actor.Full(), true)
			if err != nil {
				return out, err
			}
			for _, t := range held {
				out.Holding = append(out.Holding, holding(t, tx.Now()))
			}
		}
		return out, nil
	})
}

// meant gives the slugs that a question is about. A project that is named must be there; one that is only assumed
// may be yet to come.
func meant(tx ReadTx, named, assumed string) ([]string, error) {
	if slug := cmp.Or(named, assumed); slug != "" {
		p, err := tx.Project(slug)
		if fault.Is(err, fault.NotFound) && named == "" {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []string{p.Slug}, nil
	}
	all, err := tx.Projects()
	if err != nil {
		return nil, err
	}
	slugs := make([]string, len(all))
	for i, p := range all {
		slugs[i] = p.Slug
	}
	return slugs, nil
}

func holding(t *task.Task, now task.Time) Holding {
	h := Holding{Task: t.ID, Title: t.Title, Progress: task.ProgressOf(t.Criteria)}
	if c := t.Claim; c != nil {
		h.Fence, h.ExpiresAt = c.Fence, c.ExpiresAt
		if c.ExpiresAt != 0 {
			left := max(0, int64(c.ExpiresAt-now)/1000)
			h.LeftMs = &left
		}
	}
	return h
}
