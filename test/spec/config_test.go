package spec

import "strings"

var configurationFile = []statement{
	{
		name: "found-upwards",
		says: "Located at the repository root; every command walks up from the working directory to find it.",
		test: func(w *world) {
			w.config(`"agentDefaults": {"lease": "7m"}`)
			w.in("a/b/c").run("config explain agentDefaults.lease --json").is(0).has("value", "7m").has("layer", "file")
		},
	},
	{
		name: "tasker-config",
		says: "TASKER_CONFIG names a config file directly and skips the upward search.",
		test: func(w *world) {
			w.config(`"agentDefaults": {"lease": "7m"}`)
			w.file("other.json", `{"version": 1, "project": "other"}`)
			w.with("TASKER_CONFIG="+w.dir+"/other.json").run("config show --json").is(0).has("project", "other").hides("7m")
		},
	},
	{
		name: "local-layer",
		says: "A second file .tasker.local.json is a machine-local layer, may refine any setting but cannot declare project.",
		test: func(w *world) {
			w.config(`"agentDefaults": {"lease": "7m"}`)
			w.file(".tasker.local.json", `{"agentDefaults": {"lease": "9m"}}`)
			w.run("config explain agentDefaults.lease --json").is(0).has("value", "9m").has("layer", "local")
			w.file(".tasker.local.json", `{"project": "other"}`)
			w.run("config show --json").is(2).says("project")
		},
	},
	{
		name: "local-layer-is-not-committed",
		says: "A second file .tasker.local.json must not be committed",
		test: func(w *world) {
			w.config("")
			w.file(".tasker.local.json", `{}`)
			git(w, "init", "-q")
			git(w, "add", "-A", "-f")
			git(w, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "-m", "x")
			w.run("config validate").says(`\.tasker\.local\.json`)
		},
	},
	{
		name: "minimal-form",
		says: "Minimal form: version (1) and project (string). All else is optional, and omitted blocks behave as the defaults.",
		test: func(w *world) {
			w.config("")
			w.run("config validate").is(0)
			w.run("config explain agentDefaults.lease --json").is(0).has("layer", "defaults")
		},
	},
	{
		name: "unknown-keys",
		says: "Strict: unknown keys are refused. A refusal names the path, lists the allowed keys and suggests the nearest declared key.",
		test: func(w *world) {
			w.config(`"agentDefaults": {"leese": "7m"}`)
			w.run("config validate").is(2).says(`agentDefaults\.leese`).says("requireNoteOnDone").says(`(?i)(mean|nearest).*lease`)
			w.run("ready").is(2).says(`agentDefaults\.leese`)
		},
	},
	{
		name: "another-version",
		says: "version is required. A file declaring a version the binary does not speak is refused, with the upgrade command, and is never partially applied.",
		test: func(w *world) {
			w.file(".tasker.json", `{"version": 2, "project": "demo"}`)
			w.run("config show").is(2).says("tasker upgrade")
			w.run("ready").is(2).says("tasker upgrade")
		},
	},
	{
		name: "no-version",
		says: "A file with no version is the pre-versioned shape. It is read as such: only project, integrations and notices are read, and a notice is printed.",
		test: func(w *world) {
			w.file(".tasker.json", `{"project": "demo", "integrations": {"selection": ["age"]}, "agentDefaults": {"lease": "7m"}}`)
			r := w.run("config show").is(0).says("tasker config migrate --write")
			r.says("age")
			w.run("config explain agentDefaults.lease --json").is(0).has("layer", "defaults")
		},
	},
	{
		name: "schema-is-ignored",
		says: "$schema is ignored by the service (editors use it)",
		test: func(w *world) {
			w.file(".tasker.json", `{"$schema": "https://example.org/s.json", "version": 1, "project": "demo"}`)
			w.run("config validate").is(0)
		},
	},
	{
		name: "precedence",
		says: "Precedence, lowest to highest, last layer to set a key wins: defaults, db, file, local, env, flags.",
		effects: effectsOf("execution.defaultAutonomy", "execution.mayExecute", "workspace.strategy", "context.track", "gates",
			"branch.prefix", "auth.mode"), // as every key with a row: in one layer above another
		test: func(w *world) {
			lease := func(w *world, value, layer string) {
				w.Helper()
				w.run("config explain agentDefaults.lease --json").is(0).has("value", value).has("layer", layer)
			}
			w.config("")
			w.plan(pair)
			lease(w, "2h", "defaults")
			w.run("project set demo agentDefaults.lease 3m").is(0)
			lease(w, "3m", "db")
			w.config(`"agentDefaults": {"lease": "4m"}`)
			lease(w, "4m", "file")
			w.file(".tasker.local.json", `{"agentDefaults": {"lease": "5m"}}`)
			lease(w, "5m", "local")
			w = w.with("TASKER_LEASE=6m")
			lease(w, "6m", "env")
			w.run("claim demo-1 --lease 7m --json").is(0).has("leaseMs", "420000")
			w.run("claim demo-2 --json").is(0).has("leaseMs", "360000")
			w.run("config explain agentDefaults.lease --json").has("overrode.#", "4")
		},
	},
	{
		name: "merging",
		says: "Objects merge key by key; arrays replace wholesale; scalars replace.",
		test: func(w *world) {
			w.config(`"gates": {"a": ["x", "y"], "b": ["z"]}, "agentDefaults": {"lease": "4m", "budget": 10}`)
			w.file(".tasker.local.json", `{"gates": {"a": ["w"]}, "agentDefaults": {"lease": "5m"}}`)
			w.run("config show --json").is(0).has("gates", `{"a":\["w"\],"b":\["z"\]}`).
				has("agentDefaults.lease", "5m").has("agentDefaults.budget", "10")
		},
	},
	{
		name: "tasker-project",
		says: "Environment override TASKER_PROJECT sets project",
		test: func(w *world) {
			w.config("")
			w.plan(pair)
			w.with("TASKER_PROJECT=other").run("ready").is(4).says("other")
			w.with("TASKER_PROJECT=other").run("config explain project --json").is(0).has("value", "other").has("layer", "env").has("overrode.0.value", "demo")
		},
	},
	{
		name: "tasker-lease",
		says: "Environment override TASKER_LEASE sets agentDefaults.lease",
		test: func(w *world) {
			w.config("")
			w.plan(pair)
			w.with("TASKER_LEASE=8m").run("claim demo-1 --json").is(0).has("leaseMs", "480000")
			w.with("TASKER_LEASE=9m").run("config explain agentDefaults.lease --json").is(0).has("value", "9m").has("layer", "env")
			w.with("TASKER_LEASE=soon").run("config show").is(2).says("TASKER_LEASE")
		},
	},
	{
		name: "tasker-budget",
		says: "Environment override TASKER_BUDGET sets agentDefaults.budget",
		test: func(w *world) {
			w.config("")
			w.plan(pair)
			w.with("TASKER_BUDGET=900").run("show demo-1 --json").is(0).has("budget.limit", "900")
			w.with("TASKER_BUDGET=900").run("config explain agentDefaults.budget --json").is(0).has("value", "900").has("layer", "env")
		},
	},
	{
		name: "tasker-workspace-strategy",
		says: "Environment override TASKER_WORKSPACE_STRATEGY sets workspace.strategy",
		test: func(w *world) {
			w.config("")
			w.plan(pair)
			git(w, "init", "-q", "-b", "main")
			git(w, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "x")
			w.with("TASKER_WORKSPACE_STRATEGY=worktree").run("workspace open demo-1 --json").is(0).has("strategy", "worktree")
			w.with("TASKER_WORKSPACE_STRATEGY=worktree").run("config explain workspace.strategy --json").is(0).has("value", "worktree").has("layer", "env")
		},
	},
}

