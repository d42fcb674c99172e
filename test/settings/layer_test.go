package settings

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tasker/internal/config"
	"tasker/internal/text/words"
)

// layered tries the row with the key in two layers: the last one that sets it wins, whatever was applied under the other.
// Where a human is declared the stricter of record and file holds for an agent, which internal/policy shows: there a layer is
// tried that asks for more.
func (e effect) layered(t *testing.T) {
	t.Helper()
	with, without := parsed(t, e.with), parsed(t, e.without)
	if strings.HasPrefix(e.with, "{") {
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
	if strings.Contains(e.without, `"human"`) && !strings.HasPrefix(e.after, "^3") {
		return
	}
	e.shows(t, true, "in the local layer above the file", e.try(t, e.without, local(with)))
	if strings.Contains(e.without+e.with, `"human"`) {
		return
	}
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

// climb is a key that an environment variable or a flag sets, too: each layer with its value, lowest first, and how the value
// that counts shows in the answer to a command.
type climb struct {
	of    string
	do    []string
	shows string // with the value for %s
	rungs []rung
}

// rung is a layer with the value that it sets. At is the name of the variable or the flag, or the key where it is another one
// than the climb's.
type rung struct{ layer, at, value string }

var climbs = []climb{
	{
		of: "agentDefaults.lease", do: []string{"claude claim demo-1 --json", "claude release demo-1"}, shows: `"leaseMs":%s000,`,
		rungs: []rung{
			{"defaults", "", "7200s"}, {"db", "", "60s"}, {"file", "", "120s"}, {"local", "", "180s"}, {"env", "TASKER_LEASE", "240s"}, {"flag", "--lease", "300s"},
		},
	},
	{
		of: "agentDefaults.budget", do: []string{"claude show demo-1 --json"}, shows: `"budget":{"limit":%s,`,
		rungs: []rung{
			{"defaults", "", "null"}, {"db", "context.bundleBudget", "9001"}, {"file", "context.bundleBudget", "9002"}, {"db", "", "9003"}, {"file", "", "9004"},
			{"local", "", "9005"}, {"env", "TASKER_BUDGET", "9006"}, {"flag", "--budget", "9007"},
		},
	},
	{
		of: "workspace.strategy", do: []string{"claude workspace open demo-1 --json", "claude workspace close demo-1"}, shows: `"strategy":"%s"`,
		rungs: []rung{
			{"defaults", "", "in-place"}, {"file", "", "worktree"}, {"local", "", "in-place"}, {"env", "TASKER_WORKSPACE_STRATEGY", "worktree"},
		},
	},
	{
		of: "project", do: []string{"claude ready --json"}, shows: `"project":"%s"`,
		rungs: []rung{{"file", "", "demo"}, {"env", "TASKER_PROJECT", "shop"}, {"flag", "--project", "mill"}},
	},
	{
		of: "agentDefaults.actor", do: []string{"- whoami --json"}, shows: `"actor":"%s"`,
		rungs: []rung{{"defaults", "", "me"}, {"file", "", "ann"}, {"local", "", "bob"}, {"env", "TASKER_ACTOR", "cem"}, {"flag", "--actor", "dan"}},
	},
}

// TestTheLastLayerThatSetsAKeyWins climbs: each layer is set beside those below it.
func TestTheLastLayerThatSetsAKeyWins(t *testing.T) {
	t.Parallel()
	for _, c := range climbs {
		t.Run(c.of, func(t *testing.T) {
			t.Parallel()
			p := settle(t, whole(""))
			p.env = map[string]string{}
			for _, slug := range []string{"demo", "shop", "mill"} {
				if said := p.run("planner", strings.Replace(twoTasks, "demo", slug, 1), "apply", "-f", "-", "-p", slug, "--quiet"); !strings.HasPrefix(said, "0 ") {
					t.Fatal(said)
				}
			}
			p.step("commit")
			file, local, flag := map[string]any{"version": 1, "project": "demo"}, map[string]any{}, ""
			for _, r := range c.rungs {
				switch r.layer {
				case "db":
					if said := p.run("planner", "", "project", "set", "demo", words.Either(r.at != "", r.at, c.of), r.value); !strings.HasPrefix(said, "0 ") {
						t.Fatal(said)
					}
				case "file":
					put(file, words.Either(r.at != "", r.at, c.of), r.value)
					p.write(config.FileName, text(t, file))
				case "local":
					put(local, c.of, r.value)
					p.write(config.LocalName, text(t, local))
				case "env":
					p.env[r.at] = r.value
				case "flag":
					flag = " " + r.at + " " + r.value
				}
				said := p.step(c.do[0] + flag)
				if want := strings.Replace(c.shows, "%s", strings.TrimSuffix(r.value, "s"), 1); !strings.HasPrefix(said, "0 ") || !strings.Contains(said, want) {
					t.Errorf("with the layer %s: got\n%s\nwant %s", r.layer, said, want)
				}
				for _, line := range c.do[1:] {
					if said := p.step(line); !strings.HasPrefix(said, "0 ") {
						t.Fatalf("%s: %s", line, said)
					}
				}
			}
		})
	}
}

// put sets a key of a file, a number where the value is one.
func put(in map[string]any, key, value string) {
	path := strings.Split(key, ".")
	for _, name := range path[:len(path)-1] {
		inner, ok := in[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			in[name] = inner
		}
		in = inner
	}
	in[path[len(path)-1]] = value
	if n, err := strconv.Atoi(value); err == nil {
		in[path[len(path)-1]] = n
	}
}
