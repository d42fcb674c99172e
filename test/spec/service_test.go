package spec

import (
	"fmt"
	"sync"
)

const (
	chain = `{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}`
	pair  = `{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`
)

var service = []statement{
	{
		name: "projects-are-graphs",
		says: "The service keeps projects. Each project is a graph of tasks linked by parent and dependency relations.",
		test: func(w *world) {
			w.plan(`{"key": "e", "title": "Epic"}, {"key": "a", "title": "A", "parent": "e"}, {"key": "b", "title": "B", "deps": ["a"]}`)
			w.run("project list --json").is(0).has("#", "1").has("0.slug", "demo")
			w.run("show demo-2 --json").is(0).has("task.parent", "demo-1")
			w.run("show demo-3 --json").is(0).has("task.deps.0", "demo-2")
		},
	},
	{
		name: "the-whole-life-of-a-task",
		says: "Humans and software agents plan, select, claim, execute, review and close those tasks.",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human"}, {"name": "claude", "kind": "agent"}]`)
			w.as("ann").plan(`{"key": "a", "title": "A", "criteria": ["it works"]}`)
			w.run("next --claim --json").is(0).has("task.id", "demo-1").has("claimed.actor", "claude")
			w.run("check demo-1 1").is(0)
			w.run("review demo-1").is(0)
			w.as("ann").run("approve demo-1").is(0)
			w.as("ann").run("done demo-1 --json").is(0).has("task.status", "done")
		},
	},
	{
		name: "three-surfaces-on-one-port",
		says: "Three surfaces share one port when the server runs: {base_url}/ is a read-only web view; {base_url}/v1 is the HTTP API; " +
			"the command line tool is the third surface.",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			page := s.get("/").is(200).says("(?i)<!doctype html>")
			if page.err != "text/html; charset=utf-8" {
				w.Errorf("the web view is %s", page.err)
			}
			s.post("/", "{}").hides(`"ok"`).is(405)
			s.get("/v1/projects").is(200).has("0.slug", "demo")
			w.with("TASKER_DB").run("ready --json --server "+s.url).is(0).has("tasks.#", "2")
		},
	},
	{
		name: "serve-port",
		says: "`tasker serve --port <port>`",
		test: func(w *world) {
			w.run("serve --port 99999").is(2)
			s := w.serve()
			s.get("/healthz").is(200)
		},
	},
	{
		name: "a-route-behaves-as-its-command",
		says: "The HTTP API wraps the same core functions as the command line. A route must behave as its command does.",
		test: func(w *world) {
			w.plan(chain)
			s := w.serve()
			for route, command := range map[string]string{
				"/v1/projects/demo/board":       "board -p demo --json",
				"/v1/projects/demo/ready":       "ready -p demo --json",
				"/v1/projects/demo/inbox":       "inbox -p demo --json",
				"/v1/projects/demo/bottlenecks": "bottlenecks -p demo --json",
				"/v1/projects/demo/proof":       "proof -p demo --json",
				"/v1/projects/demo/overview":    "overview -p demo --json",
				"/v1/next?project=demo":         "next -p demo --json",
				"/v1/tasks/demo-2":              "show demo-2 --json",
				"/v1/tasks/demo-2/subtree":      "subtree demo-2 --json",
				"/v1/tasks/demo-2/graph":        "graph demo-2 --json",
				"/v1/search?q=A&project=demo":   "search A -p demo --json",
				"/v1/events?project=demo":       "events -p demo --json",
				"/v1/overview":                  "overview --all --json",
			} {
				if over, by := s.get(route).is(200).text(""), w.run(command).is(0).text(""); over != by {
					w.Errorf("%s answers\n%s\nand %s\n%s", route, over, command, by)
				}
			}
			over := s.post("/v1/tasks/demo-2/claim", "").is(422)
			by := w.run("claim demo-2 --json").is(3)
			for _, member := range []string{"error", "message", "missing"} {
				if over.text(member) != by.text(member) {
					w.Errorf("%s of the refusal is %s over HTTP and %s by the command", member, over.text(member), by.text(member))
				}
			}
		},
	},
	{
		name: "apply-is-atomic",
		says: "A plan document (apply) creates or updates a whole task graph in one atomic operation. Nothing is written unless the whole document validates.",
		test: func(w *world) {
			w.feed(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["nosuch"]}]}`, "apply -f - --json").is(2)
			w.run("project list --json").is(0).has("#", "0")
		},
	},
	{
		name: "apply-upserts-by-key",
		says: "Re-applying a document upserts by task key and does not duplicate.",
		test: func(w *world) {
			w.plan(pair)
			w.feed(`{"project": "demo", "tasks": [{"key": "a", "title": "A, renamed"}, `+`{"key": "b", "title": "B"}]}`, "apply -f - --json").is(0).
				has("created.#", "0").has("updated.#", "1").has("unchanged.#", "1")
			w.run("list --json").is(0).has("tasks.#", "2").has("tasks.0.title", "A, renamed")
		},
	},
	{
		name: "ready-when-dependencies-are-closed",
		says: "A task is on the ready frontier only when its dependencies are closed. No explicit 'blocked' flag has to be declared.",
		test: func(w *world) {
			w.plan(chain)
			w.run("ready --json").is(0).has("tasks.#", "1").has("tasks.0.id", "demo-1")
			w.run("done demo-1 --json").is(0).has("unblocked.0", "demo-2")
			w.run("ready --json").is(0).has("tasks.#", "1").has("tasks.0.id", "demo-2")
		},
	},
	{
		name: "claimed-with-a-lease",
		says: "A task can be claimed by an actor, with a lease.",
		test: func(w *world) {
			w.plan(pair)
			w.run("claim demo-1 --lease 10m --json").is(0).has("actor", "claude").has("leaseMs", "600000").has("expiresAt", "20.*Z")
		},
	},
	{
		name: "concurrent-callers-receive-different-tasks",
		says: "Selecting and claiming the next task is one atomic operation, so concurrent callers receive different tasks.",
		test: func(w *world) {
			tasks := ""
			for i := range 16 {
				tasks += fmt.Sprintf(`{"key": "k%d", "title": "T"},`, i)
			}
			w.plan(tasks[:len(tasks)-1])
			s := w.serve()
			var each sync.WaitGroup
			got := make([]string, 16)
			for i := range got {
				each.Go(func() { got[i] = s.post("/v1/next", `{"project": "demo"}`).text("task.id") })
			}
			each.Wait()
			seen := map[string]bool{}
			for _, id := range got {
				if seen[id] {
					w.Errorf("%s was handed out twice", id)
				}
				seen[id] = true
			}
		},
	},
	{
		name: "serve-sync",
		says: "`tasker serve --sync <duration>` (for example 5m) runs a background reconciliation loop. It is pull-only: outbound plans are logged and not " +
			"pushed.",
		test: backgroundLoop,
	},
	{
		name: "administration-on-the-command-line-alone",
		says: "Project administration, configuration, import and the workspace commands exist only on the command line. They are not available over HTTP.",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			w.with("TASKER_DB").run("workspace list --json --server " + s.url).is(0).says(`^\[\]`) // a command keeps their records on its own machine
			for _, path := range []string{"/v1/projects", "/v1/projects/demo", "/v1/config", "/v1/import", "/v1/workspaces", "/v1/sessions"} {
				if r := s.post(path, "{}"); r.code != 404 && r.code != 405 {
					w.Errorf("POST %s was answered with %d: %s", path, r.code, r.out)
				}
			}
			w.with("TASKER_DB").run("project create shop --server " + s.url).is(3).says("(?i)command line|database")
			w.with("TASKER_DB").run("import markdown - -p shop --server " + s.url).is(3).says("where the database is")
			w.run("project create shop").is(0)
		},
	},
}
