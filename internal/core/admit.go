package core

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
)

// admitting runs a write, and admits its caller to the record of each project that it wrote in for the first time.
//
// A human whom only the file here declares counts as one until the project knows the name. From then on the record
// decides, and it would know the human as an agent. The record admits only people: nobody in an agent's shell or behind
// tools, and nobody who has written before, because that may have been an agent under the same name.
func (s *Env) admitting(ctx context.Context, fn func(*store.Tx) error) func(*store.Tx) error {
	c := CallerOf(ctx)
	if !c.Actor.Person() || c.Via.Agent != "" || c.Via.Face == "mcp" {
		return fn
	}
	return func(tx *store.Tx) error {
		before := tx.LastEvent()
		err := fn(tx)
		if err != nil && !fault.Is(err, fault.Declined) || tx.LastEvent() == before {
			return err
		}
		for _, slug := range tx.Known() { // also after a refusal, which may keep what it wrote
			if failed := s.admit(tx, slug, c.Actor, before); failed != nil && err == nil {
				err = failed
			}
		}
		return err
	}
}

// admit adds an actor to the record of a project if its first event there is later than the event before.
func (s *Env) admit(tx *store.Tx, slug string, a task.Actor, before int64) error {
	p, err := tx.Project(slug)
	if fault.Is(err, fault.NotFound) { // renamed or deleted by this write
		return nil
	}
	if err != nil {
		return err
	}
	known, err := s.Settings.Register(p)
	if err != nil || known == nil {
		return err
	}
	here, err := s.Settings.ActorIn(p, a)
	if err != nil || !here.Person() || !known.Asks(here) {
		return err
	}
	declared, _ := s.Settings.FilePolicy(p.Slug)
	after := *p
	var ok bool
	if after.Policy, ok = config.Admit(p.Policy, declared, a.Name); !ok {
		return nil
	}
	if a, _, err := s.Settings.ByRecord(&after, a); err != nil || !a.Human { // settings in the database replace the record's actors
		return err
	}
	if wrote, err := tx.WroteUntil(p.Slug, a.Name, before); err != nil || wrote {
		return err
	}
	if wrote, err := tx.Wrote(p.Slug, a.Name); err != nil || !wrote {
		return err
	}
	return tx.SaveProject(p, &after, ProjectUpdated(task.Payload{
		"policy": task.Delta{From: jsontext.Value(p.Policy), To: jsontext.Value(after.Policy)},
	}))
}
