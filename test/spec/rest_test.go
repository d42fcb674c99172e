package spec

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
)

var authentication = []statement{
	{
		name: "token-mode",
		says: "Token mode is enabled by setting the environment variable TASKER_TOKEN in the server's environment. Token mode is off when it is unset " +
			"(local mode). " +
			"When TASKER_TOKEN is unset, every GET and POST is allowed.",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			s.get("/v1/projects").is(200)
			s.post("/v1/tasks/demo-1/notes", `{"text": "x"}`).is(201)
			w.with("TASKER_TOKEN=secret").serve().post("/v1/tasks/demo-1/notes", `{"text": "x"}`).is(401)
		},
	},
	{
		name: "get-without-credentials",
		says: "When it is set, every GET is still allowed without credentials; every POST requires the header Authorization: Bearer <TOKEN>.",
		test: func(w *world) {
			w.plan(pair)
			s := w.with("TASKER_TOKEN=secret").serve()
			for _, path := range []string{"/", "/v1/projects", "/v1/projects/demo/board", "/v1/tasks/demo-1", "/v1/events"} {
				s.get(path).is(200)
			}
			for path, body := range map[string]string{
				"/v1/next": `{"project": "demo"}`, "/v1/tasks?project=demo": `{"key": "c", "title": "C"}`, "/v1/apply": `{"project": "demo", "tasks": [{"key": "c", "title": "C"}]}`,
				"/v1/tasks/demo-1/transition": `{"to": "done"}`, "/v1/tasks/demo-1/approve": "", "/v1/tasks/demo-1/claim": "", "/v1/tasks/demo-1/release": "",
				"/v1/tasks/demo-1/notes": `{"text": "x"}`, "/v1/tasks/demo-1/evidence": `{"items": [{"kind": "k", "value": "v"}]}`, "/v1/estate/seen": `{"watermark": 1}`,
			} {
				s.post(path, body).is(401).has("error", "unauthorized")
			}
			s.get("/v1/events").is(200).has("0.kind", "project.created").has("#", "4") // as the plan left it
			s.post("/v1/tasks/demo-1/notes", `{"text": "x"}`, "Authorization: Bearer secret").is(201)
		},
	},
	{
		name: "wrong-token",
		says: "A missing or wrong token on a POST yields 401 with the body {error: 'unauthorized', message: <text>}; error is the literal unauthorized.",
		test: func(w *world) {
			w.plan(pair)
			s := w.with("TASKER_TOKEN=secret").serve()
			for _, headers := range [][]string{
				nil, {"Authorization: Bearer wrong"}, {"Authorization: secret"}, {"Authorization: Basic c2VjcmV0"}, {"Tasker-Hints: parts"},
			} {
				s.post("/v1/tasks/demo-1/notes", `{"text": "x"}`, headers...).is(401).has("", `\{"error":"unauthorized","message":"[^"]+"\}`)
			}
			s.post("/v1/next", `{"project": "demo"}`).is(401)
			w.run("show demo-1 --json").has("notes.#", "0").has("task.status", "open")
		},
	},
	{
		name: "the-token-is-no-identity",
		says: "The token is one shared secret, not an identity. It does not choose the actor.",
		test: func(w *world) {
			w.plan(pair)
			s := w.as("robot").with("TASKER_TOKEN=secret").serve()
			s.post("/v1/tasks/demo-1/claim", "", "Authorization: Bearer secret").is(200).has("actor", "robot")
		},
	},
	{
		name: "identity-of-the-process",
		says: "The acting identity comes from the server process (TASKER_ACTOR); configured actors have a name, a kind (human or agent), roles and " +
			"capabilities.",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human", "roles": ["lead"], "capabilities": ["go"]}]`)
			w.as("ann").serve().get("/v1/whoami").is(200).has("actor", "ann").has("kind", "human").has("roles.0", "lead").has("capabilities.0", "go")
		},
	},
	{
		name: "the-default-actor",
		says: "When TASKER_ACTOR is unset, the actor flagged default (or agentDefaults.actor) is assumed.",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human", "default": true}]`)
			w.with("TASKER_ACTOR").run("whoami --json").is(0).has("actor", "ann")
			w.with("TASKER_ACTOR").serve().get("/v1/whoami").is(200).has("actor", "ann")
			w.config(`"agentDefaults": {"actor": "bot"}`)
			w.with("TASKER_ACTOR").run("whoami --json").is(0).has("actor", "bot")
			w.config(`"actors": [{"name": "bot", "kind": "agent", "default": true}]`)
			w.with("TASKER_ACTOR", "CLAUDECODE=1").run("whoami --json").is(0).has("actor", "bot")
		},
	},
	{
		name: "auth-mode",
		says: "Config auth.mode: open is the process identity (default); session requires every request to present a credential.",
		test: func(w *world) {
			w.config(`"auth": {"mode": "session"}, "actors": [{"name": "ann", "kind": "human"}]`)
			w.as("ann").plan(pair)
			s := w.serve()
			s.get("/v1/projects").is(401).has("error", "unauthorized")
			s.post("/v1/tasks/demo-1/claim", "").is(401)
			credential := w.as("ann").run("session create --actor ann --json").is(0).text("token")
			s.get("/v1/whoami", "Authorization: Bearer "+credential).is(200).has("actor", "ann")
		},
	},
}