// key returns a statement on a key of the configuration file. Its test is about the form: fragments that are accepted,
// and one that is refused with its path. test/settings shows what the key changes, by running the program with it and
// without it.
func key(path, says, later, good, bad string) statement {
	name := strings.NewReplacer(".", "-", "[]", "", "<name>", "name", "$", "", "_", "-").Replace(path)
	return statement{name: dashed(name), says: path + ": " + says, later: later, effects: effectsOf(path), test: func(w *world) {
		w.file("good.json", whole(path, good))
		w.run("config validate good.json").is(0)
		if bad == "" {
			return
		}
		w.file("bad.json", whole(path, bad))
		last := path[strings.LastIndexAny(path, ".]")+1:]
		w.run("config validate bad.json").is(2).says(strings.TrimPrefix(last, "$"))
	}}
}

// and returns the statement with an additional test.
func (st statement) and(more func(*world)) statement {
	form := st.test
	st.test = func(w *world) {
		form(w)
		more(w)
	}
	return st
}

// dashed writes a camel-case name as lower-case words.
func dashed(name string) string {
	var out strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			out.WriteByte('-')
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}

func whole(path, fragment string) string {
	switch path {
	case "version", "project", "$schema":
		return "{" + fragment + "}"
	}
	return `{"version": 1, "project": "demo", ` + fragment + `}`
}

