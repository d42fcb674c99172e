package links

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// OwnershipOut says which system owns which field of a project's tasks.
type OwnershipOut struct {
	Project string  `json:"project"`
	Preset  string  `json:"preset"`
	Fields  []Owned `json:"fields"`
	DryRun  bool    `json:"dryRun,omitzero"`
}

// Owned is one field and its owner, local or tracker.
type Owned struct {
	Field string `json:"field"`
	Owner string `json:"owner"`
	Why   string `json:"why"`
	Was   string `json:"was,omitzero"` // set if a dry run would change it
}

// Ownership returns which system owns which field.
func (s *Service) Ownership(ctx context.Context, in core.ProjectIn) (OwnershipOut, error) {
	return core.Within(ctx, s.Env, in.Slug, nil, func(sc core.Scene) (OwnershipOut, error) {
		owners, err := s.Owners(sc.Tx, sc.Project)
		return ownershipOf(sc.Project.Slug, owners), err
	})
}

func ownershipOf(slug string, owners merge.Effective) OwnershipOut {
	out := OwnershipOut{Project: slug, Preset: owners.PresetName()}
	for _, f := range merge.Fields {
		owner, why := owners.Owner(f)
		out.Fields = append(out.Fields, Owned{Field: f, Owner: string(owner), Why: why})
	}
	return out
}

// OwnershipSetIn changes who owns fields. Each change is a preset or FIELD=OWNER.
type OwnershipSetIn struct {
	Slug    string
	Changes []string
	DryRun  bool
}

// SetOwnership changes who owns which field. In a project that declares a human, only a human may.
func (s *Service) SetOwnership(ctx context.Context, in OwnershipSetIn) (OwnershipOut, error) {
	return writeUnless(ctx, s, in.DryRun, in.Slug, func(tx *store.Tx, sc *scene) (OwnershipOut, error) {
		before := ownershipOf(sc.p.Slug, sc.owners)
		after, err := sc.owners.Set(in.Changes)
		if err != nil {
			return OwnershipOut{}, err
		}
		if err := sc.mayOwn(); err != nil {
			return OwnershipOut{}, err
		}
		if err := sc.own(tx, after); err != nil {
			return OwnershipOut{}, err
		}
		out := ownershipOf(sc.p.Slug, sc.owners)
		if in.DryRun {
			out.compare(before)
		}
		return out, nil
	})
}

// compare marks what a dry run would change.
func (out *OwnershipOut) compare(before OwnershipOut) {
	out.DryRun = true
	for i, was := range before.Fields { // both list every field in the same order
		if out.Fields[i].Owner != was.Owner {
			out.Fields[i].Was = was.Owner
		}
	}
}

// mayOwn refuses an agent if a human is declared.
func (sc *scene) mayOwn() error {
	if sc.actor.Person() || !sc.policy.DeclaresHuman {
		return nil
	}
	return fault.Decline("only a human may decide who owns which field of %s", sc.p.Slug).
		WithHint("%s", sc.policy.Have("set it"))
}

// own stores a new ownership, with its event, if it differs.
func (sc *scene) own(tx *store.Tx, after merge.Ownership) error {
	before := sc.owners
	sc.owners.Ownership = after
	changes := task.Payload{}
	if before.PresetName() != sc.owners.PresetName() || before.Preset != after.Preset {
		changes["preset"] = task.Delta{From: before.PresetName(), To: sc.owners.PresetName()}
	}
	for _, f := range merge.Travelling {
		was, _ := before.Owner(f)
		is, _ := sc.owners.Owner(f)
		if was != is {
			changes[f] = task.Delta{From: was, To: is}
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return linkdb.SaveOwnership(tx, sc.p.Slug, after, task.Draft{Kind: task.ProjectUpdated, Payload: task.Payload{"ownership": changes}})
}
