package config

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/config/format"

	"github.com/google/go-cmp/cmp"
)

// row is one row of the specification's field table: a value that is accepted and where it appears in Config, and one
// that is refused, with what the refusal must say in addition to the path.
type row struct {
	key  string
	good string
	got  func(*Config) any
	want any
	bad  string
	says []string
}

// rows returns every row of the field table, with steps and requirements in both of their places.
func rows() []row {
	autonomies := []string{"autonomous, supervised, human_only"}
	out := []row{
		{"$schema", `{"any": [1, null]}`, func(c *Config) any { return c.Project }, "demo", "", nil},
		{"version", `1`, func(c *Config) any { return c.Version }, 1, `"1"`, []string{"the number 1", `the string "1"`}},
		{"project", `"other-1"`, func(c *Config) any { return c.Project }, "other-1", `"My Project"`, []string{"slug", "did you mean my-project?"}},
		{"execution", `{}`, func(c *Config) any { return c.Execution.DefaultAutonomy }, "autonomous", `[]`, []string{"must be an object", "a list"}},
		{"execution.defaultAutonomy", `"supervised"`, func(c *Config) any { return c.Execution.DefaultAutonomy }, "supervised", `"supervise"`,
			append(autonomies, "did you mean supervised?")},
		{"execution.preferredActor", `"ann"`, func(c *Config) any { return c.Execution.PreferredActor }, "ann", `7`, []string{"must be a string", "the number 7"}},
		{"execution.mayExecute", `["dev", "go"]`, func(c *Config) any { return c.Execution.MayExecute }, []string{"dev", "go"}, `"dev"`,
			[]string{"must be an array of non-empty string", `the string "dev"`}},
		{"execution.requireApproval", `[{}]`, func(c *Config) any { return c.Execution.RequireApproval }, []Requirement{{Kind: "approval"}}, `{}`,
			[]string{"must be an array of object", "an object"}},
		{"execution.reviewPolicy", `{"release": [{"role": "lead"}]}`, func(c *Config) any { return c.Execution.ReviewPolicy },
			map[string][]Requirement{"release": {{Role: "lead", Kind: "approval"}}}, `[]`, []string{"must be a map of name to array of object"}},
		{"workspace", `{}`, func(c *Config) any { return c.Workspace.Ports == nil }, true, `null`, []string{"must be an object", "null"}},
		{"workspace.strategy", `"worktree"`, func(c *Config) any { return c.Workspace.Strategy }, "worktree", `"in_place"`,
			[]string{"in-place, worktree", "did you mean in-place?"}},
		{"workspace.dir", `"../trees"`, func(c *Config) any { return c.Workspace.Dir }, "../trees", `"/var/trees"`, []string{"relative to the repository root"}},
		{"workspace.providers", `["env", "vault"]`, func(c *Config) any { return c.Workspace.Providers }, []string{"env", "vault"}, `{}`,
			[]string{"must be an array of non-empty string"}},
		{"workspace.ports", `{"range": [1, 65535]}`, func(c *Config) any { return *c.Workspace.Ports }, Ports{Range: [2]int{1, 65535}, PerTask: 1},
			`[1, 2]`, []string{"must be an object"}},
		{"workspace.ports.range", `[4000, 4000]`, func(c *Config) any { return c.Workspace.Ports.Range }, [2]int{4000, 4000}, `[4099, 4000]`,
			[]string{"backwards", "did you mean [4000, 4099]?"}},
		{"workspace.ports.perTask", `3`, func(c *Config) any { return c.Workspace.Ports.PerTask }, 3, `0`,
			[]string{"a whole number from 1 to 65535", "the number 0"}},
		{"workspace.setup", `[]`, func(c *Config) any { return c.Workspace.Setup }, []Step{}, `"make"`, []string{"must be an array of object"}},
		{"workspace.teardown", `[]`, func(c *Config) any { return c.Workspace.Teardown }, []Step{}, `"make"`, []string{"must be an array of object"}},
		{"context", `{}`, func(c *Config) any { return c.Context.WarnOnDrift }, true, `true`, []string{"must be an object", "not true"}},
		{"context.track", `["AGENTS.md"]`, func(c *Config) any { return c.Context.Track }, []string{"AGENTS.md"}, `[""]`, nil},
		{"context.ignore", `["docs/**"]`, func(c *Config) any { return c.Context.Ignore }, []string{"docs/**"}, `"docs/**"`,
			[]string{"must be an array of a glob"}},
		{"context.bundleBudget", `8e3`, func(c *Config) any { return c.Context.BundleBudget }, 8000, `0.5`,
			[]string{"a whole number from 1 to 1000000000", "the number 0.5"}},
		{"context.warnOnDrift", `false`, func(c *Config) any { return c.Context.WarnOnDrift }, false, `"no"`, []string{"must be true or false"}},
		{"actors", `[{"name": "ann", "kind": "human"}]`, func(c *Config) any { return c.Actors },
			[]Actor{{Name: "ann", Kind: "human", Roles: []string{}, Capabilities: []string{}}}, `{}`, []string{"must be an array of object"}},
		{"actors[].name", `"ann"`, func(c *Config) any { return c.Actors[0].Name }, "ann", `"ann/2"`, []string{"instance", "did you mean ann?"}},
		{"actors[].kind", `"agent"`, func(c *Config) any { return c.Actors[0].Kind }, "agent", `"agnet"`, []string{"human, agent", "did you mean agent?"}},
		{"actors[].roles", `["lead"]`, func(c *Config) any { return c.Actors[0].Roles }, []string{"lead"}, `"lead"`,
			[]string{"must be an array of non-empty string"}},
		{"actors[].capabilities", `["go"]`, func(c *Config) any { return c.Actors[0].Capabilities }, []string{"go"}, `7`,
			[]string{"must be an array of non-empty string"}},
		{"actors[].autonomy", `"human_only"`, func(c *Config) any { return c.Actors[0].Autonomy }, "human_only", `"human-only"`,
			append(autonomies, "did you mean human_only?")},
		{"actors[].default", `true`, func(c *Config) any { return c.Actors[0].Default }, true, `1`, []string{"must be true or false"}},
		{"providers", `{}`, func(c *Config) any { return c.Providers }, map[string]Provider{}, `[]`, []string{"must be a map of name to object"}},
		{"providers.<name>.type", `"gitenv"`, func(c *Config) any { return c.Providers["some"].Type }, "gitenv", `"secrets_d"`,
			[]string{"dotenv, exec, gitenv, secrets_a, secrets_b, secrets_c", "did you mean secrets_a?"}},
		{"providers.<name>.env", `"stage"`, func(c *Config) any { return c.Providers["some"].Env }, "stage", `{}`, []string{"must be a string"}},
		{"providers.<name>.app", `"web"`, func(c *Config) any { return c.Providers["some"].App }, "web", `[]`, []string{"must be a string"}},
		{"providers.<name>.files", `[".env"]`, func(c *Config) any { return c.Providers["some"].Files }, []string{".env"}, `".env"`,
			[]string{"must be an array of non-empty string"}},
		{"providers.<name>.run", `"printenv"`, func(c *Config) any { return c.Providers["some"].Run }, "printenv", `["printenv"]`, []string{"must be a string"}},
		{"providers.<name>.path", `"kv/app"`, func(c *Config) any { return c.Providers["some"].Path }, "kv/app", `true`, []string{"must be a string"}},
		{"providers.<name>.options", `{"ref": "main"}`, func(c *Config) any { return c.Providers["some"].Options }, map[string]string{"ref": "main"}, `[]`,
			[]string{"must be a map of name to string"}},
		{"integrations", `{}`, func(c *Config) any { return len(c.Integrations.Selection) }, 6, `[]`, []string{"must be an object"}},
		{"integrations.issue_tracker", `{}`, func(c *Config) any { return c.Integrations.IssueTracker.Projects }, []string{}, `"x"`, []string{"must be an object"}},
		{"integrations.issue_tracker.baseUrl", `"https://t.example"`, func(c *Config) any { return c.Integrations.IssueTracker.BaseURL },
			"https://t.example", `1`, []string{"must be the address of a site"}},
		{"integrations.issue_tracker.statusMap", `{"done": "Closed"}`, func(c *Config) any { return c.Integrations.IssueTracker.StatusMap },
			map[string]string{"done": "Closed"}, `["done"]`, []string{"must be a map of name to string"}},
		{"integrations.issue_tracker.fields", `{"rank": "f_1"}`, func(c *Config) any { return c.Integrations.IssueTracker.Fields },
			map[string]string{"rank": "f_1"}, `1`, []string{"must be a map of name to string"}},
		{"integrations.issue_tracker.projects", `["ABC"]`, func(c *Config) any { return c.Integrations.IssueTracker.Projects }, []string{"ABC"}, `"ABC"`,
			[]string{"must be an array of non-empty string"}},
		{"integrations.code_host", `{}`, func(c *Config) any { return c.Integrations.CodeHost.BranchPrefix }, "tasker/", `1`, []string{"must be an object"}},
		{"integrations.code_host.repos", `["acme/web"]`, func(c *Config) any { return c.Integrations.CodeHost.Repos }, []string{"acme/web"}, `"acme/web"`,
			[]string{"owner/name"}},
		{"integrations.code_host.autoCloseOnMerge", `true`, func(c *Config) any { return c.Integrations.CodeHost.AutoCloseOnMerge }, true, `"yes"`,
			[]string{"must be true or false"}},
		{"integrations.code_host.branchPrefix", `"work/"`, func(c *Config) any { return c.Integrations.CodeHost.BranchPrefix }, "work/", `1`,
			[]string{"must be a string"}},
		{"integrations.selection", `["due", "age"]`, func(c *Config) any { return c.Integrations.Selection }, []string{"due", "age"}, `"due"`,
			[]string{"must be an array of one of severity, sprint, due, priority, rank, age"}},
		{"notifications", `{}`, func(c *Config) any { return c.Notifications.Channels }, []Channel{}, `[]`, []string{"must be an object"}},
		{"notifications.onApprovalRequested", `false`, func(c *Config) any { return c.Notifies("verification_requested") }, false, `1`,
			[]string{"must be true or false"}},
		{"notifications.onBlockingQuestion", `false`, func(c *Config) any { return c.Notifies("blocking_question") }, false, `"off"`,
			[]string{"must be true or false"}},
		{"notifications.onDivergence", `false`, func(c *Config) any { return c.Notifies("divergence") }, false, `[]`, []string{"must be true or false"}},
		{"notifications.channels", `[{"type": "exec", "target": "say"}]`, func(c *Config) any { return c.Notifications.Channels },
			[]Channel{{Type: "exec", Target: "say", Events: []string{}}}, `{}`, []string{"must be an array of object"}},
		{"notifications.channels[].type", `"webhook"`, func(c *Config) any { return c.Notifications.Channels[0].Type }, "webhook", `"webhok"`,
			[]string{"exec, webhook", "did you mean webhook?"}},
		{"notifications.channels[].target", `"notify-send"`, func(c *Config) any { return c.Notifications.Channels[0].Target }, "notify-send", `""`,
			[]string{"must be a non-empty string"}},
		{"notifications.channels[].events", `["review"]`, func(c *Config) any { return c.Notifications.Channels[0].Events }, []string{"review"}, `"review"`,
			[]string{"must be an array"}},
		{"notices", `{}`, func(c *Config) any { return c.Notices.Deprecations }, true, `false`, []string{"must be an object"}},
		{"notices.deprecations", `false`, func(c *Config) any { return c.Notices.Deprecations }, false, `0`, []string{"must be true or false"}},
		{"gates", `{"release": ["test", "log"], "free": []}`, func(c *Config) any { return c.Gates },
			map[string][]string{"release": {"test", "log"}, "free": {}}, `{"release": "test"}`, nil},
		{"agentDefaults", `{}`, func(c *Config) any { return c.AgentDefaults.Lease }, 2 * time.Hour, `1`, []string{"must be an object"}},
		{"agentDefaults.lease", `"1d"`, func(c *Config) any { return c.AgentDefaults.Lease }, 24 * time.Hour, `"90"`,
			[]string{"no unit", "duration", "did you mean 90m?"}},
		{"agentDefaults.actor", `"bot"`, func(c *Config) any { return c.AgentDefaults.Actor }, "bot", `[]`, []string{"must be a string"}},
		{"agentDefaults.budget", `4000`, func(c *Config) any { return c.AgentDefaults.Budget }, 4000, `-1`, []string{"a whole number from 1 to", "the number -1"}},
		{"agentDefaults.requireNoteOnDone", `true`, func(c *Config) any { return c.AgentDefaults.RequireNoteOnDone }, true, `"true"`,
			[]string{"must be true or false"}},
		{"branch", `{}`, func(c *Config) any { return c.Branch }, Branch{Prefix: "tasker/", Template: "{id}-{slug}"}, `"x"`, []string{"must be an object"}},
		{"branch.prefix", `""`, func(c *Config) any { return c.Branch.Prefix }, "", `1`, []string{"must be a string"}},
		{"branch.template", `"t/{slug}.{id}"`, func(c *Config) any { return c.Branch.Template }, "t/{slug}.{id}", `"{id}-{slig}"`,
			[]string{"unknown placeholder {slig}", "{id}, {slug}", "did you mean {slug}?"}},
		{"branch.base", `"main"`, func(c *Config) any { return c.Branch.Base }, "main", `1`, []string{"must be a branch, a tag or a commit"}},
		{"auth", `{}`, func(c *Config) any { return c.Auth.Mode }, "open", `"open"`, []string{"must be an object"}},
		{"auth.mode", `"session"`, func(c *Config) any { return c.Auth.Mode }, "session", `"sessions"`, []string{"open, session", "did you mean session?"}},
	}
	out = append(out, requirementRows("execution.requireApproval[]", func(c *Config) Requirement { return c.Execution.RequireApproval[0] })...)
	out = append(out, requirementRows("execution.reviewPolicy.<name>[]", func(c *Config) Requirement { return c.Execution.ReviewPolicy["some"][0] })...)
	out = append(out, stepRows("workspace.setup[]", func(c *Config) Step { return c.Workspace.Setup[0] })...)
	return append(out, stepRows("workspace.teardown[]", func(c *Config) Step { return c.Workspace.Teardown[0] })...)
}

