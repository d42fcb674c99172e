package admin

import (
	"context"

	"github.com/go-json-experiment/json"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/task"
)

// ProjectSetIn changes the db layer. Value is JSON, or plain text for a key that takes text; nil unsets the key.
type ProjectSetIn struct {
	Slug, Key string
	Value     *string
	From      []byte // instead: a whole configuration file, whose policy is copied
	TakeOver  bool   // with From: although the caller may not loosen the policy, since its record has no human left to ask
}

// SettingsOut is the db layer of a project.
type SettingsOut struct {
	Project  string         `json:"project"`
	Settings map[string]any `json:"settings"`
	Record   *Record        `json:"record"`  // null if none was recorded
	LeftOut  []string       `json:"leftOut"` // the keys of a file that are never stored in the database
}

// Record is a policy of record.
type Record struct {
	Policy map[string]any `json:"policy"`
	File   string         `json:"file"`
	At     task.Time      `json:"at"`
	// Overrules are the actors that count as the record says, although the files here declare them otherwise.
	Overrules []string `json:"overrules"`
}

// ProjectSettings returns the settings that the database has for a project.
func (s *Service) ProjectSettings(ctx context.Context, in core.ProjectIn) (SettingsOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (SettingsOut, error) {
		p, err := core.ProjectOf(ctx, tx, in.Slug)
		if err != nil {
			return SettingsOut{}, err
		}
		out, err := settingsOf(p)
		if err == nil && out.Record != nil {
			out.Record.Overrules, err = s.Overruled(tx, p)
		}
		return out, err
	})
}

func settingsOf(p *task.Project) (SettingsOut, error) {
	out := SettingsOut{Project: p.Slug, Settings: map[string]any{}}
	text, err := policy.DBLayer(p)
	if err != nil {
		return out, err
	}
	if len(p.Policy) > 0 {
		out.Record = &Record{File: p.PolicyFile, At: p.PolicyAt, Overrules: []string{}}
		if err := json.Unmarshal(p.Policy, &out.Record.Policy); err != nil {
			return out, err
		}
	}
	if len(text) == 0 {
		return out, nil
	}
	return out, json.Unmarshal(text, &out.Settings)
}

// ProjectSet changes the settings that the database has for a project: one key, or all of them to those of a
// configuration file. In a project that declares a human, an agent may not loosen a gate or the policy; a person may take
// over a project whose record has no human left, which is an override.
func (s *Service) ProjectSet(ctx context.Context, in ProjectSetIn) (SettingsOut, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (SettingsOut, error) {
		before, err := core.ProjectOf(ctx, tx, in.Slug)
		if err != nil {
			return SettingsOut{}, err
		}
		if err := core.Writable(before); err != nil {
			return SettingsOut{}, err
		}
		was, err := policy.DBLayer(before)
		if err != nil {
			return SettingsOut{}, err
		}
		is, leftOut, err := setLayer(was, in)
		if err != nil {
			return SettingsOut{}, err
		}
		after, err := policy.WithLayer(before, is)
		if err != nil {
			return SettingsOut{}, err
		}
		changes, err := policy.LayerChanges(before, after)
		if err != nil {
			return SettingsOut{}, err
		}
		drafts := []task.Draft{core.ProjectUpdated(task.Payload{"settings": changes})}
		if in.TakeOver {
			passed, err := policy.TakeOver(ctx, s.Env, before, after)
			if err != nil {
				return SettingsOut{}, err
			}
			drafts = append(drafts, task.Draft{Kind: task.OverrideForced, Payload: task.Payload{"to": "policy", "passedOver": passed}})
		} else if err := policy.MayLoosen(ctx, s.Env, tx, before, after, changes, in.Value == nil && in.From == nil); err != nil {
			return SettingsOut{}, err
		}
		if len(changes) > 0 {
			if err := tx.SaveProject(before, after, drafts...); err != nil {
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

// ConfigureIn is a change of the configuration file of a project: the whole file before and after, each as one JSON
// object.
type ConfigureIn struct {
	Slug    string
	Was, Is []byte
}

// MayConfigure refuses a change of a configuration file that ProjectSet would refuse the caller. The file itself is on
// the machine of the caller, who writes it.
func (s *Service) MayConfigure(ctx context.Context, in ConfigureIn) (core.None, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (core.None, error) {
		p, err := tx.Project(in.Slug)
		if fault.Is(err, fault.NotFound) {
			p, err = &task.Project{Slug: in.Slug}, nil // declared, and not created yet
		}
		if err != nil {
			return core.None{}, err
		}
		return core.None{}, policy.MayConfigure(ctx, s.Env, tx, p, in.Was, in.Is)
	})
}