var events = []statement{
	{
		name: "the-feed",
		says: "GET /v1/events is the event feed, filtered by project, task, since, since_id, limit; each event has a parsed payload and a monotonically " +
			"increasing id.",
		test: func(w *world) {
			w.plan(pair)
			w.run("move demo-1 in_review").is(0)
			w.serve().get("/v1/events?task=demo-1&limit=1").is(200).has("0.kind", "task.moved").has("0.payload.to", "in_review").has("0.id", `\d+`)
		},
	},
	{
		name: "activity-log",
		says: "The local activity log records, among other things, workspace setup and teardown step names and logged overrides (forced transitions).",
		test: func(w *world) {
			w.config(`"workspace": {"setup": [{"name": "prepare", "run": "true"}], "teardown": [{"name": "clear", "run": "true"}]}`)
			w.plan(withCriteria)
			w.run("workspace open demo-1").is(0)
			w.run("workspace close demo-1").is(0)
			w.run("events --kind workspace.step --json").is(0).has("0.payload.name", "prepare").has("1.payload.name", "clear")
			w.run("done demo-1 --force").is(0)
			w.run("events --kind override.forced --json").is(0).has("#", "1")
		},
	},
	{
		name: "channels",
		says: "Notification channels (config notifications) deliver inbox items: type exec runs a command, type webhook POSTs the inbox item to the target " +
			"URL.",
		test: func(w *world) {
			bodies := make(chan string, 10)
			hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body) // a request that breaks off brings no item
				bodies <- r.Method + " " + string(body)
			}))
			defer hook.Close()
			w.config(`"notifications": {"channels": [{"type": "exec", "target": "cat > told"}, {"type": "webhook", "target": "` + hook.URL + `"}]}`)
			w.plan(withCriteria)
			w.run("ask demo-1 which? --blocking").is(0)
			listed := w.run("inbox --all --json --actor ann").is(0).out // the one who asked has other commands to settle it
			told, err := os.ReadFile(filepath.Join(w.dir, "told"))
			if err != nil || !strings.Contains(listed, `"items":[`+string(told)+"]") {
				w.Errorf("the command was told %s (%v), and the inbox has %s", told, err, listed)
			}
			if got := <-bodies; got != "POST "+string(told) {
				w.Errorf("the receiver was told %s, and the command %s", got, told)
			}
		},
	},
	{
		name: "triggers",
		says: "Triggers: onApprovalRequested, onBlockingQuestion, onDivergence (booleans). events on a channel filters by inbox item kind; default is all " +
			"enabled kinds.",
		test: func(w *world) {
			declare := func(more, events string) {
				w.config(`"notifications": {` + more + `"channels": [{"type": "exec", "target": "true"` + events + `}]}`)
			}
			kinds := func(want string) {
				if got := w.run("notify test --json").is(0).out; !strings.Contains(got, `"kinds":`+want) {
					w.Errorf("it gets %s, and not %s", got, want)
				}
			}
			declare(``, ``)
			kinds(`["approval_requested","verification_requested","blocking_question","divergence"]`)
			declare(`"onApprovalRequested": false, `, ``)
			kinds(`["blocking_question","divergence"]`)
			declare(`"onBlockingQuestion": false, "onDivergence": false, `, ``)
			kinds(`["approval_requested","verification_requested"]`)
			declare(`"onBlockingQuestion": false, `, `, "events": ["review", "blocking_question", "approval_requested"]`)
			kinds(`["approval_requested","review"]`)
			w.plan(withCriteria)
			w.run("ask demo-1 which? --blocking").is(0)
			w.run("review demo-1").is(0)
			w.run("notify log --json").is(0).has("#", "1").has("0.kind", "review")
		},
	},
}

