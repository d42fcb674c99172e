package config

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tasker/internal/config/format"
	"tasker/internal/strict"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// refMerge merges two trees by the whole rule: objects key by key, everything else is replaced.
func refMerge(low, high any) any {
	l, ok1 := low.(map[string]any)
	h, ok2 := high.(map[string]any)
	if !ok1 || !ok2 {
		return high
	}
	out := maps.Clone(l)
	for k, v := range h {
		out[k] = v
		if old, both := l[k]; both {
			out[k] = refMerge(old, v)
		}
	}
	return out
}

// refLeaves flattens a tree to the values that are replaced as a whole.
func refLeaves(path string, v any, out map[string]any) map[string]any {
	if m, ok := v.(map[string]any); ok && (len(m) > 0 || path == "") {
		for k, sub := range m {
			refLeaves(strict.Join(path, k), sub, out)
		}
		return out
	}
	out[path] = v
	return out
}

// draw makes a random valid value of a key; objects get some of their keys, and all that are required.
func draw(t *rapid.T, k *format.Key, l strict.Layer) any {
	pick := func(s ...string) string { return rapid.SampledFrom(s).Draw(t, "pick") }
	switch {
	case k.Enum != nil:
		return pick(k.Enum...)
	case k.Name == "range":
		return []any{float64(rapid.IntRange(1, 10).Draw(t, "from")), float64(rapid.IntRange(10, 20).Draw(t, "to"))}
	case k.Rule == &format.LeaseRule:
		return pick("0", "30m", "2h", "1d")
	case k.Rule == &format.TemplateRule:
		return pick("{id}", "{slug}/{id}")
	case k.Rule == &format.RepoRule:
		return pick("a/b", "c/d")
	case k.Rule == &format.BaseRule:
		return pick("", "main", "origin/ü")
	case k.Rule == &format.SiteRule:
		return pick("", "https://t.example", "http://localhost:8080/jira")
	case k.Rule == &format.SlugRule:
		return "demo"
	}
	switch k.Type {
	case format.Object:
		out := map[string]any{}
		for _, sub := range k.Keys {
			if sub.In(l) && sub.Name != "version" && sub.Name != "$schema" && (sub.Required || rapid.Bool().Draw(t, "set")) {
				out[sub.Name] = draw(t, sub, l)
			}
		}
		return out
	case format.Map:
		out := map[string]any{}
		for _, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "odd.name", `q"[0]`, " "}), 0, 3).Draw(t, "names") {
			out[name] = draw(t, k.Elem, l)
		}
		return out
	case format.List:
		out := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			out = append(out, draw(t, k.Elem, l))
		}
		if k.Name == "actors" && len(out) > 1 { // two with the same name would be a fault
			out = out[:1]
		}
		return out
	case format.Number:
		return float64(rapid.IntRange(1, 99).Draw(t, "number"))
	case format.Boolean:
		return rapid.Bool().Draw(t, "boolean")
	default:
		return pick("x", "y", "ü z")
	}
}

func asJSON(t *rapid.T, v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// withoutNeverStored removes from a db layer the keys that never come from the database, and the objects that become empty.
func withoutNeverStored(db map[string]any) {
	for _, key := range neverStored {
		top, below, nested := strings.Cut(key, ".")
		if !nested {
			delete(db, top)
		} else if part, ok := db[top].(map[string]any); ok {
			if delete(part, below); len(part) == 0 {
				delete(db, top)
			}
		}
	}
}

func TestMergedValueAndExplanationAgreeWithTheReferenceMerge(t *testing.T) {
	names := []strict.Layer{format.DefaultsLayer, format.DBLayer, format.FileLayer, format.LocalLayer, format.EnvLayer, format.FlagsLayer}
	rapid.Check(t, func(t *rapid.T) {
		var base any
		if err := json.Unmarshal(defaults().Value(), &base); err != nil {
			t.Fatal(err)
		}
		db, file, local := draw(t, &format.Root, format.DBLayer), draw(t, &format.Root, format.FileLayer), draw(t, &format.Root, format.LocalLayer)
		file.(map[string]any)["version"] = 1.0
		withoutNeverStored(db.(map[string]any))
		env, flags := map[string]any{}, map[string]any{}
		vars := map[string]string{}
		if rapid.Bool().Draw(t, "env") {
			vars["TASKER_LEASE"], vars["TASKER_BUDGET"] = "7m", "77"
			env["agentDefaults"] = map[string]any{"lease": "7m", "budget": 77.0}
		}
		var given []Flag
		if rapid.Bool().Draw(t, "flag") {
			given = append(given, Flag{"--strategy", "workspace.strategy", "worktree"})
			flags["workspace"] = map[string]any{"strategy": "worktree"}
		}
		l, err := Load(with(map[string]string{filePath: asJSON(t, file), localPath: asJSON(t, local)}, vars, given...))
		if err != nil {
			t.Fatal(err)
		}
		e, err := l.For("demo", []byte(asJSON(t, db)))
		if err != nil {
			t.Fatal(err)
		}

		layers := []any{base, db, file, local, env, flags}
		var merged any = map[string]any{}
		for _, layer := range layers {
			merged = refMerge(merged, layer)
		}
		want := refLeaves("", merged, map[string]any{})
		var keys []string
		for _, v := range e.Values() {
			keys = append(keys, v.Key)
		}
		slices.Sort(keys)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), keys); diff != "" {
			t.Fatalf("set keys (-want +got):\n%s", diff)
		}
		own := make([]map[string]any, len(layers))
		for i := range layers {
			own[i] = refLeaves("", layers[i], map[string]any{})
		}
		for key, value := range want {
			x, err := e.Explain(key)
			if err != nil {
				t.Fatal(err)
			}
			var got any
			if err := json.Unmarshal(x.Value, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(value, got); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", key, diff)
			}
			var by, saidBy []string
			for i := len(layers) - 1; i >= 0; i-- {
				if v, ok := own[i][key]; ok {
					by = append(by, string(names[i])+" "+asJSON(t, v))
				}
			}
			saidBy = append(saidBy, string(x.Layer)+" "+asJSON(t, got))
			for _, o := range x.Overrode {
				var v any
				_ = json.Unmarshal(o.Value, &v)
				saidBy = append(saidBy, string(o.Layer)+" "+asJSON(t, v))
			}
			if diff := cmp.Diff(by, saidBy); diff != "" {
				t.Fatalf("layers of %s (-want +got):\n%s", key, diff)
			}
		}
	})
}

// Whatever name a mapping has, its key can be written and read back.
func TestKeysSurviveTheirNotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := strings.ToValidUTF8(strings.ReplaceAll(rapid.String().Draw(t, "name"), "\x00", ""), "?")
		path, err := strict.ParsePath(strict.At(strict.Join("gates", name), 3))
		if err != nil {
			t.Fatal(err)
		}
		want := []strict.Step{{Name: "gates"}, {Name: name}, {Index: 3, IsIndex: true}}
		if !slices.Equal(path, want) {
			t.Fatalf("%q reads as %v", strict.Join("gates", name), path)
		}
	})
}
