package core

import (
	"context"
	"slices"

	"tasker/internal/store"
	"tasker/internal/task"
)

// Rules returns the caller as it counts in a project, and the project's policy.
func (s *Env) Rules(ctx context.Context, tx *store.Tx, p *task.Project) (task.Actor, task.Policy, error) {
	a, err := s.ActorIn(tx, p, CallerOf(ctx).Actor)
	if err != nil {
		return a, task.Policy{}, err
	}
	pol, err := s.Policy(tx, p)
	return a, pol, err
}

// ActorIn returns an actor as it counts in a project: as the files of this process declare it, unless the project's
// record knows better. It reads nothing where both agree, and at most one row of the log elsewhere.
func (s *Env) ActorIn(tx *store.Tx, p *task.Project, a task.Actor) (task.Actor, error) {
	here, err := s.Settings.ActorIn(p, a)
	if err != nil {
		return here, err
	}
	known, err := s.Settings.Register(p)
	if err != nil || known == nil {
		return here, err
	}
	return counted(tx, p, known, here)
}

// counted returns an actor as it counts in a project whose record says something else than the files here.
func counted(tx *store.Tx, p *task.Project, known *task.Register, here task.Actor) (task.Actor, error) {
	wrote := false
	if known.Asks(here) {
		var err error
		if wrote, err = tx.Wrote(p.Slug, here.Name); err != nil {
			return here, err
		}
	}
	return known.Count(here, wrote), nil
}

// Policy returns the policy of a project. Whether it declares a human and requires a note is not up to the files of this
// process alone: what the record says stays.
func (s *Env) Policy(tx *store.Tx, p *task.Project) (task.Policy, error) {
	pol, err := s.Settings.Policy(p)
	if err != nil {
		return pol, err
	}
	known, err := s.Settings.Register(p)
	if err != nil || known == nil {
		return pol, err
	}
	pol.Humans, err = s.humans(tx, p)
	pol.DeclaresHuman = len(pol.Humans) > 0
	pol.RequireNoteOnDone = pol.RequireNoteOnDone || known.RequireNoteOnDone
	return pol, err
}

// humans returns who counts as a human in a project.
func (s *Env) humans(tx *store.Tx, p *task.Project) ([]task.Actor, error) {
	all, err := s.Actors(tx, p)
	return slices.DeleteFunc(all, func(a task.Actor) bool { return !a.Human }), err
}

// Actors returns the actors that are declared for a project, as they count there: those of the files, then those of the
// record whom the files leave out.
func (s *Env) Actors(tx *store.Tx, p *task.Project) ([]task.Actor, error) {
	out, err := s.Settings.Actors(p)
	if err != nil {
		return nil, err
	}
	known, err := s.Settings.Register(p)
	if err != nil || known == nil {
		return out, err
	}
	for _, a := range known.Actors {
		if !slices.ContainsFunc(out, func(b task.Actor) bool { return a.Name == b.Name }) {
			out = append(out, task.Actor{Name: a.Name})
		}
	}
	for i := range out {
		if out[i], err = counted(tx, p, known, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Overruled returns the actors that count as the project's record says, although the files of this process declare them
// otherwise. An actor that has not written yet is not among them unless the record declares it.
func (s *Env) Overruled(tx *store.Tx, p *task.Project) ([]string, error) {
	names := []string{}
	count, err := s.Actors(tx, p)
	if err != nil {
		return nil, err
	}
	for _, a := range count {
		here, err := s.Settings.ActorIn(p, task.Actor{Name: a.Name})
		if err != nil {
			return nil, err
		}
		if !a.Alike(here) {
			names = append(names, a.Name)
		}
	}
	return names, nil
}

// ReaderIn returns the actor that a project is read for: the named one, or the caller.
func (s *Env) ReaderIn(ctx context.Context, tx *store.Tx, p *task.Project, named string) (task.Actor, error) {
	a := CallerOf(ctx).Actor
	if named != "" {
		name, instance, err := task.ParseActor(named)
		if err != nil {
			return a, err
		}
		a = task.Actor{Name: name, Instance: instance}
	}
	return s.ActorIn(tx, p, a)
}

// KindIn returns whether an actor, given with its instance, is a human or an agent in a project.
func (s *Env) KindIn(tx *store.Tx, p *task.Project, full string) (string, error) {
	name, instance, err := task.ParseActor(full)
	if err != nil {
		return "agent", nil //nolint:nilerr // a name from before names were checked this strictly
	}
	a, err := s.ActorIn(tx, p, task.Actor{Name: name, Instance: instance})
	if a.Human {
		return "human", err
	}
	return "agent", err
}
