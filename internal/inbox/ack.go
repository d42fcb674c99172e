package inbox

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// AckIn puts inbox items away for the caller.
type AckIn struct {
	Slug  string   `path:"slug" json:"-"`
	Items []string `json:"items"`
}

// AckOut is what was put away.
type AckOut struct {
	Project string   `json:"project"`
	Actor   string   `json:"actor"`
	Items   []string `json:"items"`
}

// Ack puts items away for the caller. An item is shown again only when it happens again.
func (s *Service) Ack(ctx context.Context, in AckIn) (AckOut, error) {
	if len(in.Items) == 0 {
		return AckOut{}, fault.Bad("no item is named").WithMissing("items").WithHint("%s lists them with their ids", hint.Inbox())
	}
	if err := fault.At("items", task.CheckCount("items", len(in.Items), task.MaxListed)); err != nil {
		return AckOut{}, err
	}
	refs := make([]waiting.ItemRef, len(in.Items))
	for i, id := range in.Items {
		var err error
		if refs[i], err = waiting.ParseItem(id); err != nil {
			return AckOut{}, err
		}
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (AckOut, error) {
		p, err := tx.Project(in.Slug)
		if err != nil {
			return AckOut{}, err
		}
		reader, pol, err := s.Rules(ctx, tx, p)
		if err != nil {
			return AckOut{}, err
		}
		g := gatherer{scene: scene{core.Scene{Tx: tx, View: tx, Project: p, Actor: reader, Policy: pol}, s.Env}, reader: reader, all: true}
		for _, ref := range refs {
			found, err := g.find(ref)
			if err != nil {
				return AckOut{}, err
			}
			if err := see(tx, reader, found); err != nil {
				return AckOut{}, err
			}
		}
		return AckOut{Project: p.Slug, Actor: reader.Name, Items: in.Items}, nil
	})
}

// see puts one item away for a reader. If a human acknowledges a failing task or the stop of a runner, that counts for
// everybody.
func see(tx *store.Tx, reader task.Actor, item stub) error {
	if reader.Person() && item.kind == waiting.ItemFailing {
		return inboxdb.Acknowledge(tx, item.ref.Task)
	}
	if reader.Person() && item.kind == waiting.ItemRunner {
		return inboxdb.Dismiss(tx, item.of)
	}
	return inboxdb.See(tx, reader.Name, item.of, item.ref.Item)
}
