package links

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// ResolveIn settles a disagreement. Value is only for set_value.
type ResolveIn struct {
	Conflict   int64
	Resolution string
	Value      *string
	DryRun     bool
}

// ResolveOut says how it was settled, and the value that the field now has here.
type ResolveOut struct {
	Conflict   int64   `json:"conflict"`
	Resolution string  `json:"resolution"`
	Task       task.ID `json:"task"`
	Field      string  `json:"field"`
	Value      any     `json:"value"`

	DryRun bool     `json:"dryRun,omitzero"`
	From   any      `json:"from,omitzero"` // for a dry run: the current value here
	Plan   *Planned `json:"plan,omitzero"` // for a dry run: the write that would be planned for the other side
}

// Resolve settles a disagreement. If it was settled before, that is undone first.
func (s *Service) Resolve(ctx context.Context, in ResolveIn) (ResolveOut, error) {
	if err := in.check(); err != nil {
		return ResolveOut{}, err
	}
	return core.WriteUnless(ctx, s.Env, in.DryRun, func(tx *store.Tx) (ResolveOut, error) {
		d, err := linkdb.Conflict(tx, in.Conflict)
		if err != nil {
			return ResolveOut{}, err
		}
		t, p, err := s.FindToWrite(ctx, tx, string(d.Task))
		if err != nil {
			return ResolveOut{}, err
		}
		if err := tx.Fill(t); err != nil {
			return ResolveOut{}, err
		}
		sc, err := s.scene(ctx, tx, p)
		if err != nil {
			return ResolveOut{}, err
		}
		r := &resolving{Service: s, tx: tx, sc: sc, t: t, d: d}
		if err := r.load(); err != nil {
			return ResolveOut{}, err
		}
		return r.resolve(in)
	})
}

func (in ResolveIn) check() error {
	names := words.Each(merge.Resolutions(merge.Local), func(r merge.Resolution) string { return r.Name })
	switch {
	case !slices.Contains(names, in.Resolution):
		return fault.Bad("there is no resolution %s", words.Quoted(in.Resolution)).WithHint("the resolutions are %s", words.List(names))
	case in.Resolution == merge.SetValue && in.Value == nil:
		return fault.Bad("set_value needs a value").WithMissing("value").WithHint("say which")
	case in.Resolution != merge.SetValue && in.Value != nil:
		return fault.Bad("%s takes no value", in.Resolution).WithHint("leave it out, or resolve by set_value")
	}
	return nil
}

// resolving is one resolution in progress.
type resolving struct {
	*Service
	tx    *store.Tx
	sc    *scene
	t     *task.Task
	d     merge.Disagreement
	b     task.Binding
	basis merge.Basis
	write *merge.Write // waiting to write the field
}

// load reads what the disagreement is about, and refuses one that can no longer be resolved.
func (r *resolving) load() error {
	b, err := bound(r.tx, r.t.ID, r.d.Binding)
	if err != nil {
		return err
	}
	if b == nil {
		return fault.Decline("%s is not bound to that issue any more", r.t.ID).WithHint("there is nothing left to resolve")
	}
	r.b = *b
	if r.basis, err = linkdb.Basis(r.tx, r.b.ID); err != nil {
		return err
	}
	writes, err := linkdb.WritesOf(r.tx, r.b.ID)
	if err != nil {
		return err
	}
	if w, ok := writes[r.d.Field]; ok {
		r.write = &w
	}
	if r.d.State == merge.Settled {
		return fault.Decline("conflict %d is settled: both sides agreed again", r.d.ID).
			WithHint("see what there is: %s", hint.Here("conflicts"))
	}
	open, err := linkdb.Unresolved(r.tx, r.b.ID)
	if err != nil {
		return err
	}
	if newer, ok := open[r.d.Field]; ok && newer.ID != r.d.ID {
		return fault.Decline("there is a newer conflict about %s of %s", r.d.Field, r.t.ID).
			WithHint("resolve that one: %s", hint.Here("resolve "+strconv.FormatInt(newer.ID, 10)+" RESOLUTION"))
	}
	return nil
}

