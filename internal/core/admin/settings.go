package admin

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// ProjectSetIn changes the db layer: Value is JSON, or plain text for a key that takes one; nil unsets the key.
type ProjectSetIn struct {
	Slug, Key string
	Value     *string
	From      []byte // instead: a whole configuration file, whose policy is carried over
}

// SettingsOut is the db layer of a project.
type SettingsOut struct {
	Project  string         `json:"project"`
	Settings map[string]any `json:"settings"`
	Record   *Record        `json:"record"`  // null where none was recorded
	LeftOut  []string       `json:"leftOut"` // of a file, what never comes from the database
}

// Record is a policy of record.
type Record struct {
	Policy map[string]any `json:"policy"`
	File   string         `json:"file"`
	At     task.Time      `json:"at"`
}

// withLayer returns the project with another db layer.
func withLayer(p *task.Project, text []byte) (*task.Project, error) {
	layer, err := core.SplitLayer(text)
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

// ProjectSettings returns the settings that the database has for a project.
func (s *Service) ProjectSettings(ctx context.Context, in core.ProjectIn) (SettingsOut, error) {
	return core.Read(ctx, s.Env, func(tx *core.ReadTx) (SettingsOut, error) {
		p, err := core.ProjectOf(ctx, tx, in.Slug)
		if err != nil {
			return SettingsOut{}, err
		}
		return settingsOf(p)
	})
}

func settingsOf(p *task.Project) (SettingsOut, error) {
	out := SettingsOut{Project: p.Slug, Settings: map[string]any{}}
	text, err := core.DBLayer(p)
	if err != nil {
		return out, err
	}
	if len(p.Policy) > 0 {
		out.Record = &Record{File: p.PolicyFile, At: p.PolicyAt}
		if err := json.Unmarshal(p.Policy, &out.Record.Policy); err != nil {
			return out, err
		}
	}
	if len(text) == 0 {
		return out, nil
	}
	return out, json.Unmarshal(text, &out.Settings)
}

// ProjectSet changes the settings that the database has for a project: one key, or all of them by those of a
// configuration file. In a project that declares a human, an agent may not loosen a gate or the policy.
func (s *Service) ProjectSet(ctx context.Context, in ProjectSetIn) (SettingsOut, error) {
	return core.Write(ctx, s.Env, func(tx *core.WriteTx) (SettingsOut, error) {
		before, err := core.ProjectOf(ctx, &tx.ReadTx, in.Slug)
		if err != nil {
			return SettingsOut{}, err
		}
		if err := core.Writable(before); err != nil {
			return SettingsOut{}, err
		}
		was, err := core.DBLayer(before)
		if err != nil {
			return SettingsOut{}, err
		}
		is, leftOut, err := setLayer(was, in)
		if err != nil {
			return SettingsOut{}, err
		}
		after, err := withLayer(before, is)
		if err != nil {
			return SettingsOut{}, err
		}
		changes, err := layerChanges(before, after)
		if err != nil {
			return SettingsOut{}, err
		}
		if err := s.mayLoosen(ctx, before, after, changes, in.Value == nil && in.From == nil); err != nil {
			return SettingsOut{}, err
		}
		if len(changes) > 0 {
			if err := tx.Projects.SaveProject(before, after, core.ProjectUpdated(task.Payload{"settings": changes})); err != nil {
				return SettingsOut{}, err
			}
		}
		out, err := settingsOf(after)
		out.LeftOut = leftOut
		return out, err
	})
}

func setLayer(was []byte, in ProjectSetIn) (is []byte, leftOut []string, err error) {
	switch {
	case in.From != nil:
		return config.FromFile("the file", in.From)
	case in.Value == nil:
		is, err = config.UnsetDB(was, in.Key)
	default:
		is, err = config.SetDB(was, in.Key, *in.Value)
	}
	return is, nil, err
}

// harmless are the settings that an agent may change where a human is declared. Every other setting decides who may do
// what, or runs something, and an agent is not to judge which change of it loosens.
var harmless = []string{"agentDefaults.budget", "agentDefaults.lease", "branch", "integrations.selection"}

// mayLoosen refuses what an agent may not change. Where mends is set, settings that cannot be read count for nothing: otherwise
// nobody could take out what makes them so.
func (s *Service) mayLoosen(ctx context.Context, before, after *task.Project, changes map[string]task.Delta, mends bool) error {
	a, pol, err := s.Rules(ctx, before)
	if err != nil && mends {
		unset := *before
		unset.Settings, unset.Gates = nil, nil
		a, pol, err = s.Rules(ctx, &unset)
	}
	if err != nil || a.Person() || !pol.DeclaresHuman {
		return err
	}
	loose := task.LoosenedGates(before.Gates, after.Gates, a, pol)
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
		WithMissing(loose...).WithHint("%s", a.AskPerson("have a human change them"))
}

// changedKeys returns the keys below a changed one that differ, or the key itself if it is not an object.
func changedKeys(top string, d task.Delta) ([]string, error) {
	var sides [2]map[string]jsontext.Value
	for i, side := range []any{d.From, d.To} {
		v, ok := side.(jsontext.Value)
		if !ok {
			continue // it was not there
		}
		if v.Kind() != '{' {
			return []string{top}, nil
		}
		if err := json.Unmarshal(v, &sides[i]); err != nil {
			return nil, err
		}
	}
	var out []string
	for key := range sides[0] {
		if !bytes.Equal(sides[0][key], sides[1][key]) {
			out = append(out, top+"."+key)
		}
	}
	for key := range sides[1] {
		if _, there := sides[0][key]; !there {
			out = append(out, top+"."+key)
		}
	}
	slices.Sort(out)
	return out, nil
}

// layerChanges returns the top-level keys that differ, with both values.
func layerChanges(before, after *task.Project) (map[string]task.Delta, error) {
	was, err := settingsRaw(before)
	if err != nil {
		return nil, err
	}
	is, err := settingsRaw(after)
	if err != nil {
		return nil, err
	}
	out := map[string]task.Delta{}
	keys := slices.Sorted(maps.Keys(was))
	for _, k := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[k]; !ok {
			keys = append(keys, k)
		}
	}
	for _, k := range keys {
		if !bytes.Equal(was[k], is[k]) {
			out[k] = task.Delta{From: orNull(was[k]), To: orNull(is[k])}
		}
	}
	return out, nil
}

func settingsRaw(p *task.Project) (map[string]jsontext.Value, error) {
	text, err := core.DBLayer(p)
	if err != nil {
		return nil, err
	}
	return core.SplitLayer(text)
}

func orNull(v jsontext.Value) any {
	if v == nil {
		return nil
	}
	return v
}
