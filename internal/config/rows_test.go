package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/config/format"
	"tasker/internal/config/tree"

	"github.com/google/go-cmp/cmp"
)

// row is one row of the specification's field table: a value that is accepted and where it shows in Config, and one
// that is refused, with what the refusal must say beside the path.
type row struct {
	key  string
	good string
	got  func(*Config) any
	want any
	bad  string
	says []string
}

// rows is every row of the field table. Steps and requirements, which stand in two places, are added for both.
func rows() []row {
	autonomies := []string{"autonomous, supervised, human_only"}
	out := []row{
		{"$schema", `{"any": [1, null]}`, func(c *Config) any { return c.Project }, "demo", "", nil},
		{"version", `1`, func(c *Config) any { return c.Version }, 1, `"1"`, []string{"the number 1", `the string "1"`}},
		{"project", `"other-1"`, func(c *Config) any { return c.Project }, "other-1", `"My Project"`, []string{"slug", "did you mean my-project?"}},
		{"execution", `{}`, func(c *Config) any { return c.Execution.DefaultAutonomy }, "autonomous", `[]`, []string{"expected an object", "an array"}},
		{"execution.defaultAutonomy", `"supervised"`, func(c *Config) any { return c.Execution.DefaultAutonomy }, "supervised", `"supervise"`,
			append(autonomies, "did you mean supervised?")},
		{"execution.preferredActor", `"ann"`, func(c *Config) any { return c.Execution.PreferredActor }, "ann", `7`, []string{"expected a string", "the number 7"}},
		{"execution.mayExecute", `["dev", "go"]`, func(c *Config) any { return c.Execution.MayExecute }, []string{"dev", "go"}, `"dev"`,
			[]string{"expected an array of non-empty string", `the string "dev"`}},
		{"execution.requireApproval", `[{}]`, func(c *Config) any { return c.Execution.RequireApproval }, []Requirement{{Kind: "approval"}}, `{}`,
			[]string{"expected an array of object", "an object"}},
		{"execution.reviewPolicy", `{"release": [{"role": "lead"}]}`, func(c *Config) any { return c.Execution.ReviewPolicy },
			map[string][]Requirement{"release": {{Role: "lead", Kind: "approval"}}}, `[]`, []string{"expected a map of name to array of object"}},
		{"workspace", `{}`, func(c *Config) any { return c.Workspace.Ports == nil }, true, `null`, []string{"expected an object", "null"}},
		{"workspace.strategy", `"worktree"`, func(c *Config) any { return c.Workspace.Strategy }, "worktree", `"in_place"`,
			[]string{"in-place, worktree", "did you mean in-place?"}},
		{"workspace.dir", `"../trees"`, func(c *Config) any { return c.Workspace.Dir }, "../trees", `"/var/trees"`, []string{"relative to the repository root"}},
		{"workspace.providers", `["env", "vault"]`, func(c *Config) any { return c.Workspace.Providers }, []string{"env", "vault"}, `{}`,
			[]string{"expected an array of non-empty string"}},
		{"workspace.ports", `{"range": [1, 65535]}`, func(c *Config) any { return *c.Workspace.Ports }, Ports{Range: [2]int{1, 65535}, PerTask: 1},
			`[1, 2]`, []string{"expected an object"}},
		{"workspace.ports.range", `[4000, 4000]`, func(c *Config) any { return c.Workspace.Ports.Range }, [2]int{4000, 4000}, `[4099, 4000]`,
			[]string{"backwards", "did you mean [4000, 4099]?"}},
		{"workspace.ports.perTask", `3`, func(c *Config) any { return c.Workspace.Ports.PerTask }, 3, `0`,
			[]string{"a whole number from 1 to 65535", "the number 0"}},
		{"workspace.setup", `[]`, func(c *Config) any { return c.Workspace.Setup }, []Step{}, `"make"`, []string{"expected an array of object"}},
		{"workspace.teardown", `[]`, func(c *Config) any { return c.Workspace.Teardown }, []Step{}, `"make"`, []string{"expected an array of object"}},
		{"context", `{}`, func(c *Config) any { return c.Context.WarnOnDrift }, true, `true`, []string{"expected an object", "the boolean true"}},
		{"context.track", `["AGENTS.md"]`, func(c *Config) any { return c.Context.Track }, []string{"AGENTS.md"}, `[""]`, nil},
		{"context.ignore", `["docs/**"]`, func(c *Config) any { return c.Context.Ignore }, []string{"docs/**"}, `"docs/**"`,
			[]string{"expected an array of non-empty string"}},
		{"context.bundleBudget", `8e3`, func(c *Config) any { return c.Context.BundleBudget }, 8000, `0.5`,
			[]string{"a whole number from 1 to 1000000000", "the number 0.5"}},
		{"context.warnOnDrift", `false`, func(c *Config) any { return c.Context.WarnOnDrift }, false, `"no"`, []string{"expected a boolean"}},
		{"actors", `[{"name": "ann", "kind": "human"}]`, func(c *Config) any { return c.Actors },
			[]Actor{{Name: "ann", Kind: "human", Roles: []string{}, Capabilities: []string{}}}, `{}`, []string{"expected an array of object"}},
		{"actors[].name", `"ann"`, func(c *Config) any { return c.Actors[0].Name }, "ann", `"ann/2"`, []string{"instance", "did you mean ann?"}},
		{"actors[].kind", `"agent"`, func(c *Config) any { return c.Actors[0].Kind }, "agent", `"robot"`, []string{"human, agent", "did you mean"}},
		{"actors[].roles", `["lead"]`, func(c *Config) any { return c.Actors[0].Roles }, []string{"lead"}, `"lead"`,
			[]string{"expected an array of non-empty string"}},
		{"actors[].capabilities", `["go"]`, func(c *Config) any { return c.Actors[0].Capabilities }, []string{"go"}, `7`,
			[]string{"expected an array of non-empty string"}},
		{"actors[].autonomy", `"human_only"`, func(c *Config) any { return c.Actors[0].Autonomy }, "human_only", `"human-only"`,
			append(autonomies, "did you mean human_only?")},
		{"actors[].default", `true`, func(c *Config) any { return c.Actors[0].Default }, true, `1`, []string{"expected a boolean"}},
		{"providers", `{}`, func(c *Config) any { return c.Providers }, map[string]Provider{}, `[]`, []string{"expected a map of name to object"}},
		{"providers.<name>.type", `"gitenv"`, func(c *Config) any { return c.Providers["some"].Type }, "gitenv", `"secrets_d"`,
			[]string{"dotenv, exec, gitenv, secrets_a, secrets_b, secrets_c", "did you mean secrets_a?"}},
		{"providers.<name>.env", `"stage"`, func(c *Config) any { return c.Providers["some"].Env }, "stage", `{}`, []string{"expected a string"}},
		{"providers.<name>.app", `"web"`, func(c *Config) any { return c.Providers["some"].App }, "web", `[]`, []string{"expected a string"}},
		{"providers.<name>.files", `[".env"]`, func(c *Config) any { return c.Providers["some"].Files }, []string{".env"}, `".env"`,
			[]string{"expected an array of non-empty string"}},
		{"providers.<name>.run", `"printenv"`, func(c *Config) any { return c.Providers["some"].Run }, "printenv", `["printenv"]`, []string{"expected a string"}},
		{"providers.<name>.path", `"kv/app"`, func(c *Config) any { return c.Providers["some"].Path }, "kv/app", `true`, []string{"expected a string"}},
		{"providers.<name>.options", `{"ref": "main"}`, func(c *Config) any { return c.Providers["some"].Options }, map[string]string{"ref": "main"}, `[]`,
			[]string{"expected a map of name to string"}},
		{"integrations", `{}`, func(c *Config) any { return len(c.Integrations.Selection) }, 6, `[]`, []string{"expected an object"}},
		{"integrations.issue_tracker", `{}`, func(c *Config) any { return c.Integrations.IssueTracker.Projects }, []string{}, `"x"`, []string{"expected an object"}},
		{"integrations.issue_tracker.baseUrl", `"https://t.example"`, func(c *Config) any { return c.Integrations.IssueTracker.BaseURL },
			"https://t.example", `1`, []string{"expected a string"}},
		{"integrations.issue_tracker.statusMap", `{"done": "Closed"}`, func(c *Config) any { return c.Integrations.IssueTracker.StatusMap },
			map[string]string{"done": "Closed"}, `["done"]`, []string{"expected a map of name to string"}},
		{"integrations.issue_tracker.fields", `{"rank": "f_1"}`, func(c *Config) any { return c.Integrations.IssueTracker.Fields },
			map[string]string{"rank": "f_1"}, `1`, []string{"expected a map of name to string"}},
		{"integrations.issue_tracker.projects", `["ABC"]`, func(c *Config) any { return c.Integrations.IssueTracker.Projects }, []string{"ABC"}, `"ABC"`,
			[]string{"expected an array of non-empty string"}},
		{"integrations.code_host", `{}`, func(c *Config) any { return c.Integrations.CodeHost.BranchPrefix }, "tasker/", `1`, []string{"expected an object"}},
		{"integrations.code_host.repos", `["acme/web"]`, func(c *Config) any { return c.Integrations.CodeHost.Repos }, []string{"acme/web"}, `"acme/web"`,
			[]string{"owner/name"}},
		{"integrations.code_host.autoCloseOnMerge", `true`, func(c *Config) any { return c.Integrations.CodeHost.AutoCloseOnMerge }, true, `"yes"`,
			[]string{"expected a boolean"}},
		{"integrations.code_host.branchPrefix", `"work/"`, func(c *Config) any { return c.Integrations.CodeHost.BranchPrefix }, "work/", `1`,
			[]string{"expected a string"}},
		{"integrations.selection", `["due", "age"]`, func(c *Config) any { return c.Integrations.Selection }, []string{"due", "age"}, `"due"`,
			[]string{"expected an array of one of severity, sprint, due, priority, rank, age"}},
		{"notifications", `{}`, func(c *Config) any { return c.Notifications.Channels }, []Channel{}, `[]`, []string{"expected an object"}},
		{"notifications.onApprovalRequested", `false`, func(c *Config) any { return c.Notifies("verification_requested") }, false, `1`,
			[]string{"expected a boolean"}},
		{"notifications.onBlockingQuestion", `false`, func(c *Config) any { return c.Notifies("blocking_question") }, false, `"off"`, []string{"expected a boolean"}},
		{"notifications.onDivergence", `false`, func(c *Config) any { return c.Notifies("divergence") }, false, `[]`, []string{"expected a boolean"}},
		{"notifications.channels", `[{"type": "exec", "target": "say"}]`, func(c *Config) any { return c.Notifications.Channels },
			[]Channel{{Type: "exec", Target: "say", Events: []string{}}}, `{}`, []string{"expected an array of object"}},
		{"notifications.channels[].type", `"webhook"`, func(c *Config) any { return c.Notifications.Channels[0].Type }, "webhook", `"webhok"`,
			[]string{"exec, webhook", "did you mean webhook?"}},
		{"notifications.channels[].target", `"notify-send"`, func(c *Config) any { return c.Notifications.Channels[0].Target }, "notify-send", `""`,
			[]string{"expected a non-empty string"}},
		{"notifications.channels[].events", `["review"]`, func(c *Config) any { return c.Notifications.Channels[0].Events }, []string{"review"}, `"review"`,
			[]string{"expected an array"}},
		{"notices", `{}`, func(c *Config) any { return c.Notices.Deprecations }, true, `false`, []string{"expected an object"}},
		{"notices.deprecations", `false`, func(c *Config) any { return c.Notices.Deprecations }, false, `0`, []string{"expected a boolean"}},
		{"gates", `{"release": ["test", "log"], "free": []}`, func(c *Config) any { return c.Gates },
			map[string][]string{"release": {"test", "log"}, "free": {}}, `{"release": "test"}`, nil},
		{"agentDefaults", `{}`, func(c *Config) any { return c.AgentDefaults.Lease }, 2 * time.Hour, `1`, []string{"expected an object"}},
		{"agentDefaults.lease", `"1d"`, func(c *Config) any { return c.AgentDefaults.Lease }, 24 * time.Hour, `"90"`,
			[]string{"no unit", "duration", "did you mean 90m?"}},
		{"agentDefaults.actor", `"bot"`, func(c *Config) any { return c.DefaultActor() }, "bot", `[]`, []string{"expected a string"}},
		{"agentDefaults.budget", `4000`, func(c *Config) any { return c.BundleBudget(0) }, 4000, `-1`, []string{"a whole number from 1 to", "the number -1"}},
		{"agentDefaults.requireNoteOnDone", `true`, func(c *Config) any { return c.AgentDefaults.RequireNoteOnDone }, true, `"true"`, []string{"expected a boolean"}},
		{"branch", `{}`, func(c *Config) any { return c.Branch }, Branch{Prefix: "tasker/", Template: "{id}-{slug}"}, `"x"`, []string{"expected an object"}},
		{"branch.prefix", `""`, func(c *Config) any { return c.Branch.Prefix }, "", `1`, []string{"expected a string"}},
		{"branch.template", `"t/{slug}.{id}"`, func(c *Config) any { return c.Branch.Template }, "t/{slug}.{id}", `"{id}-{slig}"`,
			[]string{"unknown placeholder {slig}", "{id}, {slug}", "did you mean {slug}?"}},
		{"branch.base", `"main"`, func(c *Config) any { return c.Branch.Base }, "main", `1`, []string{"expected a string"}},
		{"auth", `{}`, func(c *Config) any { return c.Auth.Mode }, "open", `"open"`, []string{"expected an object"}},
		{"auth.mode", `"session"`, func(c *Config) any { return c.Auth.Mode }, "session", `"sessions"`, []string{"open, session", "did you mean session?"}},
	}
	out = append(out, requirementRows("execution.requireApproval[]", func(c *Config) Requirement { return c.Execution.RequireApproval[0] })...)
	out = append(out, requirementRows("execution.reviewPolicy.<name>[]", func(c *Config) Requirement { return c.Execution.ReviewPolicy["some"][0] })...)
	out = append(out, stepRows("workspace.setup[]", func(c *Config) Step { return c.Workspace.Setup[0] })...)
	return append(out, stepRows("workspace.teardown[]", func(c *Config) Step { return c.Workspace.Teardown[0] })...)
}

