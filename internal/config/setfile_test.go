package config_test

import (
	"strings"
	"testing"

	"tasker/internal/config"
	"tasker/internal/config/format"
	"tasker/internal/fault"
)

// lines joins the lines of a file.
func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

func TestSetFileKeepsTheRestAsItIsWritten(t *testing.T) {
	small := lines(`{`, `  "version": 1,`, `  "project": "demo"`, `}`)
	for name, c := range map[string]struct{ text, key, value, want string }{
		"a new object": {small, "workspace.strategy", "worktree",
			lines(`{`, `  "version": 1,`, `  "project": "demo",`, `  "workspace": {`, `    "strategy": "worktree"`, `  }`, `}`)},
		"a new member": {
			lines(`{`, `	"version": 1, "project": "demo",`, ``, `	"workspace": {`, `		"dir": "x"`, `	},`, `	"gates": {"a": ["b"]}`, `}`),
			"workspace.strategy", "worktree",
			lines(`{`, `	"version": 1, "project": "demo",`, ``, `	"workspace": {`, `		"dir": "x",`, `		"strategy": "worktree"`, `	},`, `	"gates": {"a": ["b"]}`, `}`),
		},
		"a value":       {lines(`{"project": "demo", "version": 1, "agentDefaults": { "lease": "1h" }}`), "agentDefaults.lease", "30m", lines(`{"project": "demo", "version": 1, "agentDefaults": { "lease": "30m" }}`)},
		"on one line":   {`{"version": 1, "project": "demo"}`, "agentDefaults.budget", "4000", `{"version": 1, "project": "demo", "agentDefaults": {"budget": 4000}}`},
		"a list":        {small, "gates.ship", `["test","review"]`, lines(`{`, `  "version": 1,`, `  "project": "demo",`, `  "gates": {`, `    "ship": ["test", "review"]`, `  }`, `}`)},
		"an object":     {small, "branch", `{"prefix":"x/","base":"main"}`, lines(`{`, `  "version": 1,`, `  "project": "demo",`, `  "branch": {`, `    "prefix": "x/",`, `    "base": "main"`, `  }`, `}`)},
		"empty object":  {lines(`{`, `  "version": 1,`, `  "project": "demo",`, `  "branch": {}`, `}`), "branch.prefix", "x/", lines(`{`, `  "version": 1,`, `  "project": "demo",`, `  "branch": {`, `    "prefix": "x/"`, `  }`, `}`)},
		"quoted text":   {`{"version": 1, "project": "demo"}`, "project", `"shop"`, `{"version": 1, "project": "shop"}`},
		"text a number": {`{"version": 1, "project": "demo"}`, "project", `7`, `{"version": 1, "project": "7"}`},
		"the same":      {`{"version": 1,"project": "demo"}`, "project", `demo`, `{"version": 1,"project": "demo"}`},
	} {
		got, err := config.SetFile(format.FileLayer, "f", []byte(c.text), c.key, c.value)
		if err != nil || string(got.Out) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got.Out, c.want)
		}
	}
}

func TestUnsetFile(t *testing.T) {
	file := lines(`{`, `  "version": 1,`, `  "project": "demo",`, `  "workspace": {`, `    "strategy": "worktree"`, `  },`, `  "branch": {`, `    "prefix": "x/",`, `    "base": "main"`, `  }`, `}`)
	for name, c := range map[string]struct{ key, want string }{
		"and its empty object": {"workspace.strategy", lines(`{`, `  "version": 1,`, `  "project": "demo",`, `  "branch": {`, `    "prefix": "x/",`, `    "base": "main"`, `  }`, `}`)},
		"the first":            {"branch.prefix", strings.Replace(file, `"prefix": "x/",`+"\n    ", "", 1)},
		"the last":             {"branch.base", strings.Replace(file, `,`+"\n"+`    "base": "main"`, "", 1)},
		"not set":              {"gates.ship", file},
	} {
		got, err := config.UnsetFile(format.FileLayer, "f", []byte(file), c.key)
		if err != nil || string(got.Out) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got.Out, c.want)
		}
	}
}

func TestSetFileRefuses(t *testing.T) {
	const file = `{"version": 1, "project": "demo"}`
	for name, c := range map[string]struct{ text, key, value, says string }{
		"unknown key":     {file, "workspace.stratgy", "x", "workspace.stratgy is not a key"},
		"wrong value":     {file, "workspace.strategy", "elsewhere", "elsewhere"},
		"part of a list":  {file, "actors[0].name", "x", "arrays are replaced whole"},
		"no version":      {`{"project": "demo"}`, "workspace.strategy", "worktree", "has no version"},
		"no object":       {`[]`, "workspace.strategy", "worktree", ""},
		"not JSON at all": {`{`, "workspace.strategy", "worktree", ""},
	} {
		if _, err := config.SetFile(format.FileLayer, "f", []byte(c.text), c.key, c.value); err == nil || !strings.Contains(fault.Of(err).Message, c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := config.SetFile(format.LocalLayer, "f", []byte(file), "project", "x"); err == nil {
		t.Error("a local file declares a project")
	}
}
