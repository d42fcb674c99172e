package config

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"tasker/internal/fault"
)

// explained returns one line per explanation: value, layer, file:line, and what it overrode.
func explained(t *testing.T, e *Effective, key string) string {
	t.Helper()
	x, err := e.Explain(key)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestLastLayerToSetAKeyWinsAndIsExplained(t *testing.T) {
	o := with(map[string]string{
		filePath:  "{\n \"version\": 1,\n \"project\": \"demo\",\n \"agentDefaults\": {\n  \"lease\": \"1h\",\n  \"actor\": \"ann\" }\n}",
		localPath: "{\n \"agentDefaults\": { \"lease\": \"30m\" } }",
	}, map[string]string{"TASKER_LEASE": "10m"}, Flag{"--lease", "agentDefaults.lease", "5m"})
	db := `{"agentDefaults":{"lease":"1d","budget":9}}`
	e := mustFor(t, o, db)
	for key, want := range map[string]string{
		"agentDefaults.lease": `{"key":"agentDefaults.lease","value":"5m","layer":"flags","file":null,"line":null,"recordedAt":null,"overrode":[` +
			`{"layer":"env","file":null,"value":"10m"},{"layer":"local","file":"/repo/.tasker.local.json","value":"30m"},` +
			`{"layer":"file","file":"/repo/.tasker.json","value":"1h"},{"layer":"db","file":null,"value":"1d"},{"layer":"defaults","file":null,"value":"2h"}]}`,
		"agentDefaults.actor":  `{"key":"agentDefaults.actor","value":"ann","layer":"file","file":"/repo/.tasker.json","line":6,"recordedAt":null,"overrode":[]}`,
		"agentDefaults.budget": `{"key":"agentDefaults.budget","value":9,"layer":"db","file":null,"line":null,"recordedAt":null,"overrode":[]}`,
		"project":              `{"key":"project","value":"demo","layer":"file","file":"/repo/.tasker.json","line":3,"recordedAt":null,"overrode":[]}`,
	} {
		if got := explained(t, e, key); got != want {
			t.Errorf("%s:\n got %s\nwant %s", key, got, want)
		}
	}
	if e.AgentDefaults.Lease.Minutes() != 5 || e.AgentDefaults.Budget != 9 || e.AgentDefaults.Actor != "ann" {
		t.Errorf("%+v", e.AgentDefaults)
	}
}

func TestObjectsMergeArraysReplace(t *testing.T) {
	e := mustFor(t, with(map[string]string{
		filePath: `{"version":1,"project":"demo","gates":{"a":["x"],"b":["y"]},"workspace":{"providers":["p","q"]},"providers":{"p":{"type":"dotenv",` +
			`"env":"dev"},"q":{"type":"dotenv"}}}`,
		localPath: `{"gates":{"b":["z"],"c":[]},"workspace":{"providers":["q"]},"providers":{"p":{"env":"prod"}}}`,
	}, nil), "")
	if diff := cmp.Diff(map[string][]string{"a": {"x"}, "b": {"z"}, "c": {}}, e.Gates); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"q"}, e.Workspace.Providers); diff != "" {
		t.Error(diff)
	}
	if p := e.Providers["p"]; p.Type != "dotenv" || p.Env != "prod" {
		t.Errorf("a local file should change one key of a provider and leave the rest: %+v", p)
	}
}