func requirementRows(at string, get func(*Config) Requirement) []row {
	return []row{
		{at + ".role", `"lead"`, func(c *Config) any { return get(c).Role }, "lead", `["lead"]`, []string{"expected a string"}},
		{at + ".actor", `"ann"`, func(c *Config) any { return get(c).Actor }, "ann", `1`, []string{"expected a string"}},
		{at + ".kind", `"verification"`, func(c *Config) any { return get(c).Kind }, "verification", `"verify"`, []string{"approval, verification", "did you mean"}},
		{at + ".reason", `"because"`, func(c *Config) any { return get(c).Reason }, "because", `null`, []string{"expected a string", "null"}},
	}
}

func stepRows(at string, get func(*Config) Step) []row {
	return []row{
		{at + ".name", `"deps"`, func(c *Config) any { return get(c).Name }, "deps", `""`, []string{"expected a non-empty string"}},
		{at + ".run", `"make"`, func(c *Config) any { return get(c).Run }, "make", `["make"]`, []string{"expected a non-empty string"}},
		{at + ".timeoutMs", `5000`, func(c *Config) any { return get(c).Timeout() }, 5 * time.Second, `"5s"`, []string{"a whole number from 1 to"}},
		{at + ".optional", `true`, func(c *Config) any { return get(c).Optional }, true, `"yes"`, []string{"expected a boolean"}},
	}
}