var errorAnswers = []statement{
	{
		name: "created",
		says: "200 ok; 201 created: tasks, notes, evidence, approve, apply",
		test: func(w *world) {
			w.config(`"actors": [{"name": "claude", "kind": "human"}]`)
			s := w.serve()
			s.post("/v1/apply", `{"project": "demo", "tasks": [`+pair+`]}`).is(201)
			s.post("/v1/tasks?project=demo", `{"title": "C"}`).is(201)
			s.post("/v1/tasks/demo-1/notes", `{"text": "x"}`).is(201)
			s.post("/v1/tasks/demo-1/evidence", `{"items": [{"kind": "k", "value": "v"}]}`).is(201)
			s.post("/v1/tasks/demo-1/approve", ``).is(201)
			s.post("/v1/tasks/demo-1/claim", ``).is(200)
			s.get("/v1/tasks/demo-1").is(200)
		},
	},
	{
		name: "not-found",
		says: "404: the project, task or record does not exist",
		test: func(w *world) {
			w.plan(pair)
			w.run("project create shop").is(0)
			s := w.serve()
			for _, path := range []string{
				"/v1/projects/nosuch/board", "/v1/projects/nosuch/ready", "/v1/tasks/demo-99", "/v1/tasks/nosuch", "/v1/tasks/nosuch/graph",
				"/v1/tasks/nosuch/subtree", "/v1/next?project=nosuch", "/v1/events?task=nosuch",
			} {
				s.get(path).is(404).has("error", "not_found").names("", "message", "missing", "hint")
			}
			for _, path := range []string{"/v1/tasks/nosuch/claim", "/v1/tasks/nosuch/release", "/v1/tasks/demo-99/claim"} {
				s.post(path, "").is(404).has("error", "not_found")
			}
			s.post("/v1/tasks/nosuch/transition", `{"to": "done"}`).is(404)
			s.post("/v1/tasks/nosuch/notes", `{"text": "x"}`).is(404)
			s.post("/v1/questions/99/answer", `{"text": "x"}`).is(404)
		},
	},
	{
		name: "a-key-is-no-id",
		says: ":id is a task id",
		test: func(w *world) {
			w.plan(pair)
			w.serve().get("/v1/tasks/a").is(404)
			w.run("show a --json").is(0).has("task.id", "demo-1")
		},
	},
	{
		name: "conflict",
		says: "409: optimistic concurrency conflict: expectedVersion no longer matches",
		test: func(w *world) {
			w.plan(pair)
			w.serve().post("/v1/tasks/demo-1/transition", `{"to": "done", "expectedVersion": 7}`).is(409).has("error", "conflict").names("", "message",
				"missing", "hint")
		},
	},
	{
		name: "refusal",
		says: "422: refusal: understood and declined; also a missing required query parameter",
		test: func(w *world) {
			w.plan(chain)
			s := w.serve()
			s.post("/v1/tasks/demo-2/claim", "").is(422).has("error", "refusal").has("reason", "declined")
			s.get("/v1/search").is(422).has("error", "refusal").has("reason", "invalid")
		},
	},
	{
		name: "one-shape",
		says: "Refusal shape, used for 404, 409 and 422: object with error, message, missing (array of strings), hint.",
		test: func(w *world) {
			w.plan(chain)
			s := w.serve()
			for _, r := range []reply{
				s.get("/v1/tasks/demo-9").is(404), s.post("/v1/tasks/demo-2/claim", "").is(422),
				s.post("/v1/tasks/demo-1/transition", `{"to": "done", "expectedVersion": 7}`).is(409),
			} {
				r.has("error", "[a-z_]+").has("message", ".+").has("missing", `\[.*\]`).names("", "hint")
			}
		},
	},
	{
		name: "refusal-of-a-completion",
		says: "For a refusal of a completion the error is the literal refusal, message says the task cannot complete because of N unchecked criteria, " +
			"missing lists each as " +
			"'criterion <index>: <criterion text>', hint tells to tick each criterion once true, or to force the override (which is logged).",
		test: func(w *world) {
			w.plan(withCriteria)
			r := w.serve().post("/v1/tasks/demo-1/transition", `{"to": "done"}`).is(422)
			r.has("error", "refusal").has("message", "demo-1 cannot complete because of 2 unchecked criteria.*")
			r.has("missing.0", "criterion 1: it builds").has("missing.1", "criterion 2: it runs")
			r.has("hint", "(?i).*tick.*").has("hint", "(?i).*force.*").has("hint", "(?i).*logged.*")
			w.run("done demo-1 --json").is(3).has("message", "demo-1 cannot complete because of 2 unchecked criteria.*").has("hint", "(?i).*tick.*force.*")
		},
	},
	{
		name: "a-document-that-completes",
		says: "missing lists each as 'criterion <index>: <criterion text>' (an apply document that moves a task to done)",
		test: func(w *world) {
			w.plan(withCriteria)
			w.feed(`{"project": "demo", "tasks": [{"key": "a", "title": "A", "status": "done"}]}`, "apply -f - --json").is(3).
				has("missing", `.*"criterion 1: it builds".*`).says(`tasks\[0\]\.status`)
		},
	},
	{
		name: "configuration-refusals",
		says: "Config validation refusals name the path, list allowed keys and suggest the nearest key.",
		test: func(w *world) {
			w.config(`"notices": {"deprecation": true}`)
			w.run("config validate --json").is(2).says(`notices\.deprecation`).says("deprecations")
		},
	},
	{
		name: "validate-exits",
		says: "`tasker config validate` exits 0 when valid and 2 when not.",
		test: func(w *world) {
			w.config("")
			w.run("config validate").is(0)
			w.config(`"x": 1`)
			w.run("config validate").is(2)
		},
	},
	{
		name: "the-whole-document-fails",
		says: "Unknown keys in an apply document, a missing required field or an out-of-range value fail validation of the whole document.",
		test: func(w *world) {
			for _, task := range []string{`{"key": "b", "title": "B", "x": 1}`, `{"key": "b"}`, `{"key": "b", "title": "B", "severity": 9}`} {
				w.feed(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}, `+task+`]}`, "apply -f - --json").is(2).says(`tasks\[1\]`)
			}
			w.run("project list --json").has("#", "0")
		},
	},
}

var limits = []statement{
	{
		name: "default-lease",
		says: "default claim lease: two hours; 0 means no expiry (POST /next leaseMs, agentDefaults.lease)",
		test: func(w *world) {
			w.config("")
			w.plan(pair)
			w.run("next --claim --json").is(0).has("claimed.leaseMs", "7200000")
			w.config(`"agentDefaults": {"lease": "0"}`)
			w.run("next --claim --json").is(0).has("claimed.leaseMs", "0").has("claimed.expiresAt", "null")
		},
	},
	{
		name: "graph-depth",
		says: "graph depth: clamped to 8 per direction",
		test: func(w *world) {
			w.plan(pair)
			w.serve().get("/v1/tasks/demo-1/graph?upstream=9&downstream=100").is(200).has("upstream", "8").has("downstream", "8")
		},
	},
	{
		name: "ranges",
		says: "priority: integer 0 to 3; severity: integer 1 to 4 (1 worst)",
		test: func(w *world) {
			w.plan(`{"key": "a", "title": "A", "priority": 3, "severity": 4}, {"key": "b", "title": "B", "priority": 0, "severity": 1}`)
			w.run("next --json").is(0).has("task.id", "demo-2")
			w.run("edit demo-1 --priority 4").is(2)
			w.run("edit demo-1 --severity 0").is(2)
			w.serve().post("/v1/tasks?project=demo", `{"title": "X", "priority": -1}`).is(422).says("priority")
		},
	},
	{
		name: "tasks-per-document",
		says: "tasks per apply document: at least 1; string minimum lengths: 1 for project, key, title, link ref",
		test: func(w *world) {
			for _, document := range []string{
				`{"project": "demo", "tasks": []}`, `{"project": "", "tasks": [{"key": "a", "title": "A"}]}`,
				`{"project": "demo", "tasks": [{"key": "", "title": "A"}]}`, `{"project": "demo", "tasks": [{"key": "a", "title": ""}]}`,
				`{"project": "demo", "tasks": [{"key": "a", "title": "A", "links": [{"kind": "url", "ref": ""}]}]}`,
			} {
				w.feed(document, "apply -f - --json").is(2)
			}
		},
	},
	{
		name: "step-timeout",
		says: "workspace step timeout: 120000 ms default",
		test: func(w *world) {
			w.config(`"workspace": {"setup": [{"name": "slow", "run": "sleep 600", "timeoutMs": 50}]}`)
			w.plan(pair)
			w.run("config show --json").is(0).has("workspace.setup.0.timeoutMs", "50")
			w.run("workspace open demo-1").is(1).says(`the step "slow" was stopped after 50ms`)
			w.config(`"workspace": {"setup": [{"name": "quick", "run": "true"}]}`)
			w.run("config schema").is(0).says("120000")
			w.run("workspace open demo-1").is(0)
		},
	},
	{
		name: "ports-per-task",
		says: "ports per task: default 1",
		test: func(w *world) {
			w.config(`"workspace": {"ports": {"range": [25000, 25999]}}`)
			w.plan(pair)
			w.run("workspace open demo-1 --json").is(0).has("ports.#", "1")
		},
	},
}

var versioning = []statement{
	{
		name: "prefix",
		says: "The HTTP API is under the path prefix /v1.",
		test: func(w *world) {
			s := w.serve()
			s.get("/v1/version").is(200)
			s.get("/v2/version").is(404)
		},
	},
	{
		name: "three-values",
		says: "GET /v1/version returns three values a client can check before use.",
		test: func(w *world) {
			w.plan(pair)
			w.serve().get("/v1/version").is(200).has("", `{"configVersion":1,"schemaVersion":\d+,"version":"[^"]+"}`)
		},
	},
	{
		name: "config-format-version",
		says: "The config format version this binary speaks is 1; a file with another version is refused with the upgrade command.",
		test: func(w *world) {
			w.file(".tasker.json", `{"version": 7, "project": "demo"}`)
			w.run("config validate").is(2).says("tasker upgrade")
			w.run("upgrade").is(0)
			w.run("version").is(0)
		},
	},
	{
		name: "warns-once-per-process",
		says: "A file without version prints once per process on stderr a warning that names `tasker config migrate --write`.",
		test: func(w *world) {
			w.file(".tasker.json", `{"project": "demo"}`)
			w.plan(pair)
			for _, line := range []string{"ready", "config validate"} {
				r := w.run(line).is(0)
				if strings.Count(r.err, "tasker config migrate --write") != 1 || strings.Contains(r.out, "migrate") {
					w.Errorf("%s: standard error: %s\nstandard output: %s", line, r.err, r.out)
				}
			}
		},
	},
	{
		name: "never-with-json",
		says: "The warning is never printed when JSON output is requested.",
		test: func(w *world) {
			w.file(".tasker.json", `{"project": "demo"}`)
			w.plan(pair)
			w.run("ready --json").is(0).hides("migrate")
			w.run("export --format json").is(0).hides("migrate")
		},
	},
	{
		name: "turned-off",
		says: "It can be turned off with notices.deprecations false.",
		test: func(w *world) {
			w.file(".tasker.json", `{"project": "demo", "notices": {"deprecations": false}}`)
			w.plan(pair)
			w.run("ready").is(0).hides("migrate")
		},
	},
}
