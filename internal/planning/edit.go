package planning

import (
	"cmp"
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// EditIn changes fields of a task.
type EditIn struct {
	Task string `path:"id"`
	Edit *plan.Edit
}

// DecodeBody reads an edit.
func (in *EditIn) DecodeBody(src []byte) (err error) {
	in.Edit, err = plan.DecodeEdit(src)
	return err
}

// EncodeBody writes the edit.
func (in EditIn) EncodeBody() ([]byte, error) { return in.Edit.Marshal() }

// BodySchema returns the schema of the body.
func (in EditIn) BodySchema() strict.Members { return plan.EditSchema() }

// Edit changes fields of a task. Anyone may edit, if the fence allows it; in a project that declares a human, an agent
// may not loosen anything. An edit extends the holder's lease.
func (s *Service) Edit(ctx context.Context, in EditIn) (*Edited, error) {
	if in.Edit == nil {
		return nil, fault.Bad("there is no edit").WithHint("name the fields to change")
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (*Edited, error) {
		t, p, err := s.FindToWrite(ctx, tx, in.Task)
		if err != nil {
			return nil, err
		}
		if err := cmp.Or(t.CheckVersion(in.Edit.ExpectedVersion), t.CheckFence(in.Edit.Fence)); err != nil {
			return nil, err
		}
		if err := tx.Fill(t); err != nil {
			return nil, err
		}
		scene, err := s.scene(ctx, tx, p)
		if err != nil {
			return nil, err
		}
		after, changes, err := in.Edit.Apply(t, scene)
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 {
			return &Edited{Written{Task: *t, Warnings: scene.Warnings(t)}, map[string]task.Delta{}}, nil
		}
		circles, err := rewire(tx, p, t, after, scene)
		if err != nil {
			return nil, err
		}
		by, err := core.ActingFor(ctx, tx, t, scene.Actor, in.Edit.Fence)
		if err != nil {
			return nil, err
		}
		if claim, holds := t.Extended(by, tx.Now()); holds {
			after = core.WithClaim(after, claim)
		}
		if err := saveWired(tx, t, after, circles, updatedEvent(changes)); err != nil {
			return nil, err
		}
		out, err := reread(tx, t.ID, scene, circles)
		if err != nil {
			return nil, err
		}
		if in.Edit.Deps.Set {
			out.Warnings = append(out.Warnings, dropped(t.Deps, after.Deps)...)
		}
		theirs, err := s.editedForeign(tx, p, t, changes)
		out.Warnings = append(out.Warnings, theirs...)
		return &Edited{*out, changes}, err
	})
}

// rewire decides what the new edges of an edited task lead to.
func rewire(tx *store.Tx, p *task.Project, before, after *task.Task, scene plan.Scene) (plan.Circles, error) {
	circles, err := plan.Rewire(before, after, tiesOf(tx, p))
	if err == nil {
		err = encircled(tx, circles.Marks, scene.Actor, scene.Policy)
	}
	return circles, err
}

// saveWired stores a task whose parent or dependencies may have changed, and updates circles accordingly.
func saveWired(tx *store.Tx, before, after *task.Task, circles plan.Circles, events ...task.Draft) error {
	if err := tx.Save(task.Change{Before: before, After: after, Whole: true, Events: events}); err != nil {
		return err
	}
	return tx.MarkCircles(circles.Marks)
}

// dropped warns of dependencies that a new list of them leaves out: some callers expect the list to be added.
func dropped(before, after []task.ID) []string {
	gone := slices.DeleteFunc(slices.Clone(before), func(id task.ID) bool { return slices.Contains(after, id) })
	if len(gone) == 0 {
		return nil
	}
	return []string{"it no longer waits for " + words.Some(gone, len(gone)) + ": what was given replaced the whole list; --add-dep (addDeps) adds to it"}
}

func updatedEvent(changes map[string]task.Delta) task.Draft {
	return task.Draft{Kind: task.TaskUpdated, Payload: payloadOf(changes)}
}

// payloadOf returns changes as the payload of an event.
func payloadOf(changes map[string]task.Delta) task.Payload {
	p := make(task.Payload, len(changes))
	for name, d := range changes {
		p[name] = d
	}
	return p
}

// tiesOf reads the stored edges of a project.
func tiesOf(tx *store.Tx, p *task.Project) plan.Ties {
	ties := plan.Ties{
		From: tx.TiesFrom, To: tx.TiesTo,
		Circles: func() (bool, error) {
			some, err := tx.Circled(p.Slug, false, 1)
			return len(some) > 0, err
		},
	}
	return ties.Far(p.Slug, p.NextNumber)
}
