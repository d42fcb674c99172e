package planning

import (
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/strict"
	"tasker/internal/task"
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

// Edit changes fields of a task. Anyone may, if the fence allows; in a project that declares a human, an agent may not
// loosen anything. It extends the holder's lease.
func (s *Service) Edit(ctx context.Context, in EditIn) (*Written, error) {
	if in.Edit == nil {
		return nil, fault.Bad("there is no edit").WithHint("name the fields to change")
	}
	return core.Write(ctx, s.Env, func(tx *core.WriteTx) (*Written, error) {
		t, p, err := core.FindToWrite(ctx, &tx.ReadTx, in.Task)
		if err != nil {
			return nil, err
		}
		if err := checkEdit(t, in.Edit); err != nil {
			return nil, err
		}
		if err := tx.Tasks.Fill(t); err != nil {
			return nil, err
		}
		scene, err := s.scene(ctx, &tx.ReadTx, p)
		if err != nil {
			return nil, err
		}
		after, changes, err := in.Edit.Apply(t, scene)
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 {
			return &Written{Task: *t, Warnings: scene.Warnings(t)}, nil
		}
		if err := checkCycles(&tx.ReadTx, t, after); err != nil {
			return nil, err
		}
		if claim, holds := t.Extended(core.CallerOf(ctx).Actor, tx.Now()); holds {
			after = core.WithClaim(after, claim)
		}
		err = tx.Tasks.Save(task.Change{Before: t, After: after, Whole: true, Events: []task.Draft{updatedEvent(changes)}})
		if err != nil {
			return nil, err
		}
		return reread(&tx.ReadTx, t.ID, scene)
	})
}

func checkEdit(t *task.Task, e *plan.Edit) error {
	if err := t.CheckVersion(e.ExpectedVersion); err != nil {
		return err
	}
	return t.CheckFence(e.Fence)
}

func updatedEvent(changes map[string]task.Delta) task.Draft {
	p := make(task.Payload, len(changes))
	for name, d := range changes {
		p[name] = d
	}
	return task.Draft{Kind: task.TaskUpdated, Payload: p}
}

// checkCycles refuses new dependencies, and a new parent, that close a cycle. It walks only from the new ones, a batch
// of tasks at a time.
func checkCycles(tx *core.ReadTx, before, after *task.Task) error {
	fresh := slices.DeleteFunc(slices.Clone(after.Deps), func(id task.ID) bool { return slices.Contains(before.Deps, id) })
	if len(fresh) > 0 {
		edges := edgeReader{tx: tx, known: map[task.ID][]task.ID{}, ahead: fresh}
		if err := plan.WaitCycle(after.ID, fresh, edges.of); err != nil {
			return err
		}
	}
	if after.Parent == before.Parent {
		return nil
	}
	return plan.ParentCycle(after.ID, task.ID(after.Parent), func(id task.ID) (task.ID, error) {
		t, err := tx.Tasks.Get(id)
		if err != nil {
			return "", err
		}
		return task.ID(t.Parent), nil
	})
}

// edgeReader returns what a task depends on, and reads ahead for the tasks that a breadth-first walk will need next.
type edgeReader struct {
	tx    *core.ReadTx
	known map[task.ID][]task.ID
	ahead []task.ID
}

func (r *edgeReader) of(id task.ID) ([]task.ID, error) {
	if out, ok := r.known[id]; ok {
		return out, nil
	}
	const limit = 500
	batch := []task.ID{id}
	r.known[id] = nil
	for len(r.ahead) > 0 && len(batch) < limit {
		next := r.ahead[0]
		r.ahead = r.ahead[1:]
		if _, ok := r.known[next]; !ok {
			r.known[next] = nil
			batch = append(batch, next)
		}
	}
	edges, err := r.tx.Graph.Edges(batch)
	if err != nil {
		return nil, err
	}
	for _, e := range edges {
		r.known[e.From] = append(r.known[e.From], e.To)
		r.ahead = append(r.ahead, e.To)
	}
	return r.known[id], nil
}