var configurationFields = []statement{
	key("$schema", "string, optional; editor hint", "", `"$schema": "x", "version": 1, "project": "demo"`, ""),
	key("version", "the number 1, required; config format version", "", `"version": 1, "project": "demo"`, `"version": "1", "project": "demo"`),
	key("project", "string, required; project slug; prefixes every task id", "", `"version": 1, "project": "demo"`, `"version": 1`),
	key("execution", "object, optional", "", `"execution": {}`, `"execution": []`),
	key("execution.defaultAutonomy", "enum autonomous, supervised, human_only; autonomy for tasks that declare none", "",
		`"execution": {"defaultAutonomy": "supervised"}`, `"execution": {"defaultAutonomy": "none"}`),
	key("execution.preferredActor", "string; biases selection, never blocks another eligible actor", "",
		`"execution": {"preferredActor": "ann"}`, `"execution": {"preferredActor": 1}`).and(func(w *world) {
		w.config(`"execution": {"preferredActor": "ann"}`)
		w.plan(pair)
		w.run("next --claim --json").is(0).has("claimed.actor", "claude")
	}),
	key("execution.mayExecute", "array of string; roles or capabilities required to claim a task; empty means anyone", "",
		`"execution": {"mayExecute": []}`, `"execution": {"mayExecute": "dev"}`),
	key("execution.requireApproval", "array of object; approvals every task must collect before done; per-task policy adds to these", "",
		`"execution": {"requireApproval": [{}]}`, `"execution": {"requireApproval": {}}`),
	key("execution.requireApproval[].role", "string; any actor holding the role may satisfy it", "",
		`"execution": {"requireApproval": [{"role": "lead"}]}`, `"execution": {"requireApproval": [{"role": 1}]}`),
	key("execution.requireApproval[].actor", "string; only this actor may satisfy it", "",
		`"execution": {"requireApproval": [{"actor": "ann"}]}`, `"execution": {"requireApproval": [{"actor": []}]}`),
	key("execution.requireApproval[].kind", "enum approval, verification", "",
		`"execution": {"requireApproval": [{"kind": "verification"}]}`, `"execution": {"requireApproval": [{"kind": "look"}]}`),
	key("execution.requireApproval[].reason", "string; shown in the refusal", "",
		`"execution": {"requireApproval": [{"reason": "r"}]}`, `"execution": {"requireApproval": [{"reason": {}}]}`),
	key("execution.reviewPolicy", "map of gate name to array of the same object; extra approvals per gate", "",
		`"execution": {"reviewPolicy": {"ship": [{"role": "lead"}]}}`, `"execution": {"reviewPolicy": []}`),
	key("workspace", "object", "", `"workspace": {}`, `"workspace": ""`),
	key("workspace.strategy", "enum in-place, worktree; default in-place; worktree gives a git worktree per task", "",
		`"workspace": {"strategy": "worktree"}`, `"workspace": {"strategy": "copy"}`),
	key("workspace.dir", "string; worktree location relative to repo root; default .worktrees", "",
		`"workspace": {"dir": "w"}`, `"workspace": {"dir": 1}`),
	key("workspace.providers", "array of string; ordered environment provider chain; names refer to keys of providers", "",
		`"workspace": {"providers": ["p"]}, "providers": {"p": {"type": "dotenv"}}`, `"workspace": {"providers": "p"}`),
	key("workspace.ports", "object; collision-free port allocation for parallel workspaces", "",
		`"workspace": {"ports": {"range": [4000, 4100]}}`, `"workspace": {"ports": []}`),
	key("workspace.ports.range", "array of two numbers, required within ports; inclusive start and end", "",
		`"workspace": {"ports": {"range": [4000, 4100]}}`, `"workspace": {"ports": {"perTask": 1}}`),
	key("workspace.ports.perTask", "number; ports per task; default 1", "",
		`"workspace": {"ports": {"range": [4000, 4100], "perTask": 2}}`, `"workspace": {"ports": {"range": [4000, 4100], "perTask": "2"}}`),
	key("workspace.setup", "array of step; ordered steps run after the workspace exists", "",
		`"workspace": {"setup": [{"name": "n", "run": "true"}]}`, `"workspace": {"setup": {}}`),
	key("workspace.teardown", "array of step; ordered steps run before the workspace is removed", "",
		`"workspace": {"teardown": [{"name": "n", "run": "true"}]}`, `"workspace": {"teardown": "x"}`),
	key("workspace.setup[].name", "string, required; shown in event log and failures", "",
		`"workspace": {"setup": [{"name": "n", "run": "true"}]}`, `"workspace": {"setup": [{"run": "true"}]}`),
	key("workspace.setup[].run", "string, required; shell command run in the prepared workspace", "",
		`"workspace": {"setup": [{"name": "n", "run": "true"}]}`, `"workspace": {"setup": [{"name": "n"}]}`),
	key("workspace.setup[].timeoutMs", "number; default 120000", "",
		`"workspace": {"setup": [{"name": "n", "run": "true", "timeoutMs": 5}]}`, `"workspace": {"setup": [{"name": "n", "run": "true", "timeoutMs": "5"}]}`),
	key("workspace.setup[].optional", "boolean; a failure warns instead of aborting", "",
		`"workspace": {"setup": [{"name": "n", "run": "true", "optional": true}]}`, `"workspace": {"setup": [{"name": "n", "run": "true", "optional": 1}]}`),
	key("context", "object", "", `"context": {}`, `"context": 1`),
	key("context.track", "array of string; committed guidance to version and fingerprint", "",
		`"context": {"track": ["AGENTS.md"]}`, `"context": {"track": "AGENTS.md"}`),
	key("context.ignore", "array of string; globs excluded from the tracked set", "", `"context": {"ignore": ["x/**"]}`, `"context": {"ignore": 1}`),
	key("context.bundleBudget", "number; default token budget for context bundles; unset means no truncation", "",
		`"context": {"bundleBudget": 2000}`, `"context": {"bundleBudget": "x"}`),
	key("context.warnOnDrift", "boolean; warn when tracked guidance changed since claim; default true", "",
		`"context": {"warnOnDrift": false}`, `"context": {"warnOnDrift": "no"}`),
	key("actors", "array of object", "", `"actors": []`, `"actors": {}`),
	key("actors[].name", "string, required; matches TASKER_ACTOR; appears in events and claims", "",
		`"actors": [{"name": "ann", "kind": "human"}]`, `"actors": [{"kind": "human"}]`),
	key("actors[].kind", "enum human, agent, required", "", `"actors": [{"name": "ann", "kind": "agent"}]`, `"actors": [{"name": "ann", "kind": "robot"}]`),
	key("actors[].roles", "array of string", "", `"actors": [{"name": "a", "kind": "human", "roles": ["lead"]}]`,
		`"actors": [{"name": "a", "kind": "human", "roles": "lead"}]`),
	key("actors[].capabilities", "array of string", "",
		`"actors": [{"name": "a", "kind": "agent", "capabilities": ["go"]}]`, `"actors": [{"name": "a", "kind": "agent", "capabilities": 1}]`),
	key("actors[].autonomy", "enum autonomous, supervised, human_only; per-actor ceiling the task policy cannot exceed", "",
		`"actors": [{"name": "a", "kind": "agent", "autonomy": "supervised"}]`, `"actors": [{"name": "a", "kind": "agent", "autonomy": "x"}]`),
	key("actors[].default", "boolean; actor assumed when TASKER_ACTOR is unset", "",
		`"actors": [{"name": "a", "kind": "agent", "default": true}]`, `"actors": [{"name": "a", "kind": "agent", "default": 1}]`),
	key("providers", "map of name to object", "", `"providers": {}`, `"providers": []`),
	key("providers.<name>.type", "enum dotenv, exec, gitenv, secrets_a, secrets_b, secrets_c, required", "",
		`"providers": {"a": {"type": "dotenv"}, "b": {"type": "exec", "run": "true"}, "c": {"type": "gitenv"}, "d": {"type": "secrets_a"}}`,
		`"providers": {"a": {"type": "env"}}`),
	key("providers.<name>.env", "string; environment or stage name", "", `"providers": {"a": {"type": "dotenv", "env": "dev"}}`,
		`"providers": {"a": {"type": "dotenv", "env": 1}}`),
	key("providers.<name>.app", "string; app or scope name", "", `"providers": {"a": {"type": "dotenv", "app": "x"}}`,
		`"providers": {"a": {"type": "dotenv", "app": 1}}`),
	key("providers.<name>.files", "array of string; dotenv: files to materialize", "",
		`"providers": {"a": {"type": "dotenv", "files": [".env"]}}`, `"providers": {"a": {"type": "dotenv", "files": ".env"}}`),
	key("providers.<name>.run", "string; exec: command emitting KEY=VALUE lines on stdout", "",
		`"providers": {"a": {"type": "exec", "run": "true"}}`, `"providers": {"a": {"type": "exec", "run": []}}`),
	key("providers.<name>.path", "string; secret path or item reference for the secrets_ types", "",
		`"providers": {"a": {"type": "secrets_b", "path": "p"}}`, `"providers": {"a": {"type": "secrets_b", "path": 1}}`),
	key("providers.<name>.options", "map of string to string; passthrough options", "",
		`"providers": {"a": {"type": "secrets_c", "options": {"k": "v"}}}`, `"providers": {"a": {"type": "secrets_c", "options": []}}`),
	key("integrations", "object", "", `"integrations": {}`, `"integrations": 1`),
	key("integrations.issue_tracker", "object; external issue tracker link", "", `"integrations": {"issue_tracker": {}}`,
		`"integrations": {"issue_tracker": ""}`),
	key("integrations.issue_tracker.baseUrl", "string; declared site; a mismatch is refused", "",
		`"integrations": {"issue_tracker": {"baseUrl": "https://x.example"}}`, `"integrations": {"issue_tracker": {"baseUrl": 1}}`),
	key("integrations.issue_tracker.statusMap", "map of string to string; own status to the site's status name", "",
		`"integrations": {"issue_tracker": {"statusMap": {"done": "Done"}}}`, `"integrations": {"issue_tracker": {"statusMap": []}}`),
	key("integrations.issue_tracker.fields", "map of string to string; custom-field ids", "",
		`"integrations": {"issue_tracker": {"fields": {"severity": "customfield_1"}}}`, `"integrations": {"issue_tracker": {"fields": []}}`),
	key("integrations.issue_tracker.projects", "array of string; issue-key prefix allowlist", "",
		`"integrations": {"issue_tracker": {"projects": ["ABC"]}}`, `"integrations": {"issue_tracker": {"projects": "ABC"}}`),
	key("integrations.code_host", "object; external code host link", "", `"integrations": {"code_host": {}}`, `"integrations": {"code_host": []}`),
	key("integrations.code_host.repos", "array of string; owner/name repositories the project may bind to", "",
		`"integrations": {"code_host": {"repos": ["o/n"]}}`, `"integrations": {"code_host": {"repos": "o/n"}}`),
	key("integrations.code_host.autoCloseOnMerge", "boolean; close a task when its pull request merges (gates still apply)", "",
		`"integrations": {"code_host": {"autoCloseOnMerge": true}}`, `"integrations": {"code_host": {"autoCloseOnMerge": "yes"}}`),
	key("integrations.code_host.branchPrefix", "string; the neutral form tasker/", "",
		`"integrations": {"code_host": {"branchPrefix": "t/"}}`, `"integrations": {"code_host": {"branchPrefix": 1}}`),
	key("integrations.selection", "array of enum severity, sprint, due, priority, rank, age; ordered work-selection policy for next and ready", "",
		`"integrations": {"selection": ["due", "age"]}`, `"integrations": {"selection": ["size"]}`),
	key("notifications", "object", "", `"notifications": {}`, `"notifications": []`),
	key("notifications.onApprovalRequested", "boolean", "", `"notifications": {"onApprovalRequested": true}`,
		`"notifications": {"onApprovalRequested": 1}`),
	key("notifications.onBlockingQuestion", "boolean", "", `"notifications": {"onBlockingQuestion": true}`, `"notifications": {"onBlockingQuestion": 1}`),
	key("notifications.onDivergence", "boolean", "", `"notifications": {"onDivergence": true}`, `"notifications": {"onDivergence": 1}`),
	key("notifications.channels", "array of object", "", `"notifications": {"channels": []}`, `"notifications": {"channels": {}}`),
	key("notifications.channels[].type", "enum exec, webhook, required; exec runs a command; webhook POSTs the inbox item", "",
		`"notifications": {"channels": [{"type": "exec", "target": "true"}]}`, `"notifications": {"channels": [{"type": "mail", "target": "x"}]}`),
	key("notifications.channels[].target", "string, required; the command or URL", "",
		`"notifications": {"channels": [{"type": "webhook", "target": "https://x.example/h"}]}`, `"notifications": {"channels": [{"type": "exec"}]}`),
	key("notifications.channels[].events", "array of string; inbox item kinds to deliver; default all enabled", "",
		`"notifications": {"channels": [{"type": "exec", "target": "true", "events": ["review"]}]}`,
		`"notifications": {"channels": [{"type": "exec", "target": "true", "events": "review"}]}`),
	key("notices", "object", "", `"notices": {}`, `"notices": true`),
	key("notices.deprecations", "boolean; print deprecation notices on stderr; default true", "", `"notices": {"deprecations": false}`,
		`"notices": {"deprecations": 0}`),
	key("gates", "map of string to array of string; gate name to required evidence kinds", "", `"gates": {"ship": ["tests"]}`, `"gates": ["ship"]`),
	key("agentDefaults", "object", "", `"agentDefaults": {}`, `"agentDefaults": []`),
	key("agentDefaults.lease", "string; default claim lease such as 30m, 2h, 1d, or 0 for none", "", `"agentDefaults": {"lease": "1d"}`,
		`"agentDefaults": {"lease": "1 day"}`),
	key("agentDefaults.actor", "string; actor assumed when TASKER_ACTOR is unset", "", `"agentDefaults": {"actor": "bot"}`, `"agentDefaults": {"actor": 1}`),
	key("agentDefaults.budget", "number; default budget for next and show", "", `"agentDefaults": {"budget": 900}`, `"agentDefaults": {"budget": "x"}`),
	key("agentDefaults.requireNoteOnDone", "boolean; refuse done without at least one note; default false", "",
		`"agentDefaults": {"requireNoteOnDone": true}`, `"agentDefaults": {"requireNoteOnDone": 1}`),
	key("branch", "object", "", `"branch": {}`, `"branch": ""`),
	key("branch.prefix", "string; branch name prefix; default tasker/", "", `"branch": {"prefix": "t/"}`, `"branch": {"prefix": 1}`),
	key("branch.template", "string; supports {id} and {slug}; default {id}-{slug}", "", `"branch": {"template": "{id}"}`, `"branch": {"template": 1}`),
	key("branch.base", "string; branch new work forks from", "", `"branch": {"base": "main"}`, `"branch": {"base": []}`),
	key("auth", "object", "", `"auth": {}`, `"auth": 1`),
	key("auth.mode", "enum open, session", "", `"auth": {"mode": "session"}`, `"auth": {"mode": "closed"}`),
	{
		name: "defaults",
		says: "Omitted blocks behave as the defaults: workspace.strategy in-place, workspace.dir .worktrees, context.warnOnDrift true, " +
			"notices.deprecations true, agentDefaults.requireNoteOnDone false, branch.prefix tasker/, branch.template {id}-{slug}, auth.mode open.",
		effects: effectsOf("workspace.strategy", "workspace.dir", "context.warnOnDrift", "notices.deprecations", "agentDefaults.requireNoteOnDone",
			"branch.prefix", "branch.template", "auth.mode"), // what each is without the key
		test: func(w *world) {
			w.config("")
			for key, value := range map[string]string{
				"workspace.strategy": "in-place", "workspace.dir": ".worktrees", "context.warnOnDrift": "true", "notices.deprecations": "true",
				"agentDefaults.requireNoteOnDone": "false", "branch.prefix": "tasker/", "branch.template": "{id}-{slug}", "auth.mode": "open",
			} {
				w.run("config explain "+key+" --json").is(0).has("value", value).has("layer", "defaults")
			}
		},
	},
}

