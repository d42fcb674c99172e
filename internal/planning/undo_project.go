package planning

import (
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/core"
	"tasker/internal/event/undo"
	"tasker/internal/policy"
	"tasker/internal/task"
)

// projectsBack undoes changes of the project itself, newest first.
func (u *undoing) projectsBack(inverses []undo.Inverse) error {
	for _, inv := range inverses {
		if err := u.projectBack(inv); err != nil {
			return err
		}
	}
	return nil
}

// projectBack undoes one change of the project, under the same rules as any such change, or records why it cannot be
// undone.
func (u *undoing) projectBack(inv undo.Inverse) error {
	p, err := u.tx.Project(u.p.Slug)
	if err != nil {
		return err
	}
	layer, err := policy.LayerOf(p)
	if err != nil {
		return err
	}
	clashes, err := inv.ProjectClashes(p, layer)
	if err != nil {
		return err
	}
	for _, c := range clashes {
		u.clash(inv, c)
	}
	if inv = inv.Without(clashes); inv.Empty() {
		return nil
	}
	if d, ok := inv.Fields[undo.FieldSlug]; ok {
		return u.renameBack(inv, p, d)
	}
	var after *task.Project
	var changes map[string]task.Delta
	inv, err = u.allowed(inv, func(inv undo.Inverse) (err error) {
		if after, changes, err = u.described(inv, p, layer); err == nil {
			err = u.mayDescribe(p, after, settingsOf(changes))
		}
		return err
	})
	if err != nil || inv.Empty() {
		return err
	}
	draft := core.ProjectUpdated(task.Payload{})
	for field, d := range changes {
		if field == undo.FieldArchived {
			draft.Kind = task.ProjectArchived
		}
		if _, ok := undo.Setting(field); !ok {
			draft.Payload[field] = d
		}
	}
	if settings := settingsOf(changes); len(settings) > 0 {
		draft.Payload["settings"] = settings
	}
	if err := u.tx.SaveProject(p, after, naming(inv.Event, draft)...); err != nil {
		return err
	}
	u.undone(inv, changes)
	return u.within(p.Slug)
}

// settingsOf returns the changes of settings, by their first key.
func settingsOf(changes map[string]task.Delta) map[string]task.Delta {
	out := map[string]task.Delta{}
	for field, d := range changes {
		if key, ok := undo.Setting(field); ok {
			out[key] = d
		}
	}
	return out
}

// described returns the project with a change undone.
func (u *undoing) described(inv undo.Inverse, p *task.Project, layer map[string]jsontext.Value) (*task.Project, map[string]task.Delta, error) {
	changes := make(map[string]task.Delta, len(inv.Fields))
	after, layer := *p, maps.Clone(layer)
	own := map[string]any{undo.FieldArchived: &after.Archived, undo.FieldName: &after.Name, undo.FieldVision: &after.Vision}
	for field, d := range inv.Fields {
		changes[field] = task.Delta{From: orNil(d.To), To: orNil(d.From)}
		if value := own[field]; value != nil {
			if err := json.Unmarshal(d.From, value); err != nil {
				return nil, nil, err
			}
		}
		key, ok := undo.Setting(field)
		if ok && orNil(d.From) != nil {
			layer[key] = d.From
		} else if ok {
			delete(layer, key)
		}
	}
	text, err := json.Marshal(layer, json.Deterministic(true))
	if err != nil {
		return nil, nil, err
	}
	with, err := policy.WithLayer(&after, text)
	return with, changes, err
}

// orNil returns nil for a missing value.
func orNil(v jsontext.Value) any {
	if len(v) == 0 || v.Kind() == 'n' {
		return nil
	}
	return v
}

// mayDescribe refuses changes of the project that the caller may not make.
func (u *undoing) mayDescribe(before, after *task.Project, settings map[string]task.Delta) error {
	switch {
	case before.Archived != after.Archived:
		return policy.MayArchive(u.ctx, u.s.Env, u.tx, before)
	case len(settings) == 0:
		return nil
	}
	if err := policy.MayLoosen(u.ctx, u.s.Env, u.tx, before, after, settings, false); err != nil {
		return err
	}
	_, err := u.s.Settings.Effective(after)
	return err
}

// renameBack gives the project its former slug. Its current ids continue to resolve.
func (u *undoing) renameBack(inv undo.Inverse, p *task.Project, d undo.Values) error {
	var to string
	if err := json.Unmarshal(d.From, &to); err != nil {
		return err
	}
	if err := policy.Rename(u.ctx, u.s.Env, u.tx, p, to, inv.Event); err != nil {
		return u.refused(inv, undo.FieldSlug, p.Slug, err)
	}
	u.undone(inv, map[string]task.Delta{undo.FieldSlug: {From: p.Slug, To: to}})
	return u.within(to)
}
