package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/fault"
)

func TestSettingAndUnsettingKeysOfTheDBLayer(t *testing.T) {
	var db []byte
	for _, c := range []struct{ key, value, want string }{
		{"agentDefaults.lease", "30m", `{"agentDefaults":{"lease":"30m"}}`},
		{"agentDefaults.budget", "9", `{"agentDefaults":{"lease":"30m","budget":9}}`},
		{"agentDefaults.lease", "0", `{"agentDefaults":{"lease":"0","budget":9}}`},
		{`gates["a.b"]`, `["x"]`, `{"agentDefaults":{"lease":"0","budget":9},"gates":{"a.b":["x"]}}`},
	} {
		out, err := SetDB(db, c.key, c.value)
		if err != nil || string(out) != c.want {
			t.Fatalf("%s: %s %v", c.key, out, err)
		}
		db = out
	}
	for _, c := range []struct{ key, want string }{
		{"branch.base", `{"agentDefaults":{"lease":"0","budget":9},"gates":{"a.b":["x"]}}`},
		{`gates["a.b"]`, `{"agentDefaults":{"lease":"0","budget":9}}`},
		{"agentDefaults.lease", `{"agentDefaults":{"budget":9}}`},
		{"agentDefaults", `{}`},
	} {
		out, err := UnsetDB(db, c.key)
		if err != nil || string(out) != c.want {
			t.Fatalf("%s: %s %v", c.key, out, err)
		}
		db = out
	}
	for _, c := range []struct{ key, value, says string }{
		{"project", "x", "cannot be set in the db layer"}, {"version", "1", "cannot be set"}, {"agentDefaults.leas", "1h", "not a key"},
		{"agentDefaults.lease", "soon", "duration"}, {"gates", "x", "must be a map"}, {"actors[0].name", "x", "replaced whole"},
		{"workspace.ports.perTask", "2", "workspace.ports.range: is required"}, {"actors", `[{"name":"a","kind":"human"},{"name":"a","kind":"human"}]`, "twice"},
	} {
		if _, err := SetDB(nil, c.key, c.value); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.key, err)
		}
	}
}

func TestADBLayerThatDoesNotFitIsRefusedByName(t *testing.T) {
	l, err := Load(with(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, db := range []string{`{"nonsense":1}`, `[]`, `{`, `{"project":"x"}`, `{"version":1}`} {
		_, err := l.For("demo", []byte(db))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "the db layer") || CheckDB([]byte(db)) == nil {
			t.Errorf("%s: %v", db, err)
		}
	}
}

func TestAFileIsCarriedIntoTheDBLayerAndDifferencesAreFound(t *testing.T) {
	text := `{"$schema":"s","version":1,"project":"demo","gates":{"a":["x"],"b":[]},"actors":[{"name":"ann","kind":"human"}],"branch":{"base":"main"}}`
	db, _, err := FromFile(FileName, []byte(text))
	if err != nil || string(db) != `{"gates":{"a":["x"],"b":[]},"actors":[{"name":"ann","kind":"human"}],"branch":{"base":"main"}}` {
		t.Fatalf("%s %v", db, err)
	}
	l, err := Load(one(text))
	if err != nil {
		t.Fatal(err)
	}
	if d, err := l.Differences(Stored{DB: db}); err != nil || len(d) != 0 {
		t.Errorf("%v %v", d, err)
	}
	got, err := l.Differences(Stored{DB: []byte(`{"gates":{"a":["y"]},"branch":{"base":"main"}}`)})
	want := []Difference{
		{Key: "actors", File: `[{"name":"ann","kind":"human"}]`}, // elsewhere no human would be declared
		{Key: "gates.a", File: `["x"]`, DB: `["y"]`}, {Key: "gates.b", File: `[]`},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if _, _, err := FromFile("x.json", []byte(`{"version":1,"project":"demo","gate":1}`)); !fault.Is(err, fault.Invalid) {
		t.Error(err)
	}
}

func TestDifferencesAreThoseThatDecideOtherwise(t *testing.T) {
	const db = `{"gates":{"a":["x"]},"agentDefaults":{"lease":"1h"},"execution":{"requireApproval":[{"kind":"approval","role":"lead"}]}}`
	for _, c := range []struct{ name, file, local, want string }{
		{"what is the default anyway", `"agentDefaults":{"lease":"1h","requireNoteOnDone":false},"integrations":{"selection":["severity","sprint","due",` +
			`"priority","rank","age"]}`, "", ""},
		{"another order of names", `"execution":{"requireApproval":[{"role":"lead","kind":"approval"}]}`, "", ""},
		{"a map that adds nothing", `"gates":{}`, "", ""},
		{"what describes the process alone", `"auth":{"mode":"session"},"notices":{"deprecations":false},"agentDefaults":{"actor":"ann","budget":9}`, "", ""},
		{"a rule of agentDefaults", `"agentDefaults":{"requireNoteOnDone":true}`, "", `agentDefaults.requireNoteOnDone true `},
		{"a lease", `"agentDefaults":{"lease":"2h"}`, "", `agentDefaults.lease "2h" "1h"`},
		{"the local file", `"gates":{"a":["x"]}`, `{"gates":{"a":[]}}`, `gates.a [] ["x"]`},
	} {
		files := map[string]string{filePath: `{"version":1,"project":"demo",` + c.file + `}`}
		if c.local != "" {
			files[localPath] = c.local
		}
		l, err := Load(with(files, nil))
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Differences(Stored{DB: []byte(db)})
		said := ""
		for _, d := range got {
			said += d.Key + " " + d.File + " " + d.DB
		}
		if err != nil || said != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.name, said, c.want, err)
		}
	}
}
