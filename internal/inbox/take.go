package inbox

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// TakeIn takes an inbox item for a while, so that nobody else deals with it too.
type TakeIn struct {
	Slug  string `path:"slug" json:"-"`
	Item  string `json:"item"`
	ForMs *int64 `json:"forMs,omitzero" about:"for how long; half an hour unless it says so"`
}

// TakeOut says who has an item until when; nobody, after it was given back.
type TakeOut struct {
	Item  string    `json:"item"`
	By    task.Opt  `json:"by"`
	Until task.Time `json:"until"`
}

// Take takes an item for the caller, or takes it for longer. That ends with the item, with its time, or when it is given back.
func (s *Service) Take(ctx context.Context, in TakeIn) (TakeOut, error) {
	return s.taking(ctx, in.Slug, in.Item, func(tx *store.Tx, a task.Actor, item stub, now waiting.Taken) (waiting.Taken, error) {
		return now.TakeBy(a, item.ref, item.of, in.ForMs, tx.Now())
	})
}

// GiveIn gives an inbox item back that was taken.
type GiveIn struct {
	Slug string `path:"slug" json:"-"`
	Item string `json:"item"`
}

// Give gives back an item that was taken, so that others may take it.
func (s *Service) Give(ctx context.Context, in GiveIn) (TakeOut, error) {
	return s.taking(ctx, in.Slug, in.Item, func(tx *store.Tx, a task.Actor, item stub, now waiting.Taken) (waiting.Taken, error) {
		return waiting.Taken{}, now.GiveBy(a, item.ref, item.of, tx.Now())
	})
}

// taking saves who has an item now, as decide says from who had it until now.
func (s *Service) taking(
	ctx context.Context, slug, id string, decide func(*store.Tx, task.Actor, stub, waiting.Taken) (waiting.Taken, error),
) (TakeOut, error) {
	ref, err := waiting.ParseItem(id)
	if err != nil {
		return TakeOut{}, err
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (TakeOut, error) {
		p, err := tx.Project(slug)
		if err != nil {
			return TakeOut{}, err
		}
		reader, pol, err := s.Rules(ctx, tx, p)
		if err != nil {
			return TakeOut{}, err
		}
		g := gatherer{scene: scene{core.Scene{Tx: tx, View: tx, Project: p, Actor: reader, Policy: pol}, s.Env}, reader: reader, all: true}
		item, err := g.find(ref)
		if err != nil {
			return TakeOut{}, err
		}
		taken, err := inboxdb.Taken(tx, p.Slug, []task.ID{ref.Task})
		if err != nil {
			return TakeOut{}, err
		}
		now, err := decide(tx, reader, item, taken[ref])
		if err != nil {
			return TakeOut{}, err
		}
		return TakeOut{Item: id, By: task.Opt(now.By), Until: now.Until}, inboxdb.SaveTaken(tx, ref, now)
	})
}
