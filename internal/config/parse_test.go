package config

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/config/format"
	"tasker/internal/strict"
)

func TestTextThatIsNoStrictJSONIsRefusedWithItsPlace(t *testing.T) {
	for name, c := range map[string]struct{ text, place, says string }{
		"empty":           {"", "1:1", "empty"},
		"blank":           {" \n\t", "1:1", "empty"},
		"no json":         {"{\n  nope\n}", "2:4", "not valid JSON"},
		"comment":         {"{\n  // no\n}", "2:3", "no comments"},
		"trailing comma":  {"{\"version\": 1,\n \"project\": \"demo\",\n}", "2:19", "a comma after the last item"},
		"single quotes":   {"{'version': 1}", "1:2", "double quotes"},
		"cut short":       {"{\"version\": 1,\n \"project\": ", "2:13", "ends in the middle"},
		"trailing text":   {"{\"version\": 1, \"project\": \"demo\"}\n {}", "2:2", "text after the document"},
		"byte order mark": {"\ufeff{}", "1:1", "byte order mark"},
		"invalid utf-8":   {"{\"version\": 1, \"project\": \"demo\",\n \"ü\xff\": 1}", "2:2", "UTF-8"},
		"lone surrogate":  {"{\"version\": 1,\n \"project\": \"\\ud800\"}", "2:", ""},
		"root is a list":  {"\n [1]", "2:2", "must be an object, not a list"},
		"root is null":    {"null", "1:1", "must be an object, not null"},
		"too large":       {strings.Repeat(" ", format.MaxSize) + "{}", "1:", "larger than 1 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			faults := faultsOf(t, c.text)
			if len(faults) != 1 {
				t.Fatalf("want one fault, have %v", faults)
			}
			said := faults[0].String()
			if !strings.HasPrefix(said, filePath+":"+c.place) || !strings.Contains(said, c.says) {
				t.Errorf("%q: want %s at %s", said, c.says, c.place)
			}
			_ = refusal(t, one(c.text))
		})
	}
}

func TestDuplicateNamesAndZeroBytesAreFaultsBesideTheOthers(t *testing.T) {
	faults := faultsOf(t, `{
  "version": 1,
  "project": "demo",
  "gates": { "a": [], "b": ["x\u0000"], "a": [] },
  "gates\u0000": {},
  "project": "demo"
}`)
	var said []string
	for _, f := range faults {
		said = append(said, fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, f.Path, f.Message))
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{
		"4:41 gates.a is given twice",
		"4:29 gates.b[0] holds U+0000",
		`5:3 ["gates\x00"] unknown key`,
		"6:3 project is given twice",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if len(faults) != 4 {
		t.Errorf("want 4 faults, have\n%s", all)
	}
}

func TestAllFaultsOfAFileAreListedAtOnceWithTheirPlaces(t *testing.T) {
	e := refusal(t, one(`{
  "version": 1,
  "projekt": "demo",
  "workspace": {
    "stratgey": "worktree",
    "ports": { "perTask": 0 },
    "setup": [ { "name": "é", "timeout": 3 } ]
  },
  "actors": [
    { "name": "ann", "kind": "human", "default": true },
    { "name": "ann", "kind": "cat", "default": true }
  ],
  "lease": "1h",
  "branch": { "template": "{id}-{titel}-{slug" }
}`))
	want := []string{
		`3:3: projekt: unknown key; allowed: $schema, version, project,`,
		`5:5: workspace.stratgey: unknown key; allowed: strategy, dir, providers, ports, setup, teardown; did you mean workspace.strategy?`,
		`6:27: workspace.ports.perTask: must be a whole number from 1 to 65535, not the number 0`,
		`7:31: workspace.setup[0].timeout: unknown key; allowed: name, run, timeoutMs, optional; did you mean workspace.setup[0].timeoutMs?`,
		`11:30: actors[1].kind: must be one of human, agent, not the string "cat"` + "\n", // which is near to neither
		`11:15: actors[1].name: the name "ann" is declared twice, first as actors[0]`,
		`11:48: actors[1].default: only one actor may be the default, and actors[0] is already`,
		`13:3: lease: unknown key; allowed: $schema, version`,
		`14:27: branch.template: unknown placeholder {titel}; allowed: {id}, {slug}`,
		`14:27: branch.template: a brace in "{id}-{titel}-{slug" has no partner`,
		`1:1: project: is required within the file, and must be a slug`,
		`6:14: workspace.ports.range: is required within workspace.ports, and must be an array of two ports`,
		`7:16: workspace.setup[0].run: is required within workspace.setup[0], and must be a non-empty string`,
	}
	if len(e.Missing) != len(want) {
		t.Errorf("want %d faults, have %d", len(want), len(e.Missing))
	}
	all := strings.Join(e.Missing, "\n")
	for _, w := range want {
		if !strings.Contains(all, filePath+":"+w) {
			t.Errorf("no %q in\n%s", w, all)
		}
	}
	if !strings.Contains(all, "did you mean agentDefaults.lease?") {
		t.Errorf("the fault does not say where the key belongs:\n%s", all)
	}
	if !strings.Contains(e.Message, filePath) || !strings.Contains(e.Message, "13 faults") || !strings.Contains(e.Hint, "tasker config validate") {
		t.Errorf("message %q, hint %q", e.Message, e.Hint)
	}
}

func TestAFloodOfFaultsIsCutAndCounted(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"version": 1, "project": "demo"`)
	for i := range 2000 {
		fmt.Fprintf(&b, `, "k%d": 1`, i)
	}
	e := refusal(t, one(b.String()+"}"))
	if len(e.Missing) != strict.MaxListed+1 || e.Missing[strict.MaxListed] != "and 1900 more" {
		t.Errorf("%d lines, the last %q", len(e.Missing), e.Missing[len(e.Missing)-1])
	}
}