func TestForAnotherProjectOnlyWhatDescribesTheProcessCountsOfTheFile(t *testing.T) {
	l, err := Load(with(map[string]string{
		filePath: `{"version":1,"project":"demo","gates":{"a":["x"]},"branch":{"base":"main"},"execution":{"mayExecute":["dev"]},"auth":{"mode":"session"},
			"actors":[{"name":"ann","kind":"human"}],"agentDefaults":{"lease":"1h"},"notices":{"deprecations":false},"notifications":{"onDivergence":false},
			"integrations":{"selection":["age"]},"context":{"track":["A"]},"workspace":{"dir":"w"},"providers":{"p":{"type":"dotenv"}}}`,
		localPath: `{"agentDefaults":{"budget":7},"branch":{"prefix":"l/"}}`,
	}, map[string]string{"TASKER_WORKSPACE_STRATEGY": "worktree"}))
	if err != nil {
		t.Fatal(err)
	}
	other, err := l.For("other", []byte(`{"gates":{"b":["y"]},"agentDefaults":{"lease":"3h","actor":"db"}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := other.Config
	if c.Project != "other" || len(c.Actors) != 1 || c.AgentDefaults.Lease.Hours() != 1 || c.AgentDefaults.Actor != "db" || c.AgentDefaults.Budget != 7 ||
		c.Notices.Deprecations || c.Notifications.OnDivergence || c.Auth.Mode != "session" {
		t.Errorf("settings of the process do not apply to another project: %+v", c)
	}
	if c.Branch.Base != "" || c.Branch.Prefix != "tasker/" || len(c.Execution.MayExecute) != 0 || len(c.Integrations.Selection) != 6 ||
		len(c.Context.Track) != 0 || c.Workspace.Dir != ".worktrees" || len(c.Providers) != 0 {
		t.Errorf("the file's policy leaks into another project: %+v", c)
	}
	if diff := cmp.Diff(map[string][]string{"b": {"y"}}, c.Gates); diff != "" {
		t.Error(diff)
	}
	if c.Workspace.Strategy != "worktree" {
		t.Error("the environment does not apply to another project")
	}
	own, err := l.For("demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	if own.Branch.Base != "main" || own.Branch.Prefix != "l/" || own.Gates["a"] == nil {
		t.Errorf("not all layers apply to the file's own project: %+v", own.Config)
	}
	if again, _ := l.For("demo", nil); again != own {
		t.Error("the same configuration was computed twice")
	}
	if changed, _ := l.For("demo", []byte(`{"gates":{"z":[]}}`)); changed == own || changed.Gates["z"] == nil {
		t.Error("a changed db layer is not seen")
	}
}

func TestEnvironmentAndFlagsOnlyChooseTheProject(t *testing.T) {
	files := map[string]string{filePath: `{"version":1,"project":"demo","gates":{"a":[]}}`}
	e := mustFor(t, with(files, map[string]string{"TASKER_PROJECT": "other"}), "")
	if e.Project != "other" || len(e.Gates) != 0 {
		t.Errorf("%+v", e.Config)
	}
	want := `{"key":"project","value":"other","layer":"env","file":null,"line":null,"recordedAt":null,` +
		`"overrode":[{"layer":"file","file":"/repo/.tasker.json","value":"demo"}]}`
	if got := explained(t, e, "project"); got != want {
		t.Errorf("got %s", got)
	}
	o := with(files, map[string]string{"TASKER_PROJECT": "other"}, Flag{"-p", "project", "demo"})
	l, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if l.Project() != "demo" || l.FileProject() != "demo" {
		t.Errorf("chosen %s", l.Project())
	}
	e = mustFor(t, o, "")
	if got := explained(t, e, "project"); e.Gates["a"] == nil || !strings.Contains(got, `"layer":"flags"`) ||
		!strings.Contains(got, `"overrode":[{"layer":"env","file":null,"value":"other"},`) {
		t.Errorf("the flag chose the file's own project: %s", got)
	}
	third, err := l.For("third", nil)
	if err != nil || third.Project != "third" {
		t.Errorf("a project that a request names: %v %v", third.Project, err)
	}
}

func TestAValueInTheEnvironmentThatDoesNotFitNamesTheVariable(t *testing.T) {
	for name, c := range map[string]struct{ value, says string }{
		"TASKER_PROJECT":            {"Not A Slug", "did you mean not-a-slug?"},
		"TASKER_LEASE":              {"2 hours", "did you mean 2h?"},
		"TASKER_BUDGET":             {"lots", "a whole number from 1 to"},
		"TASKER_WORKSPACE_STRATEGY": {"worktrees", "did you mean worktree?"},
	} {
		e := refusal(t, with(nil, map[string]string{name: c.value}))
		if !strings.Contains(e.Message, name) || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %s", name, e.Message)
		}
	}
	for _, bad := range []string{"1.5", "0", "-3", "10000000000", "[]", "1 2", "\xff"} {
		_ = refusal(t, with(nil, map[string]string{"TASKER_BUDGET": bad}))
	}
	e := refusal(t, with(nil, nil, Flag{"--project", "project", "A B"}))
	if !strings.Contains(e.Message, "--project") {
		t.Error(e.Message)
	}
	c := mustFor(t, with(nil, map[string]string{"TASKER_PROJECT": "p", "TASKER_LEASE": "0", "TASKER_BUDGET": "12", "TASKER_WORKSPACE_STRATEGY": "worktree"}), "")
	if c.Project != "p" || c.AgentDefaults.Lease != 0 || c.AgentDefaults.Budget != 12 || c.Workspace.Strategy != "worktree" {
		t.Errorf("%+v", c.Config)
	}
	if c := mustFor(t, with(nil, map[string]string{"TASKER_LEASE": ""}), ""); c.AgentDefaults.Lease.Hours() != 2 {
		t.Error("an empty variable is not treated as unset")
	}
}

func TestExplainRefusesWhatIsNoKeyAndFindsElements(t *testing.T) {
	e := mustFor(t, with(map[string]string{
		filePath: "{\"version\":1,\"project\":\"demo\",\"gates\":{\"odd.name\":[\"a\"]},\"actors\":[\n{\"name\":\"ann\",\"kind\":\"human\"}," +
			"\n{\"name\":\"bob\",\"kind\":\"human\"}]}",
		localPath: `{"actors":[{"name":"cy","kind":"agent"}]}`,
	}, nil), "")
	for key, want := range map[string]string{
		`gates["odd.name"][0]`: `"value":"a","layer":"file","file":"/repo/.tasker.json","line":1`,
		"actors[0].name": `"value":"cy","layer":"local","file":"/repo/.tasker.local.json","line":1,"recordedAt":null,"overrode":[{"layer":"file",` +
			`"file":"/repo/.tasker.json","value":"ann"}]`,
		"actors[1].name": `"value":null,"layer":"defaults","file":null,"line":null,"recordedAt":null,` +
			`"overrode":[{"layer":"file","file":"/repo/.tasker.json","value":"bob"}]`,
		"gates":      `"value":{"odd.name":["a"]},"layer":"file"`,
		"gates.none": `"value":null,"layer":"defaults"`,
		"$schema":    `"value":null`,
	} {
		if got := explained(t, e, key); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", key, got, want)
		}
	}
	for key, want := range map[string]string{
		"workspace.stratgy": "did you mean workspace.strategy?", "lease": "did you mean agentDefaults.lease?", "": "keys look like", "a..b": "keys look like",
		"actors[x]": "keys look like", "actors[": "keys look like", `gates["a`: "keys look like", "actors[0]name": "keys look like",
		"actors.name": "", "branch[0]": "", "auth.mode.x": "",
	} {
		_, err := e.Explain(key)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(fault.Of(err).Hint, want) {
			t.Errorf("%q: %v, hint %q", key, err, fault.Of(err).Hint)
		}
	}
}

func TestShowHasEveryKeyAndTheOriginOfEachSetOne(t *testing.T) {
	e := mustFor(t, one("{\"version\":1,\n\"$schema\":\"x\",\"project\":\"demo\",\n\"gates\":{\"a\":[\"x\"]}}"), `{"branch":{"base":"main"}}`)
	b, err := json.Marshal(e.Show())
	if err != nil {
		t.Fatal(err)
	}
	var shown struct {
		Config  map[string]any            `json:"config"`
		Origins map[string]map[string]any `json:"origins"`
	}
	if err := json.Unmarshal(b, &shown); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]map[string]any{
		"gates.a":            {"layer": "file", "file": filePath, "line": 3.0, "recordedAt": nil},
		"branch.base":        {"layer": "db", "file": nil, "line": nil, "recordedAt": nil},
		"workspace.strategy": {"layer": "defaults", "file": nil, "line": nil, "recordedAt": nil},
		"project":            {"layer": "file", "file": filePath, "line": 2.0, "recordedAt": nil},
	} {
		if diff := cmp.Diff(want, shown.Origins[key]); diff != "" {
			t.Errorf("%s: %s", key, diff)
		}
	}
	if _, set := shown.Origins["agentDefaults.budget"]; set {
		t.Error("a key that nobody sets has an origin")
	}
	agent := shown.Config["agentDefaults"].(map[string]any)
	if v, there := agent["budget"]; !there || v != nil {
		t.Error("a key that nobody sets is not shown as null")
	}
	if _, there := shown.Config["$schema"]; there || shown.Config["version"] != 1.0 {
		t.Errorf("config shown: %v", shown.Config)
	}
}

func TestBranchPrefixThatCounts(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":1,"project":"d"}`: "tasker/",
		`{"version":1,"project":"d","integrations":{"code_host":{"branchPrefix":"host/"}}}`:                            "host/",
		`{"version":1,"project":"d","branch":{"prefix":"own/"},"integrations":{"code_host":{"branchPrefix":"h/"}}}`:    "own/",
		`{"version":1,"project":"d","branch":{"prefix":"tasker/"},"integrations":{"code_host":{"branchPrefix":"h/"}}}`: "tasker/",
		`{"version":1,"project":"d","branch":{"prefix":""}}`:                                                           "",
	} {
		if got := mustFor(t, one(text), "").BranchPrefix(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestActorsOfAConfiguration(t *testing.T) {
	e := mustFor(t, one(`{"version":1,"project":"d","agentDefaults":{"actor":"bot"},"actors":[{"name":"ann","kind":"human","roles":["lead"]},`+
		`{"name":"cy","kind":"agent","default":true}]}`), "")
	if a, ok := e.Actor("ann/3"); !ok || a.Roles[0] != "lead" || !e.DeclaresHuman() || !e.Actors[1].Default {
		t.Errorf("%+v", e.Actors)
	}
	if _, ok := e.Actor("zed"); ok || mustFor(t, with(nil, nil), "").DeclaresHuman() {
		t.Error("an actor that is not declared was found")
	}
}
