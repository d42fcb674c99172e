package policy

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// WithLayer returns the project with another db layer.
func WithLayer(p *task.Project, text []byte) (*task.Project, error) {
	layer, err := splitLayer(text)
	if err != nil {
		return nil, err
	}
	after := *p
	after.Gates, after.Settings = nil, nil
	if gates, ok := layer["gates"]; ok {
		if err := json.Unmarshal(gates, &after.Gates); err != nil {
			return nil, err
		}
		delete(layer, "gates")
	}
	if len(layer) > 0 {
		after.Settings, err = json.Marshal(layer, json.Deterministic(true))
	}
	return &after, err
}

// harmless are the settings that an agent may change even if a human is declared. Every other setting decides who may
// do what, or runs something, and an agent must not judge which change of it loosens.
var harmless = []string{"agentDefaults.budget", "agentDefaults.lease", "integrations.selection"}

// MayLoosen refuses what an agent may not change. If mends is set, unreadable settings are ignored: otherwise nobody
// could remove what makes them unreadable.
func MayLoosen(ctx context.Context, env *core.Env, tx *store.Tx, before, after *task.Project, changes map[string]task.Delta, mends bool) error {
	a, pol, free, err := freely(ctx, env, tx, before, mends)
	if err != nil || free {
		return err
	}
	return notLoosened(tx, before, after, changes, a, pol)
}

// MayConfigure refuses a change of the configuration file of a project, which may not exist yet, if MayLoosen would
// refuse it in the db layer. was and is are the file before and after, each as one JSON object.
func MayConfigure(ctx context.Context, env *core.Env, tx *store.Tx, p *task.Project, was, is []byte) error {
	a, pol, free, err := freely(ctx, env, tx, p, false)
	if err != nil || free {
		return err
	}
	before, err := WithLayer(&task.Project{Slug: p.Slug}, was)
	if err != nil {
		return err
	}
	after, err := WithLayer(&task.Project{Slug: p.Slug}, is)
	if err != nil {
		return err
	}
	changes, err := LayerChanges(before, after)
	if err != nil {
		return err
	}
	return notLoosened(tx, before, after, changes, a, pol)
}

// freely reports whether the caller may change every setting of a project: a person, or anybody if no human is declared.
// It also returns the caller and the policy that say so.
func freely(ctx context.Context, env *core.Env, tx *store.Tx, p *task.Project, mends bool) (a task.Actor, pol task.Policy, free bool, err error) {
	a, pol, err = env.Rules(ctx, tx, p)
	if err != nil && mends {
		unset := *p
		unset.Settings, unset.Gates = nil, nil
		a, pol, err = env.Rules(ctx, tx, &unset)
	}
	if err != nil {
		return a, pol, false, err
	}
	if a.Person() || !pol.DeclaresHuman { // the current record decides who changes it, and not a file alone
		if a, pol, err = env.Settings.ByRecord(p, a); err != nil && mends {
			return a, pol, true, nil
		}
	}
	return a, pol, a.Person() || !pol.DeclaresHuman, err
}

// notLoosened refuses the changes that an agent may not make next to a human.
func notLoosened(tx *store.Tx, before, after *task.Project, changes map[string]task.Delta, a task.Actor, pol task.Policy) error {
	named, err := tx.GatesNamed(before.Slug)
	if err != nil && !fault.Is(err, fault.NotFound) { // it may not exist yet
		return err
	}
	loose := task.LoosenedGates(before.Gates, after.Gates, named, a, pol)
	for _, top := range slices.Sorted(maps.Keys(changes)) {
		if top == "gates" {
			continue
		}
		keys, err := changedKeys(top, changes[top])
		if err != nil {
			return err
		}
		for _, key := range keys {
			if !slices.Contains(harmless, top) && !slices.Contains(harmless, key) {
				loose = append(loose, key)
			}
		}
	}
	if len(loose) == 0 {
		return nil
	}
	return fault.Decline("an agent may not loosen the gates or change the policy of %s, which declares a human", before.Slug).
		WithMissing(loose...).WithHint("%s", pol.Have("change them"))
}

