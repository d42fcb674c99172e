package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A mistake that the text itself shows is a fault, with its line, so that nobody finds out only at work.
func TestAValueOfAWrongFormIsAFaultWithItsLine(t *testing.T) {
	for key, values := range map[string]map[string]string{
		"context.track": {
			`["a", "[bad"]`: `context.track[1]: "[bad" is not a glob`, `["{a"]`: "is not a glob", `["a\\"]`: "is not a glob",
			`["../x"]`: `"../x" leads out of the repository`, `["/etc/x"]`: "leads out", `["a/../../x"]`: "leads out",
		},
		"context.ignore": {`["[bad"]`: `context.ignore[0]: "[bad" is not a glob`},
		"branch.base": {
			`"-x"`:  `must be a branch, a tag or a commit, such as main or origin/main, not the string "-x"`,
			`"a b"`: `not the string "a b"`, `"a..b"`: `not the string "a..b"`, `"main:x"`: "not the string", `"m*"`: "not the string",
		},
		"integrations.issue_tracker.baseUrl": {
			`"notaurl"`: "must be the address of a site", `"acme.example/jira"`: "did you mean https://acme.example/jira?", `"ftp://a"`: "must be the address",
			`"https://"`: "must be the address", `"https://a?x=1"`: "must be the address", `"https://me:hunter2@a.example"`: "an address with credentials in it",
		},
		"agentDefaults.lease": {`"2 hours"`: "a duration from 0 to 366 days", `"367d"`: "longer than 366 days"},
	} {
		for value, want := range values {
			faults := faultsOf(t, place(key, value))
			if len(faults) != 1 || !strings.Contains(faults[0].String(), want) || faults[0].Line != 1 || !strings.HasPrefix(faults[0].Path, key) {
				t.Errorf("%s = %s: %v, want %s", key, value, faults, want)
			}
			if strings.Contains(faults[0].String(), "hunter2") {
				t.Errorf("%s shows a password", faults[0])
			}
			if e := refusal(t, one(place(key, value))); !strings.Contains(strings.Join(e.Missing, "\n"), want) {
				t.Errorf("loading says %v", e.Missing)
			}
		}
	}
	schema := compiled(t)
	for key, values := range map[string][]string{
		"context.track":                      {`["AGENTS.md", "docs/**/*.{md,txt}", "./a[!b]", "a\\*"]`, `[]`},
		"branch.base":                        {`""`, `"main"`, `"origin/release-1.x"`, `"HEAD~2"`, `"v1^{}"`, `"refs/heads/main"`},
		"integrations.issue_tracker.baseUrl": {`""`, `"https://t.example/"`, `"http://localhost:8080/jira"`, `"HTTPS://[::1]:8080"`},
	} {
		for _, value := range values {
			if faults := faultsOf(t, place(key, value)); len(faults) > 0 || !accepts(t, schema, place(key, value)) {
				t.Errorf("%s = %s: %v, or the schema refuses it", key, value, faults)
			}
		}
	}
}

// A database may contain a value that is older than its rule. It counts as not set, and blocks nothing.
func TestAStoredValueOfAWrongFormIsPassedOver(t *testing.T) {
	l, err := Load(with(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.ForStored("demo", Stored{
		DB:     []byte(`{"context":{"track":["a","[bad"],"ignore":["b"]},"branch":{"base":"-x"},"integrations":{"issue_tracker":{"baseUrl":"notaurl"}}}`),
		Record: []byte(`{"gates":{"ship":["test"]}}`), File: filePath, At: "2026-01-02T03:04:05.000Z",
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Context.Track) > 0 || e.Branch.Base != "" || e.Integrations.IssueTracker.BaseURL != "" {
		t.Errorf("a value of a wrong form counts: %+v", e.Config)
	}
	if diff := cmp.Diff([]string{"b"}, e.Context.Ignore); diff != "" || len(e.Gates["ship"]) != 1 {
		t.Errorf("the values next to it do not count: %s", diff)
	}
	var got []string
	for _, w := range e.Warnings {
		got = append(got, w.Path)
	}
	want := []string{"context.track[1]", "branch.base", "integrations.issue_tracker.baseUrl"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := SetDB([]byte(`{"branch":{"base":"-x"}}`), "branch.base", "-y"); err == nil {
		t.Error("a value of a wrong form can be stored")
	}
	if db, err := SetDB([]byte(`{"branch":{"base":"-x"}}`), "branch.base", "main"); err != nil || string(db) != `{"branch":{"base":"main"}}` {
		t.Errorf("it cannot be replaced: %s %v", db, err)
	}
	if db, err := UnsetDB([]byte(`{"branch":{"base":"-x"},"gates":{"a":["x"]}}`), "branch.base"); err != nil || string(db) != `{"gates":{"a":["x"]}}` {
		t.Errorf("it cannot be taken out: %s %v", db, err)
	}
}

func TestNamesThatNobodyDeclaresAreWarnedOf(t *testing.T) {
	warnings := func(text string) []string {
		var out []string
		for _, w := range mustFor(t, one(text), "").Warnings {
			out = append(out, strings.TrimPrefix(w.String(), filePath+":"))
		}
		return out
	}
	got := warnings(`{"version":1,"project":"demo",
	"execution":{"preferredActor":"claud",
		"mayExecute":["go","cobol"]},
	"agentDefaults":{"actor":"nobody"},
	"actors":[{"name":"claude","kind":"agent","capabilities":["go"]}],
	"integrations":{"issue_tracker":{"fields":{"sprnt":"customfield_1","rank":"customfield_2"}}}}`)
	want := []string{
		`2: execution.preferredActor: the actor "claud" is declared in no layer: nobody is preferred until an actor of this name works here`,
		`4: agentDefaults.actor: the actor "nobody" is declared in no layer: who acts under it counts as an agent with no roles`,
		`3: execution.mayExecute[1]: no declared actor has the role or capability "cobol"`,
		`6: integrations.issue_tracker.fields.sprnt: "sprnt" means nothing here; known are sprint, rank, severity; did you mean sprint?`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = warnings(`{"version":1,"project":"demo","execution":{"preferredActor":"claude/2","mayExecute":["go"]},"actors":[{"name":"claude","kind":"agent"}]}`)
	want = []string{`1: execution.mayExecute[0]: no declared actor has the role or capability "go", so nobody can claim a task that has no list of its own`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