var configurationCommands = []statement{
	{
		name: "show",
		says: "`tasker config show` (merged effective config)",
		test: func(w *world) {
			w.config(`"agentDefaults": {"lease": "4m"}`)
			w.run("config show").is(0).says("4m")
			w.run("config show --json").is(0).has("agentDefaults.lease", "4m").has("project", "demo")
		},
	},
	{
		name: "validate",
		says: "`tasker config validate [file]` (exit 0 valid, exit 2 invalid)",
		test: func(w *world) {
			w.config("")
			w.run("config validate").is(0)
			w.file("bad.json", `{"version": 1}`)
			w.run("config validate bad.json").is(2).says("project")
			w.run("config validate nosuch.json").is(2)
		},
	},
	{
		name: "explain",
		says: "`tasker config explain <key>` (value, the layer that set it, what it overrode)",
		test: func(w *world) {
			w.config(`"agentDefaults": {"lease": "4m"}`)
			w.with("TASKER_LEASE=9m").run("config explain agentDefaults.lease --json").is(0).
				has("key", "agentDefaults.lease").has("value", "9m").has("layer", "env").has("overrode.0.layer", "file").has("overrode.0.value", "4m")
			w.run("config explain agentDefaults.leese").is(2).says("lease")
		},
	},
	{
		name: "init",
		says: "`tasker config init` (write a minimal file)",
		test: func(w *world) {
			w.run("config init --project demo").is(0)
			w.run("config validate").is(0)
			w.run("config explain project --json").is(0).has("value", "demo").has("layer", "file")
			w.run("config init --project demo").is(3)
		},
	},
	{
		name: "migrate",
		says: "`tasker config migrate` (bring a pre-versioned file to version 1; `--write` applies it)",
		test: func(w *world) {
			w.file(".tasker.json", `{"project": "demo", "integrations": {"selection": ["age"]}}`)
			w.run("config migrate").is(0).says(`"version": 1`)
			w.run("config show").says("migrate --write")
			w.run("config explain version --json").is(0).has("layer", "defaults") // the preview wrote nothing
			w.run("config migrate --write").is(0)
			w.run("config explain version --json").is(0).has("value", "1").has("layer", "file")
			w.run("config show").is(0).says("age").hides("migrate --write")
		},
	},
	{
		name: "path",
		says: "`tasker config path` (files considered, in order)",
		test: func(w *world) {
			w.config("")
			w.file(".tasker.local.json", "{}")
			w.run("config path").is(0).says(`(?s)\.tasker\.json.*\.tasker\.local\.json`)
		},
	},
}