func TestEveryRowOfTheFieldTable(t *testing.T) {
	covered := map[string]bool{}
	for _, r := range rows() {
		covered[r.key] = true
		t.Run(r.key, func(t *testing.T) {
			text := place(r.key, r.good)
			if diff := cmp.Diff(r.want, r.got(mustFor(t, one(text), "").Config)); diff != "" {
				t.Errorf("%s does not show in Config (-want +got):\n%s", text, diff)
			}
			if r.bad == "" {
				return
			}
			text = place(r.key, r.bad)
			faults := faultsOf(t, text)
			if len(faults) != 1 {
				t.Fatalf("%s: want one fault, have %v", text, faults)
			}
			path := strings.NewReplacer("[]", "[0]", "<name>", "some").Replace(r.key)
			if !strings.HasPrefix(faults[0].Path, path) {
				t.Errorf("the fault is at %s, want %s", faults[0].Path, path)
			}
			said := faults[0].String()
			for _, want := range append(r.says, filePath+":1:") {
				if !strings.Contains(said, want) {
					t.Errorf("the refusal %q does not say %q", said, want)
				}
			}
			if e := refusal(t, one(text)); !slices.Contains(e.Missing, said) {
				t.Errorf("loading says %q, validating %q", e.Missing, said)
			}
		})
	}
	for _, key := range format.Keys() {
		if !covered[key] {
			t.Errorf("no row for %s", key)
		}
		delete(covered, key)
	}
	for key := range covered {
		t.Errorf("a row for %s, which is not declared", key)
	}
}

