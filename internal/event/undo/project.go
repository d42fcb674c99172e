package undo

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
)

// Names of what a change of a project can have changed. A setting is its first key after settingPrefix. Gates are a
// setting, even if a plan changed them.
const (
	FieldSlug     = "slug"
	FieldArchived = "archived"
	FieldName     = "name"
	FieldVision   = "vision"

	settingPrefix = "settings."
)

// Setting returns the first key of a setting, and whether the field is one.
func Setting(field string) (key string, ok bool) { return strings.CutPrefix(field, settingPrefix) }

// projectOf returns what an event changed in a project. Repairs, policies of record and owners of fields have no inverse.
func projectOf(payload []byte) (map[string]Values, error) {
	raw, err := members(payload)
	if err != nil {
		return nil, err
	}
	out := map[string]Values{}
	for _, name := range []string{FieldSlug, FieldArchived, FieldName, FieldVision, "gates"} {
		if raw[name] == nil {
			continue
		}
		d, err := decoded[Values](raw[name])
		if err != nil {
			return nil, err
		}
		if name == "gates" {
			name = settingPrefix + name
		}
		out[name] = d
	}
	if raw["settings"] == nil {
		return out, nil
	}
	keys, err := decoded[map[string]Values](raw["settings"])
	for key, d := range keys {
		out[settingPrefix+key] = d
	}
	return out, err
}

// OpensProject reports whether undoing the event restores an archived project: that has to happen first.
func (inv Inverse) OpensProject() bool { return string(inv.Fields[FieldArchived].From) == "false" }

// ProjectClashes returns what has changed since the event, by field. layer holds the project's settings in the database.
func (inv Inverse) ProjectClashes(p *task.Project, layer map[string]jsontext.Value) ([]Clash, error) {
	now, err := membersOf(p)
	if err != nil {
		return nil, err
	}
	for key, value := range layer {
		now[settingPrefix+key] = value
	}
	return inv.differing(now)
}
