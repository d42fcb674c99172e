package merge

import (
	"maps"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// The systems that a task can be bound to.
const (
	IssueTracker = "issue_tracker"
	CodeHost     = "code_host"
)

// Systems lists them.
var Systems = []string{IssueTracker, CodeHost}

// Owner is the side whose value of a field wins.
type Owner string

// The owners.
const (
	Local   Owner = "local"
	Tracker Owner = "tracker"
)

// Other returns the other side.
func (o Owner) Other() Owner {
	if o == Tracker {
		return Local
	}
	return Tracker
}

// Split is the preset that gives the tracker the fields that describe an issue, and us the fields
// that measure the work.
const Split = "split"

// Presets lists the presets of ownership.
var Presets = []string{string(Local), string(Tracker), Split}

// Travelling lists the fields that a tracker can hold, in the order in which they are merged.
// Status is last: whether a task may close depends on the rest.
var Travelling = []string{"title", "body", "severity", "due", "sprint", "rank", "priority", "status"}

// Fields lists every field that has an owner: the travelling ones, and whatever else can be set.
var Fields = all("criteria", "deps", "parent", "gate", "autonomy", "preferredActor", "mayExecute", "touches", "links", "evidence")

func all(rest ...string) []string {
	names := append(slices.Clone(Travelling), rest...)
	for _, name := range task.Settable {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Ownership is a project's decision about who owns which field.
type Ownership struct {
	Preset string           `json:"preset,omitzero"` // empty: the default
	Fields map[string]Owner `json:"fields,omitzero"` // single fields that differ from it
}

// Effective is an ownership plus whether the project is linked to a tracker, which decides the
// default.
type Effective struct {
	Ownership
	Linked bool
}

// PresetName returns the preset in effect.
func (e Effective) PresetName() string {
	switch {
	case e.Preset != "":
		return e.Preset
	case e.Linked:
		return Split
	}
	return string(Local)
}

// Owner returns the owner of a field, and why.
func (e Effective) Owner(field string) (Owner, string) {
	if !slices.Contains(Travelling, field) {
		return Local, "a tracker has no such field"
	}
	if o, ok := e.Fields[field]; ok {
		return o, "set for this field"
	}
	why := "the preset " + e.PresetName()
	if e.Preset == "" {
		why += ", the default of a project that is linked to a tracker"
		if !e.Linked {
			why = "the preset local: the project is linked to no tracker"
		}
	}
	if preset := e.PresetName(); preset == string(Tracker) || preset == Split && field != "status" {
		return Tracker, why
	}
	return Local, why
}

// Set returns the ownership after some changes, each a preset or FIELD=OWNER. A preset replaces
// everything set for single fields before.
func (o Ownership) Set(changes []string) (Ownership, error) {
	out := Ownership{Preset: o.Preset, Fields: map[string]Owner{}}
	maps.Copy(out.Fields, o.Fields)
	if len(changes) == 0 {
		return o, fault.Bad("say what to set").WithHint("a preset (%s), or FIELD=OWNER, where OWNER is local or tracker", words.List(Presets))
	}
	for _, c := range changes {
		field, owner, single := strings.Cut(c, "=")
		switch {
		case !single && slices.Contains(Presets, c):
			out = Ownership{Preset: c, Fields: map[string]Owner{}}
		case !single:
			return o, fault.Bad("there is no preset %s", words.Quoted(c)).
				WithHint("the presets are %s; a single field is FIELD=OWNER", words.List(Presets))
		case !slices.Contains(Fields, field):
			return o, fault.Bad("there is no field %s", words.Quoted(field)).WithHint("the fields are %s", words.List(Fields))
		case Owner(owner) != Local && Owner(owner) != Tracker:
			return o, fault.Bad("%s is not an owner", words.Quoted(owner)).WithHint("the owners are local and tracker")
		case Owner(owner) == Tracker && !slices.Contains(Travelling, field):
			return o, fault.Bad("a tracker has no field %s", field).WithHint("it can own %s", words.List(Travelling))
		default:
			out.Fields[field] = Owner(owner)
		}
	}
	return out, nil
}

// Foreign returns the fields that the tracker owns.
func (e Effective) Foreign() map[string]bool {
	out := map[string]bool{}
	for _, f := range Travelling {
		if o, _ := e.Owner(f); o == Tracker {
			out[f] = true
		}
	}
	return out
}

// Among returns the changed fields that are foreign, in the order of Travelling.
func Among(foreign map[string]bool, changed func(field string) bool) []string {
	var out []string
	for _, f := range Travelling {
		if foreign[f] && changed(f) {
			out = append(out, f)
		}
	}
	return out
}

// EditedForeign returns the warning for an edit here that changed fields of the tracker.
func EditedForeign(ref string, fields []string) string {
	return words.List(fields) + words.Either(len(fields) == 1, " belongs ", " belong ") + "to the tracker (" + ref + "): the next pull turns the change into a conflict; " +
		"make it there, or give us the field in the project's ownership"
}

// LeftForeign returns the warning for a document whose fields were left alone because the tracker
// owns them.
func LeftForeign(id task.ID, ref string, fields []string) string {
	one := len(fields) == 1
	return string(id) + ": " + words.List(fields) + words.Either(one, " belongs ", " belong ") + "to the tracker (" + ref + ") and stayed as " +
		words.Either(one, "it is", "they are") + "; " +
		"change that there, or give us the field in the project's ownership"
}
