package hints

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// files returns a directory with one file, or with several: path and text in turn.
func files(pairs ...string) *ownPlace {
	o := &ownPlace{files: map[string]string{}}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.files[pairs[i]] = pairs[i+1]
	}
	return o
}

// environment returns a directory with nothing in it and variables.
func environment(vars ...string) *ownPlace { return &ownPlace{env: vars} }

// asText returns the place of a command that is run without --json.
func asText() *ownPlace { return &ownPlace{asText: true} }

// configured returns the text of a configuration of the project of a refusal.
func configured(more string) string { return `{"version": 1, "project": "{p}"` + more + `}` }

// many is more items of evidence than one request may have.
var many = func() string {
	items := make([]string, 2001)
	for i := range items {
		items[i] = fmt.Sprintf(`{"kind":"k","value":"v%d"}`, i)
	}
	return strings.Join(items, ",")
}()

// inDirectories are refusals that take files, an environment, or a peer that is not ours.
var inDirectories = []refusal{
	// plans and texts from files
	{name: "plan is a directory", own: files("plan.json/", ""), command: "apply -f plan.json"},
	{name: "plan that is too large", own: &ownPlace{steps: []string{"truncate -s 65M plan.json"}}, command: "apply -f plan.json"},
	{name: "plan is not YAML", own: files("plan.yaml", "project: [\n"), command: "apply -f plan.yaml"},
	{name: "plan is not UTF-8", own: files("plan.yaml", "project: \xff\n"), command: "apply -f plan.yaml"},
	{name: "plan with two faults", own: files("plan.json", `{"projekt": "x", "taks": []}`), command: "apply -f plan.json"},
	{name: "faults of two kinds", tool: `tasker_note {"id":"{p}-1","text":"x","a":1,"b":2}`},
	{name: "text that is not UTF-8", command: "note {p}-1 '\xff'"},
	{name: "text that is not UTF-8, sent", command: "note {p}-1 '\xff' --server {url}"},
	{name: "zero byte of a title", request: `POST /v1/tasks {"project":"{p}","title":"a\u0000b"}`},
	{name: "invalid date", command: "-p {p} add X --due 2026-02-30", request: `POST /v1/tasks {"project":"{p}","title":"X","due":"2026-02-30"}`},
	{name: "too much evidence", request: `POST /v1/tasks/{p}-1/evidence {"items":[{many}]}`, tool: `tasker_evidence {"id":"{p}-1","items":[{many}]}`},
	{name: "too many paths", request: `POST /v1/tasks {"project":"{p}","title":"X","links":[{links}]}`},
	{name: "arguments with a name twice", tool: `tasker_edit {"id":"{p}-1","title":"a","title":"b"}`},
	{name: "empty edit", request: `POST /v1/tasks/{p}-1/edit null`},
	{name: "empty plan", request: `POST /v1/apply null`},
	{name: "empty task definition", request: `POST /v1/tasks null`},
	{name: "task that is blank", request: `GET /v1/tasks/%20`, tool: `tasker_show {"id":" "}`},
	{name: "invalid slug", command: "project create 'a b'"},
	{name: "slug that is empty", command: "project create ''"},
	{name: "task of a project that is not there", request: `POST /v1/tasks {"project":"no-such","title":"X"}`, command: "add X -p no-such"},
	{name: "empty name in a path", command: "project show '' --server {url}"},

	// what takes a log, another project, a link or a channel
	{name: "prune without a file", own: files(), command: "events prune --older-than 90d"},
	{name: "prune up to when", own: files(), command: "events prune --archive x.jsonl"},
	{
		name: "merge below a closed task", command: "project merge {p}x {p} --under {p}-3", cured: true,
		setup: []string{`POST /v1/apply {"project":"{p}x","tasks":[{"key":"a","title":"A"}]}`, `POST /v1/tasks/{p}-3/transition {"to":"done"}`},
	},
	{
		name: "project of another repository", command: "add X --db x.db", says: []string{"with -p shop", "start a project for this repository"},
		own: &ownPlace{git: true, steps: []string{
			`git init -q shop && cd shop && echo '{"project":"shop","tasks":[{"key":"a","title":"A"}]}' | "$T" apply -f - --db ../x.db`,
		}},
	},
	{name: "import into no project", own: files("x.md", "- [ ] a\n"), command: "import markdown x.md"},
	{
		name: "channel that fails", command: "notify test",
		own: files(".tasker.json", configured(`, "notifications": {"channels": [{"type": "exec", "target": "false"}]}`)),
	},
	{
		name: "bound to another task", command: "bind {p}-1 DEMO-1", cured: true, own: &ownPlace{
			files: map[string]string{".tasker.json": configured(`, "integrations": {"issue_tracker": {"baseUrl": "https://site.example.org"}}`)},
			steps: []string{"{tasker} bind {p}-3 DEMO-1"},
		},
	},

	// configurations
	{name: "configuration that is not JSON", own: files(".tasker.json", "{"), command: "ready"},
	{name: "provider of no layer", own: files(".tasker.json", configured(`, "workspace": {"providers": ["x"]}`)), command: "workspace open {p}-1"},
	{name: "glob of guidance", own: files(".tasker.json", configured(`, "context": {"track": ["[a"]}`)), command: "claim {p}-3"},
	{name: "guidance elsewhere", own: files(".tasker.json", configured(`, "context": {"track": ["../x"]}`)), command: "claim {p}-3"},
	{name: "selection by an unknown key", command: `project set {p} integrations.selection '["colour"]'`},
	{name: "control character of a kind", request: `POST /v1/tasks/{p}-1/evidence {"items":[{"kind":"a\u0007b","value":"x"}]}`},
	{name: "file that sets nothing", own: files(), command: "config set workspace.strategy worktree"},
	{name: "file without a version", own: files(".tasker.json", `{"project": "{p}"}`), command: "config set workspace.strategy worktree", cured: true},
	{name: "element of a list in a file", own: files(".tasker.json", configured("")), command: "config set 'actors[0].name' x"},
	{name: "project of a local file", own: files(".tasker.json", configured("")), command: "config set project x --local"},
	{name: "file that is a list", own: files(".tasker.json", configured(""), ".tasker.local.json", "[]"), command: "config set agentDefaults.lease 5m --local"},
	{name: "setting of the file alone", command: "project set {p} version 1"},
	{
		name: "project without a plan", own: files(".tasker.json", `{"version": 1, "project": "{p}-none"}`),
		command: "ready", request: "GET /v1/projects/{p}-none/ready",
	},
	{name: "level of the log", own: environment("TASKER_LOG=debgu"), command: "serve --port 0"},
	{name: "form of the log", own: environment("TASKER_LOG_FORMAT=xml"), command: "serve --port 0"},
	{name: "port of the environment", own: environment("TASKER_SERVE_PORT=x"), command: "serve"},
	{name: "memory of a server", own: environment("TASKER_MEMORY=much"), command: "serve --port 0"},

	// who acts, and for what
	{name: "fence that is not a number", own: environment("TASKER_TASK={p}-3", "TASKER_FENCE=x"), command: "note {p}-3 x"},
	{name: "an agent's command at a human's server", at: human, own: environment("TASKER_ACTOR="), command: "run --server {ann} -- true"},
	{name: "parallel without a repository", own: files(".tasker.json", configured("")), command: "run --parallel 2 -- true"},
	{
		name: "parallel in place", command: "run --parallel 2 -- true", cured: true,
		own: &ownPlace{git: true, files: map[string]string{".tasker.json": configured(`, "workspace": {"strategy": "in-place"}`)}},
	},
	{name: "the command deals with it itself",
		own: files("w.sh", `"{tasker}" release "$TASKER_TASK" >/dev/null`), command: "-p {p} run --until-empty -- sh w.sh"},
	{name: "program that is not on the path", command: "prove {p}-1 --kind test -- no-such-program"},
	{name: "screen without a terminal", own: asText(), command: "-p {p} ui"},
	{name: "walk without a terminal", own: asText(), command: "-p {p} inbox --walk"},
	{name: "watch as JSON", command: "-p {p} board --watch"},

	// databases
	{name: "database is not one", own: files("x.db", strings.Repeat("not a database\n", 100)), command: "ready -p x --db x.db"},
	{name: "database is a directory", own: environment(), command: "ready -p x --db ."},
	{name: "database is not there", own: environment(), command: "ready -p x --db nowhere.db"},
	{name: "database without a project", own: &ownPlace{steps: []string{`"$T" db migrate --db x.db`}}, command: "ready --db x.db"},
	{name: "address of PostgreSQL", own: environment(), command: "ready -p x --db 'postgres://[x'"},
	{name: "PostgreSQL is not there", own: environment(), command: "ready -p x --db postgres://127.0.0.1:1/x"},
	{name: "path of the database", own: environment("TASKER_DB= "), command: "ready -p x"},
	{name: "database below a file", own: files("x", ""), command: "apply --db x/y.db -f -"},

	// agents' files
	{name: "agent's file is a link to nothing", own: files("CLAUDE.md", "-> nowhere"), command: "setup claude --yes"},
	{name: "agent's file is empty", own: files(".mcp.json", ""), command: "setup claude"},
	{name: "agent's file is not JSON", own: files(".mcp.json", "{"), command: "setup claude"},
	{name: "agent's file is a directory", own: files(".mcp.json/", ""), command: "setup claude"},
	{
		name: "agent's file has an entry", own: files(".mcp.json", `{"mcpServers": {"tasker": {"command": "other"}}}`),
		command: "setup claude",
	},

	// servers that are not ours, or not there
	{name: "port is taken", command: "serve --port {port}"},
	{name: "server of somebody else", command: "ready -p x --server {fake}/other"},
	{name: "server that is down", command: "ready -p x --server {fake}/down"},
	{name: "server that hangs up", command: "ready -p x --server {fake}/broken"},
	{name: "server that talks nonsense", command: "ready -p x --server {fake}/garbled"},
	{name: "stream of somebody else", command: "-p x events --follow --server {fake}/stream"},
	{name: "doctor through a server", command: "doctor --server {url}"},

	// requests that no library sends
	{name: "no HTTP", request: "RAW GET /v1/version\nHost: x"},
	{name: "another version of HTTP", request: "RAW GET /v1/version HTTP/3.0\nHost: {host}"},
	{name: "expectation", request: "RAW POST /v1/apply HTTP/1.1\nHost: {host}\nExpect: magic\nContent-Length: 2"},
	{name: "encoding of a body", request: "RAW POST /v1/apply HTTP/1.1\nHost: {host}\nTransfer-Encoding: gzip"},
	{name: "body that is too large", request: "RAW POST /v1/apply HTTP/1.1\nHost: {host}\nContent-Length: 99999999999"},
	{name: "head that is too large", request: "RAW GET /v1/version HTTP/1.1\nHost: {host}\nX: {long}"},
	{name: "message to tools that is too large", request: "RAW POST /mcp HTTP/1.1\nHost: {host}\nContent-Length: 99999999999"},
	{name: "body in an unknown form", at: sessions, request: "POST /sign-in @Content-Type:application/x-www-form-urlencoded %zz"},
	{name: "token", at: tokened, request: `POST /v1/tasks/{p}-1/notes {"text":"x"}`},
	{
		name: "cookie without a page", at: sessions, setup: []string{"run: session create --actor robot --json"},
		request: `POST /v1/tasks/{p}-1/notes @Cookie:tasker_session={id} {"text":"x"}`,
	},
}

// fakeServer starts a server that is not ours: depending on the first part of the path it answers like another program,
// like a proxy with nothing behind it, not at all, or with an invalid answer. It returns its address.
func fakeServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		switch first {
		case "down":
			w.WriteHeader(http.StatusBadGateway)
		case "broken":
			panic(http.ErrAbortHandler)
		case "garbled":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"tasks": 7, "version": [`))
		default:
			http.Error(w, "an unrelated page", http.StatusTeapot)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}
