package core

import (
	"context"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/store"
	"tasker/internal/task"
)

// MayAssume declines to write to the only project there is, which nobody named, if it belongs to another repository than
// the one in which the command runs: with one project in the database, every repository would otherwise mean that one.
func (c Caller) MayAssume(p *task.Project) error {
	if !c.Repo.Apart(p.Repo) {
		return nil
	}
	return fault.Decline("the only project there is, %s, belongs to another repository: %s", p.Slug, p.Repo.Place(c.Repo.Host)).
		WithHint("name it if you mean it, with %s; or begin a project of this repository: %s", hint.NamingThis(p.Slug), hint.Command("init"))
}

// placing runs a write, and records the caller's repository in the project that the file here declares, if the write was
// about that project and it has none: it was made before repositories were kept, or outside of one.
//
// Two repositories may declare a project of the same slug, so only the one with the file that the project's policy was
// recorded from is taken for the project's own.
func (s *Env) placing(ctx context.Context, fn func(*store.Tx) error) func(*store.Tx) error {
	repo := CallerOf(ctx).Repo
	if repo.Dir == "" {
		return fn
	}
	return func(tx *store.Tx) error {
		before := tx.LastEvent()
		if err := fn(tx); err != nil || tx.LastEvent() == before {
			return err
		}
		for _, slug := range tx.Known() {
			if err := s.place(tx, slug, repo); err != nil {
				return err
			}
		}
		return nil
	}
}

// place records a repository in a project that has none, if its policy was recorded from the file that declares it here.
func (s *Env) place(tx *store.Tx, slug string, repo task.Repository) error {
	found, err := tx.Find(slug)
	if fault.Is(err, fault.NotFound) { // renamed or deleted by this write
		return nil
	}
	if err != nil || found.Rec.Repo.Dir != "" || found.Rec.PolicyFile == "" {
		return err
	}
	if _, file := s.Settings.FilePolicy(slug); file != found.Rec.PolicyFile {
		return nil
	}
	p, err := tx.Project(slug)
	if err != nil {
		return err
	}
	after := *p
	after.Repo = repo
	return tx.SaveProject(p, &after, ProjectUpdated(task.Payload{"repository": task.Delta{To: repo.Place("")}}))
}