// changedKeys returns the keys below a changed one that differ, or the key itself if it is not an object.
func changedKeys(top string, d task.Delta) ([]string, error) {
	var sides [2]map[string]jsontext.Value
	for i, side := range []any{d.From, d.To} {
		v, ok := side.(jsontext.Value)
		if !ok {
			continue // it did not exist
		}
		if v.Kind() != '{' {
			return []string{top}, nil
		}
		if err := json.Unmarshal(v, &sides[i]); err != nil {
			return nil, err
		}
	}
	return words.Each(differing(sides[0], sides[1]), func(key string) string { return top + "." + key }), nil
}

// differing returns the keys whose values differ, sorted.
func differing(was, is map[string]jsontext.Value) []string {
	all := map[string]jsontext.Value{}
	maps.Copy(all, was)
	maps.Copy(all, is)
	maps.DeleteFunc(all, func(key string, _ jsontext.Value) bool { return bytes.Equal(was[key], is[key]) })
	return slices.Sorted(maps.Keys(all))
}

// LayerChanges returns the top-level keys that differ, with both values.
func LayerChanges(before, after *task.Project) (map[string]task.Delta, error) {
	was, err := LayerOf(before)
	if err != nil {
		return nil, err
	}
	is, err := LayerOf(after)
	if err != nil {
		return nil, err
	}
	out := map[string]task.Delta{}
	for _, k := range differing(was, is) {
		out[k] = task.Delta{From: orNull(was[k]), To: orNull(is[k])}
	}
	return out, nil
}

func orNull(v jsontext.Value) any {
	if v == nil {
		return nil
	}
	return v
}

// Rename gives a project another slug, also in the scopes of sessions. It names the event that it undoes, if any.
func Rename(ctx context.Context, env *core.Env, tx *store.Tx, p *task.Project, to string, undoes ...int64) error {
	if err := HumansOnly(ctx, env, tx, p, "rename"); err != nil {
		return err
	}
	if err := tx.RenameProject(p.Slug, to, undoes...); err != nil {
		return err
	}
	return tx.Rescope(p.Slug, to)
}

// MayArchive refuses, as HumansOnly does, to let an agent archive a project or restore an archived one.
func MayArchive(ctx context.Context, env *core.Env, tx *store.Tx, p *task.Project) error {
	return HumansOnly(ctx, env, tx, p, words.Either(p.Archived, "bring back", "archive"))
}

// HumansOnly refuses to let an agent take a project that declares a human away from its policy.
func HumansOnly(ctx context.Context, env *core.Env, tx *store.Tx, p *task.Project, verb string) error {
	a, pol, err := env.Rules(ctx, tx, p)
	if err != nil || a.Person() || !pol.DeclaresHuman {
		return err
	}
	return fault.Decline("an agent may not %s the project %s, which declares a human", verb, p.Slug).
		WithHint("%s", pol.Have("do it"))
}

// MayRestore refuses a restore in a known agent's shell to everybody but a named person, where any of the restored projects
// declares a human. Nobody writes over anything with a restore, and unpacking the file would do the same: whoever is at a
// shell of their own needs to be known to none of the projects, since no single person may be known to all of them.
func MayRestore(ctx context.Context, env *core.Env, tx *store.Tx, all []*task.Project) error {
	return atOwnShell(ctx, env, tx, all, "restore")
}

// MayAccept refuses in the same way to go on with a database that lost a part of its log.
func MayAccept(ctx context.Context, env *core.Env, tx *store.Tx, all []*task.Project) error {
	return atOwnShell(ctx, env, tx, all, "accept that events are lost of")
}

func atOwnShell(ctx context.Context, env *core.Env, tx *store.Tx, all []*task.Project, do string) error {
	c := core.CallerOf(ctx)
	if c.Via.Agent == "" {
		return nil
	}
	var humans task.Policy
	var where string
	for _, p := range all {
		a, pol, err := env.Rules(ctx, tx, p)
		if err != nil {
			return err
		}
		if pol.DeclaresHuman && a.Person() {
			return nil
		}
		if pol.DeclaresHuman && where == "" {
			where = p.Slug
		}
		for _, h := range pol.Humans {
			if !slices.ContainsFunc(humans.Humans, func(a task.Actor) bool { return a.Name == h.Name }) {
				humans.Humans = append(humans.Humans, h)
			}
		}
	}
	if where == "" {
		return nil
	}
	return fault.Decline("this is the shell of %s, an agent, and an agent may not %s the project %s, which declares a human", c.Via.Agent, do, where).
		WithHint("%s", humans.Have("do it"))
}
