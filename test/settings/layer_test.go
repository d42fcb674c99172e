package settings

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"tasker/internal/config"
	"tasker/internal/text/words"
)

// layered tries the row with the key in two layers: the last one that sets it wins, whatever was applied under the other.
// Where a human is declared the stricter of record and file holds for an agent, which internal/policy shows.
func (e effect) layered(t *testing.T) {
	t.Helper()
	with, without := parsed(t, e.with), parsed(t, e.without)
	if e.also != "" || strings.HasPrefix(e.with, "{") || strings.Contains(e.without, `"human"`) || e.byRecord() {
		return
	}
	local := func(layer map[string]any) func(*place) {
		return func(p *place) { p.write(config.LocalName, text(t, layer)) }
	}
	file := func(members string) func(*place) {
		return func(p *place) { p.write(config.FileName, whole(members)) }
	}
	stored := true // a command, and what describes the process, counts from files alone
	db := func(layer map[string]any) func(*place) {
		return func(p *place) {
			for _, name := range slices.Sorted(maps.Keys(layer)) {
				said := p.run("planner", "", "project", "set", "demo", name, text(t, layer[name]))
				if !strings.HasPrefix(said, "0 ") && !strings.Contains(said, "cannot be set in the db layer") {
					t.Errorf("project set %s: %s", name, said)
				}
				stored = stored && strings.HasPrefix(said, "0 ")
			}
		}
	}
	e.shows(t, true, "in the local layer above the file", e.try(t, e.without, local(with)))
	e.shows(t, false, "taken out of the file after an apply", e.try(t, e.with, file(e.without)))
	back, ok := undone(with, without, defaults(t))
	if ok {
		e.shows(t, false, "undone in the local layer", e.try(t, e.with, local(back)))
	}
	if e.without == "" && e.key != "auth.mode" && e.key != "agentDefaults.actor" { // which the process knows before it knows the project
		if said := e.try(t, "", db(with)); stored {
			e.shows(t, true, "in the db layer", said)
		}
	}
	if ok && stored {
		if said := e.try(t, inner(t, back), db(with)); stored {
			e.shows(t, false, "in the db layer below the file", said)
		}
	}
}

// byRecord reports whether the project's record counts next to the file: who is who, and the note.
func (e effect) byRecord() bool {
	return strings.HasPrefix(e.key, "actors[].") || e.key == "agentDefaults.requireNoteOnDone"
}

func parsed(t *testing.T, members string) (out map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(words.Either(strings.HasPrefix(members, "{"), members, "{"+members+"}")), &out); err != nil {
		t.Fatalf("%s: %v", members, err)
	}
	return out
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// inner returns an object as the members of a file.
func inner(t *testing.T, v map[string]any) string {
	t.Helper()
	return strings.TrimSuffix(strings.TrimPrefix(text(t, v), "{"), "}")
}

// defaults are the values where no layer sets any, by key.
var defaults = func() func(*testing.T) map[string]any {
	var once sync.Once
	var out map[string]any
	return func(t *testing.T) map[string]any {
		t.Helper()
		once.Do(func() {
			said, _ := strings.CutPrefix(settle(t, whole("")).run("planner", "", "config", "show", "--json"), "0 ")
			out = parsed(t, said)
		})
		return out
	}
}()

// undone returns a layer that, above with, makes what without makes. ok is false where no layer can: a mapping keeps the names
// of the layers below, and some keys have no value where nothing is set.
func undone(with, without, defaults map[string]any) (out map[string]any, ok bool) {
	out = maps.Clone(without)
	if out == nil {
		out = map[string]any{}
	}
	for name, value := range with {
		object, isObject := value.(map[string]any)
		was, set := without[name]
		standard := defaults[name]
		switch {
		case isObject:
			wasObject, _ := was.(map[string]any)
			standardObject, _ := standard.(map[string]any)
			inside, ok := undone(object, wasObject, standardObject)
			if !ok {
				return nil, false
			}
			out[name] = inside
		case set:
		case standard == nil:
			return nil, false
		default:
			out[name] = standard
		}
	}
	return out, true
}