func requirementRows(at string, get func(*Config) Requirement) []row {
	return []row{
		{at + ".role", `"lead"`, func(c *Config) any { return get(c).Role }, "lead", `["lead"]`, []string{"must be a string"}},
		{at + ".actor", `"ann"`, func(c *Config) any { return get(c).Actor }, "ann", `1`, []string{"must be a string"}},
		{at + ".kind", `"verification"`, func(c *Config) any { return get(c).Kind }, "verification", `"verify"`, []string{"approval, verification", "did you mean"}},
		{at + ".reason", `"because"`, func(c *Config) any { return get(c).Reason }, "because", `null`, []string{"must be a string", "null"}},
	}
}

func stepRows(at string, get func(*Config) Step) []row {
	return []row{
		{at + ".name", `"deps"`, func(c *Config) any { return get(c).Name }, "deps", `""`, []string{"must be a non-empty string"}},
		{at + ".run", `"make"`, func(c *Config) any { return get(c).Run }, "make", `["make"]`, []string{"must be a non-empty string"}},
		{at + ".timeoutMs", `5000`, func(c *Config) any { return get(c).Timeout() }, 5 * time.Second, `"5s"`, []string{"a whole number from 1 to"}},
		{at + ".optional", `true`, func(c *Config) any { return get(c).Optional }, true, `"yes"`, []string{"must be true or false"}},
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
		var found *format.Fault
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
		if len(faults) != 1 || faults[0].Path != path || !strings.Contains(faults[0].Message, "must be ") || !strings.Contains(faults[0].Message, ", not null") {
			t.Errorf("%s: %v", text, faults)
		}
	})
}