func (r *resolving) resolve(in ResolveIn) (ResolveOut, error) {
	field := r.d.Field
	ours := merge.Of(r.t)[field]
	now := ours
	theirs, last := r.d.Theirs, r.basis.Theirs()[field]
	if r.d.State == merge.Resolved {
		if ours != r.d.Value {
			return ResolveOut{}, fault.Stale("%s of %s was changed since the conflict was resolved", field, r.t.ID).
				WithHint("change it as you want it: %s", hint.Edit(r.t.ID))
		}
		ours = r.d.Ours
		if r.d.Handed { // by the earlier resolution
			if err := r.hand(r.d.WasOwner); err != nil {
				return ResolveOut{}, err
			}
		}
	} else {
		theirs = last
	}
	owner, _ := r.sc.owners.Owner(field)
	value, err := r.value(in, owner, ours, theirs)
	if err != nil {
		return ResolveOut{}, err
	}
	after := r.d
	after.Ours, after.Theirs, after.Resolution, after.Value = ours, theirs, in.Resolution, value
	after.State, after.Handed, after.WasOwner = merge.Resolved, false, ""
	if in.Resolution == merge.HandOver {
		after.Handed, after.WasOwner = true, r.sc.owners.Fields[field]
		if err := r.hand(owner.Other()); err != nil {
			return ResolveOut{}, err
		}
	}
	if in.Resolution == merge.Defer {
		after.State = merge.Deferred
	}
	if _, err := r.put(r.tx, r.sc, r.t, merge.Values{field: value}); err != nil {
		return ResolveOut{}, err
	}
	if err := r.settle(after, last); err != nil {
		return ResolveOut{}, err
	}
	p := conflictPayload(after, r.b)
	p["resolution"], p["value"] = in.Resolution, merge.Shown(field, value)
	if err := linkdb.SaveConflict(r.tx, after, task.Draft{Kind: task.ConflictResolved, Payload: p}); err != nil {
		return ResolveOut{}, err
	}
	out := ResolveOut{Conflict: r.d.ID, Resolution: in.Resolution, Task: r.t.ID, Field: field, Value: merge.Shown(field, value)}
	if !in.DryRun {
		return out, nil
	}
	out.DryRun, out.From = true, merge.Shown(field, now)
	planned, err := linkdb.WritesOf(r.tx, r.b.ID)
	if w, ok := planned[field]; ok {
		w.ID = 0 // it was only temporary
		out.Plan = new(plannedOf(w))
	}
	return out, err
}

// value returns the value that the field will have here.
func (r *resolving) value(in ResolveIn, owner merge.Owner, ours, theirs string) (string, error) {
	switch in.Resolution {
	case merge.TakeRemote:
		return theirs, nil
	case merge.SetValue:
		if err := merge.Check(r.d.Field, *in.Value); err != nil {
			return "", fault.At("value", err)
		}
		return *in.Value, nil
	case merge.HandOver:
		if owner == merge.Local {
			return theirs, nil
		}
	}
	return ours, nil
}

// hand gives the field to an owner, or "" for that of the preset.
func (r *resolving) hand(to merge.Owner) error {
	if err := r.sc.mayOwn(); err != nil {
		return err
	}
	own := r.sc.owners.Ownership
	fields := map[string]merge.Owner{}
	maps.Copy(fields, own.Fields)
	if fields[r.d.Field] = to; to == "" {
		delete(fields, r.d.Field)
	}
	return r.sc.own(r.tx, merge.Ownership{Preset: own.Preset, Fields: fields})
}

// settle stores what both sides agree on after the resolution, and plans the write that it asks
// for. last is the value last seen at the other side.
func (r *resolving) settle(after merge.Disagreement, last string) error {
	field := r.d.Field
	if r.write != nil {
		if err := linkdb.EndWrite(r.tx, *r.write); err != nil {
			return err
		}
	}
	pairs := maps.Clone(r.basis.Pairs)
	send := after.State == merge.Resolved && after.Value != last && merge.Writable(field)
	switch {
	case after.State == merge.Deferred && after.Base != nil:
		pairs[field] = *after.Base
	case after.State == merge.Deferred:
		delete(pairs, field)
	case send:
		pairs[field] = merge.Pair{Ours: last, Theirs: last}
	default:
		pairs[field] = merge.Pair{Ours: after.Value, Theirs: last}
	}
	basis := merge.Basis{Pairs: pairs, Last: maps.Clone(r.basis.Last), Seen: r.basis.Seen, Tried: r.basis.Tried}
	if basis.Last == nil {
		basis.Last = map[string]string{}
	}
	if basis.Last[field] = last; pairs[field].Theirs == last {
		delete(basis.Last, field)
	}
	if err := linkdb.SaveBasis(r.tx, r.b, basis); err != nil || !send {
		return err
	}
	return planWrite(r.tx, r.b, merge.Write{
		Field: field, From: last, To: after.Value, Why: "conflict " + strconv.FormatInt(r.d.ID, 10) + " was resolved by " + after.Resolution, Insisted: true,
	})
}