// Every place refuses a misspelt key with its path, the keys allowed there and the one that was meant.
func TestMisspeltKeyIsRefusedEverywhere(t *testing.T) {
	for _, key := range format.Keys() {
		text := place(key+"x", "1")
		var found *tree.Fault
		for _, f := range faultsOf(t, text) {
			if strings.HasSuffix(f.Path, "x") && f.Message == "unknown key" {
				found = &f
			}
		}
		if found == nil {
			t.Errorf("%s: no fault for the unknown key", text)
			continue
		}
		path := strings.NewReplacer("[]", "[0]", "<name>", "some").Replace(key)
		if found.Path != path+"x" || found.Suggestion != path {
			t.Errorf("%s: path %s, suggestion %s", text, found.Path, found.Suggestion)
		}
		name := path[strings.LastIndexByte(path, '.')+1:]
		if !slices.Contains(found.Allowed, name) || !strings.Contains(found.String(), strings.Join(found.Allowed, ", ")) {
			t.Errorf("%s: allowed %v", text, found.Allowed)
		}
	}
}

func TestValueOfAnotherTypeIsRefusedEverywhere(t *testing.T) {
	format.Walk(func(key string, k *format.Key) {
		if k.Type == format.Anything {
			return
		}
		text := place(key, "null")
		faults := faultsOf(t, text)
		path := strings.NewReplacer("[]", "[0]", "<name>", "some").Replace(key)
		if len(faults) != 1 || faults[0].Path != path || !strings.Contains(faults[0].Message, "expected") || !strings.Contains(faults[0].Message, "found null") {
			t.Errorf("%s: %v", text, faults)
		}
	})
}
