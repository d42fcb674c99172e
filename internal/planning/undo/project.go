package undo

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
)

// Names of what a change of a project can have changed. A setting has its first key behind settingPrefix; gates are a setting,
// also where a plan has changed them.
const (
	FieldSlug     = "slug"
	FieldArchived = "archived"
	FieldName     = "name"
	FieldVision   = "vision"

	settingPrefix = "settings."
)

// Setting returns the first key of a setting, and whether the field is one.
func Setting(field string) (key string, ok bool) { return strings.CutPrefix(field, settingPrefix) }

// projectOf returns what a change of a project changed. Repairs, policies of record and owners of fields have no inverse.
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

// OpensProject reports whether undoing the event brings an archived project back: that comes before everything else.
func (inv Inverse) OpensProject() bool { return string(inv.Fields[FieldArchived].From) == "false" }

// ProjectClashes returns what has changed since the event, by field. layer is what the database has of the project's settings.
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
