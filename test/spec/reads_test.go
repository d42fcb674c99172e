package spec

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// read returns a statement on a route that reads, and what is in its answer to a plan of two projects: an epic with a part that
// is held, a task that waits for the part, two ready tasks that touch the same files, and a closed one.
func read(name, says, path string, check func(reply)) statement {
	return statement{name: name, says: says, test: func(w *world) {
		begun(w)
		check(w.serve().get(path).is(200))
	}}
}

// begun applies the plan of read.
func begun(w *world) {
	w.Helper()
	w.plan(`{"key": "e", "title": "Epic"}, {"key": "a", "title": "A", "parent": "e", "criteria": ["c"]},
		{"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C", "touches": ["docs/**"], "priority": 3},
		{"key": "d", "title": "D", "touches": ["docs/x.md"], "priority": 1}, {"key": "f", "title": "F"}`)
	w.feed(`{"project": "shop", "tasks": [{"key": "s", "title": "S", "priority": 2}]}`, "apply -f -").is(0)
	w.run("claim demo-2").is(0)
	w.run("note demo-2 half").is(0)
	w.run("evidence demo-2 --kind tests --value ok").is(0)
	w.run("done demo-6").is(0)
}

var reads = []statement{
	{
		name: "base-path",
		says: "Base path {base_url}/v1. Bodies and responses are JSON unless stated.",
		test: func(w *world) {
			s := w.serve()
			if r := s.get("/v1/projects").is(200); r.err != "application/json" {
				w.Errorf("the answer is %s", r.err)
			}
			s.get("/v1/nosuch").is(404).has("error", "not_found")
			s.get("/projects").hides(`"slug"`)
		},
	},
	{
		name: "version",
		says: "/version: object with the binary semver (string), database schema version (integer), config format version (integer)",
		test: func(w *world) {
			w.plan(pair)
			w.serve().get("/v1/version").is(200).has("version", `\d+\.\d+\.\d+.*`).has("schemaVersion", `[1-9]\d*`).has("configVersion", "1")
		},
	},
	{
		name: "projects",
		says: "/projects: every project row",
		test: func(w *world) {
			w.plan(pair)
			w.run("project create shop").is(0)
			w.serve().get("/v1/projects").is(200).has("#", "2").names("0", "slug", "name", "vision", "gates", "archived", "tasks", "createdAt", "updatedAt")
		},
	},
	read("board", "/projects/:slug/board: the board", "/v1/projects/demo/board", func(r reply) {
		r.has("project", "demo").has("totals", `{"cancelled":0,"done":1,"in_progress":1,"in_review":0,"open":4}`)
		r.each("columns", "status", "open", "in_progress", "in_review", "done", "cancelled").each("columns", "total", "4", "1", "0", "1", "0")
		r.each("columns.0.tasks", "id", "demo-5", "demo-4", "demo-1", "demo-3").has("columns.0.tasks.3.openDeps", "1")
		r.each("columns.1.tasks", "id", "demo-2").has("columns.1.tasks.0.claim.actor", "claude").each("columns.3.tasks", "id", "demo-6")
	}),
	read("ready", "/projects/:slug/ready: the ready frontier", "/v1/projects/demo/ready", func(r reply) {
		r.has("project", "demo").has("total", "2").each("tasks", "id", "demo-5", "demo-4").has("tasks.0.title", "D").has("selectedBy.0", "severity")
	}),
	{
		name: "inbox",
		says: "/projects/:slug/inbox (actor, all (true), limit): the inbox",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human"}, {"name": "bob", "kind": "human"}]`)
			w.as("ann").plan(pair)
			w.run("ask demo-1 'which?' --blocking --to bob").is(0)
			w.run("ask demo-2 'what?' --blocking --to bob").is(0)
			s := w.as("ann").serve()
			s.get("/v1/projects/demo/inbox?actor=bob").is(200).has("total", "2").names("items.0", "id", "kind", "project", "task", "title", "for", "why",
				"since", "event")
			s.get("/v1/projects/demo/inbox?actor=bob&limit=1").is(200).has("items.#", "1").has("total", "2")
			for _, all := range []string{"all=true", "all=1", "all"} {
				s.get("/v1/projects/demo/inbox?"+all).is(200).has("total", "2")
			}
			for _, all := range []string{"all=false", "all=0"} {
				s.get("/v1/projects/demo/inbox?"+all).is(200).has("total", "0") // ann has asked, and is asked nothing
			}
			s.get("/v1/projects/demo/inbox?all=perhaps").is(422).has("missing.0", ".*all.*")
			s.get("/v1/projects/demo/inbox?limit=x").is(422).says("limit")
		},
	},
	{
		name: "next",
		says: "/next (project, required): preview of selection plus bundle; never claims; same answer for repeated calls",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			first := s.get("/v1/next?project=demo").is(200).has("task.id", "demo-1").has("claimed", "null").names("bundle", "task", "criteria")
			if again := s.get("/v1/next?project=demo"); again.out != first.out {
				w.Errorf("asked again the answer is\n%s\nwant\n%s", again.out, first.out)
			}
			w.run("show demo-1 --json").has("task.claim", "null")
		},
	},
	{
		name: "task",
		says: "/tasks/:id: the context bundle",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human"}], "gates": {"ship": ["tests"]}, "context": {"track": ["AGENTS.md"]}`)
			w.file("AGENTS.md", "Be kind.")
			w.as("ann").plan(`{"key": "top", "title": "Top"}, {"key": "e", "title": "Epic", "parent": "top", "deps": ["x"], "criteria": ["c1", "c2"],
				"gate": "ship", "links": [{"kind": "url", "ref": "https://example.org/"}]},
				{"key": "a", "title": "A", "parent": "e"}, {"key": "x", "title": "X"}, {"key": "y", "title": "Y", "deps": ["e"]}`)
			w.as("ann").run("done demo-4").is(0)
			w.run("claim demo-2").is(0)
			for _, line := range []string{
				"note demo-2 half", "decide demo-2 this", "ask demo-2 what?", "evidence demo-2 --kind tests --value ok", "bind demo-2 DEMO-7", "check demo-2 1",
			} {
				w.run(line).is(0)
			}
			w.as("ann").run("approve demo-2").is(0)
			r := w.serve().get("/v1/tasks/demo-2").is(200)
			r.has("task.id", "demo-2").has("task.title", "Epic").has("task.claim.actor", "claude").has("project.slug", "demo")
			r.each("ancestors", "id", "demo-1").each("children", "id", "demo-3").each("deps", "id", "demo-4").has("deps.0.status", "done").each("dependents", "id", "demo-5")
			r.each("criteria", "text", "c1", "c2").each("criteria", "checked", "true", "false").has("gate.name", "ship").has("gate.requires.0", "tests")
			r.each("approvals.given", "actor", "ann").each("notes", "text", "half").each("decisions", "title", "this").each("questions", "text", "what\\?")
			r.each("evidence", "value", "ok").each("links", "ref", "https://example.org/").each("bindings", "ref", "DEMO-7").has("guidance.0.path", "AGENTS.md")
			r.has("recentEvents.0.kind", "task.created").has("warnings.0", ".*demo-3.*").names("", "workspace", "budget")
		},
	},
	{
		name: "prime",
		says: "/prime (project): agent operating manual as text/plain",
		test: func(w *world) {
			w.plan(pair)
			if r := w.serve().get("/v1/prime?project=demo").is(200).says("demo"); r.err != "text/plain; charset=utf-8" {
				w.Errorf("the manual is %s", r.err)
			}
		},
	},
	read("search", "/search (q, required; project, kind, limit): object with query, project, counts, total, hits", "/v1/search?q=Epic&project=demo", func(r reply) {
		r.has("query", "Epic").has("project", "demo").has("total", "1").has("counts.title", "1").has("counts.note", "0").each("hits", "task", "demo-1").each("hits", "text", "Epic")
	}),
	{
		name: "events",
		says: "/events (project, task, since, since_id, limit): array of events with payload already parsed",
		test: func(w *world) {
			w.plan(pair)
			w.feed(`{"project": "shop", "tasks": [{"key": "s", "title": "S"}]}`, "apply -f -").is(0)
			w.run("claim demo-1").is(0)
			s := w.serve()
			s.get("/v1/events").is(200).says(`"project":"shop"`)
			s.get("/v1/events?project=demo").is(200).hides(`"project":"shop"`).names("0", "id", "at", "project", "task", "actor", "kind", "payload").hides(`"payload":"`)
			s.get("/v1/events?task=demo-1").is(200).has("#", "2")
			s.get("/v1/events?project=demo&limit=1").is(200).has("#", "1").has("0.kind", "task.claimed")
			for _, since := range []string{"2000-01-01T00:00:00Z", "2000-01-01", "2000-01-01T00:00:00", "946684800", "946684800000"} {
				s.get("/v1/events?project=demo&since="+since+"&limit=1").is(200).has("0.kind", "project.created|plan.applied")
				w.run("events --since "+since+" --limit 1 --json").is(0).has("0.kind", "project.created|plan.applied")
			}
			s.get("/v1/events?project=demo&since=2100-01-01").is(200).has("#", "0")
			s.get("/v1/events?project=demo&since=soon").is(422).has("missing.0", ".*since.*")
			newest := s.get("/v1/events?limit=1").text("0.id")
			s.get("/v1/events?since_id="+newest).is(200).has("#", "0")
		},
	},
	{
		name: "estate",
		says: "/estate (actor, all, limit): every project's queue in one ordering, with the matching count",
		test: func(w *world) {
			begun(w)
			w.as("bob").run("ask demo-3 'which?' --blocking --to dora").is(0)
			s := w.serve()
			r := s.get("/v1/estate").is(200).has("total", "4").has("matching", "3").has("watermark", "[1-9][0-9]*")
			r.each("items", "task", "demo-5", "shop-1", "demo-4").each("items", "project", "demo", "shop", "demo")
			s.get("/v1/estate?actor=dora").is(200).has("matching", "4").each("items", "task", "demo-3", "demo-5", "shop-1", "demo-4").has("items.0.kind", "blocking_question")
			s.get("/v1/estate?all=true").is(200).has("matching", "4").each("items", "task", "demo-3", "demo-5", "shop-1", "demo-4")
			s.get("/v1/estate?limit=1").is(200).has("matching", "3").each("items", "task", "demo-5")
		},
	},
	read("overview-of-all", "/overview: every project with its situation", "/v1/overview", func(r reply) {
		r.each("projects", "project", "demo", "shop").each("projects", "situation.ready", "2", "1").each("projects", "situation.held", "1", "0")
		r.has("projects.0.situation.byStatus.done", "1").has("projects.0.situation.sentence", "1 of 6 tasks .*")
	}),
	{
		name: "overview",
		says: "/projects/:slug/overview: situation, inbox, proof and briefing in one read",
		test: func(w *world) {
			begun(w)
			w.as("bob").run("ask demo-3 'which?' --blocking --to claude").is(0)
			r := w.serve().get("/v1/projects/demo/overview").is(200)
			r.has("project", "demo").has("situation.ready", "2").has("situation.byStatus.open", "4")
			r.has("inbox.actor", "claude").has("inbox.total", "1").each("inbox.items", "task", "demo-3").has("inbox.items.0.kind", "blocking_question")
			r.each("proof.closed", "task", "demo-6").has("proof.tally.done", "1")
			r.each("briefing.actors", "actor", "bob", "claude").each("briefing.actors.1.closed", "task", "demo-6")
		},
	},
	read("work", "/projects/:slug/work: frontier, resolved parallel batches, blocked, leases, recent history", "/v1/projects/demo/work", func(r reply) {
		r.each("frontier", "id", "demo-5", "demo-4").each("batches", "tasks", `\["demo-5"\]`, `\["demo-4"\]`) // both touch docs/x.md
		r.each("blocked", "task", "demo-1", "demo-3").each("blocked", "waitsFor", `\["demo-2"\]`, `\["demo-2"\]`)
		r.each("leases", "task", "demo-2").each("leases", "actor", "claude").has("history.0.kind", "project.created")
	}),
	{
		name: "machine",
		says: "/projects/:slug/machine: what each actor is doing now, progress counted from criteria",
		test: func(w *world) {
			w.plan(withCriteria)
			w.run("claim demo-1").is(0)
			w.run("check demo-1 1").is(0)
			w.serve().get("/v1/projects/demo/machine").is(200).has("actors.0.actor", "claude").has("actors.0.holding.0.task", ".*demo-1.*").
				has("actors.0.holding.0.progress", `{"checked":1,"total":2}`)
		},
	},
	{
		name: "proof",
		says: "/projects/:slug/proof (days, limit): closed work with evidence, plus project tally",
		test: func(w *world) {
			w.plan(pair + `, {"key": "c", "title": "C", "criteria": ["c"]}, {"key": "d", "title": "D"}`)
			w.run("evidence demo-1 --kind tests --value ok").is(0)
			w.run("done demo-1").is(0)
			w.run("cancel demo-2").is(0)
			w.run("done demo-3 --force").is(0)

			kept := w.run("export --all").is(0).out // the same, with the first one closed ten days earlier
			w = begin(w.T)
			w.feed(regexp.MustCompile(`("key":"a".*?"closed_at":)(\d+)`).ReplaceAllStringFunc(kept, func(row string) string {
				i := strings.LastIndex(row, ":") + 1
				at, err := strconv.ParseInt(row[i:], 10, 64)
				if err != nil {
					w.Fatal(err)
				}
				return row[:i] + strconv.FormatInt(at-(10*24*time.Hour).Microseconds(), 10)
			}), "import tasker -").is(0)
			s := w.serve()
			for days, closed := range map[string][]string{"30": {"demo-3", "demo-2", "demo-1"}, "9": {"demo-3", "demo-2"}} {
				r := s.get("/v1/projects/demo/proof?days="+days).is(200).has("days", days).each("closed", "task", closed...)
				r.has("tally.total", number(len(closed))).has("tally.done", number(len(closed)-1)).has("tally.cancelled", "1").has("tally.overrides", "1")
				r.has("tally.evidence", number(len(closed)-2)).has("tally.project.open", "1").has("tally.project.done", "2")
				r.has("closed.0.status", "done").has("closed.1.status", "cancelled")
			}
			s.get("/v1/projects/demo/proof").is(200).has("closed.2.evidence.0.kind", "tests").has("closed.2.evidence.0.value", "ok")
			s.get("/v1/projects/demo/proof?limit=1").is(200).each("closed", "task", "demo-3").has("tally.total", "3")
		},
	},
	{
		name: "sync",
		says: "/projects/:slug/sync: link health: auth state, pending and failed writes, staleness, conflicts",
		test: linkHealth,
	},
	{
		name: "ownership",
		says: "/projects/:slug/ownership: which system owns which field, and the preset deciding it",
		test: owners,
	},
	{
		name: "conflicts",
		says: "/projects/:slug/conflicts: disagreements, each with both values and all five resolutions",
		test: disagreements,
	},
	{
		name: "bottlenecks",
		says: "/projects/:slug/bottlenecks: what holds the most up, worst first",
		test: func(w *world) {
			w.plan(`{"key": "x", "title": "X"}, {"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C", "deps": ["b"]}`)
			w.serve().get("/v1/projects/demo/bottlenecks").is(200).has("items.0.task", ".*demo-2.*").has("items.0.transitive", "2").has("items.1.task",
				".*demo-3.*")
		},
	},
	{
		name: "subtree",
		says: "/tasks/:id/subtree: object with rollup and children (every descendant, counted)",
		test: func(w *world) {
			w.plan(`{"key": "e", "title": "Epic"}, {"key": "f", "title": "F", "parent": "e"},` + many(2500, `{"key": "k%d", "title": "T", "parent": "f"}`))
			w.serve().get("/v1/tasks/demo-1/subtree").is(200).has("rollup.total", "2501").has("children.#", "1").has("children.0.children.#", "2500")
		},
	},
	{
		name: "graph",
		says: "/tasks/:id/graph (upstream, downstream): dependency graph around the task",
		test: func(w *world) {
			w.plan(`{"key": "k0", "title": "T"}, {"key": "k1", "title": "T", "deps": ["k0"]}, {"key": "k2", "title": "T", "deps": ["k1"]},
				{"key": "k3", "title": "T", "deps": ["k2"]}, {"key": "k4", "title": "T", "deps": ["k3"]}, {"key": "far", "title": "T"}`)
			s := w.serve()
			r := s.get("/v1/tasks/demo-3/graph?upstream=1&downstream=1").is(200).has("task", "demo-3").has("upstream", "1").has("downstream", "1")
			r.each("nodes", "id", "demo-2", "demo-3", "demo-4").each("edges", "from", "demo-3", "demo-4").each("edges", "to", "demo-2", "demo-3")
			s.get("/v1/tasks/demo-3/graph?upstream=0&downstream=2").is(200).each("nodes", "id", "demo-3", "demo-4", "demo-5")
		},
	},
}

var rulesOfReads = []statement{
	{
		name: "hits",
		says: "Search: each hit names the record kind it was found in, the task it belongs to and the matched text.",
		test: func(w *world) {
			w.plan(`{"key": "a", "title": "Rhubarb pie"}`)
			w.serve().get("/v1/search?q=rhubarb").is(200).has("hits.0.kind", "title").has("hits.0.task", "demo-1").has("hits.0.text", "(?i).*rhubarb.*")
		},
	},
	{
		name: "searched",
		says: "Searched: titles, bodies, notes, decisions, evidence, bindings, actors, the log.",
		test: func(w *world) {
			w.as("quince").plan(`{"key": "a", "title": "medlar", "body": "sorbus"}`)
			w.run("note demo-1 damson").is(0)
			w.run("decide demo-1 bullace").is(0)
			w.run("evidence demo-1 --kind tests --value greengage").is(0)
			w.run("bind demo-1 MIRABELLE-7").is(0)
			s := w.serve()
			for word, kind := range map[string]string{
				"medlar": "title", "sorbus": "body", "damson": "note", "bullace": "decision", "greengage": "evidence",
				"MIRABELLE-7": "binding", "quince": "actor", "plan.applied": "log",
			} {
				s.get("/v1/search?q="+word+"&kind="+kind).is(200).has("hits.0.kind", kind)
			}
			s.get("/v1/search?q=medlar").names("counts", "title", "body", "note", "decision", "evidence", "binding", "actor", "log")
		},
	},
	{
		name: "counts-cover-every-kind",
		says: "counts covers every kind even when kind narrows the hits; limit caps the hits per kind and never the counts.",
		test: func(w *world) {
			w.plan(many(3, `{"key": "k%d", "title": "rhubarb", "body": "rhubarb"}`))
			w.serve().get("/v1/search?q=rhubarb&kind=title&limit=2").is(200).has("hits.#", "2").has("counts.title", "3").has("counts.body", "3")
		},
	},
	{
		name: "since-id",
		says: "Events: page with since_id (ids are monotonic); since is timestamp based and racy.",
		test: func(w *world) {
			w.plan(many(5, `{"key": "k%d", "title": "T"}`))
			s := w.serve()
			last, seen := 0, 0
			for {
				page := s.get("/v1/events?project=demo&limit=2&since_id=" + number(last)).is(200)
				n := page.number("#")
				if n == 0 || w.Failed() {
					break
				}
				for i := range n {
					id := page.number(number(i) + ".id")
					if id <= last {
						w.Errorf("event %d comes after %d", id, last)
					}
					last = id
					seen++
				}
			}
			if all := s.get("/v1/events?project=demo&limit=1000").number("#"); seen != all {
				w.Errorf("paging saw %d events of %d", seen, all)
			}
		},
	},
	{
		name: "depth-is-clamped",
		says: "Graph depth is clamped to 8 in each direction; nodes at the boundary are marked truncated, not dropped.",
		test: func(w *world) {
			w.plan(`{"key": "k0", "title": "T"},` + links12())
			r := w.serve().get("/v1/tasks/demo-12/graph?upstream=99&downstream=0").is(200).has("upstream", "8").has("nodes.#", "9")
			r.says(`"id":"demo-4","title":"T","status":"open","state":"waiting","holder":null,"depth":-8,"truncated":true`)
		},
	},
	{
		name: "truncated-not-dropped",
		says: "Nodes at the boundary are marked truncated, not dropped.",
		test: func(w *world) {
			w.plan(`{"key": "hub", "title": "Hub"},` + many(2500, `{"key": "k%d", "title": "T", "deps": ["hub"]}`))
			w.serve().get("/v1/tasks/demo-1/graph?downstream=8").is(200).has("nodes.#", "2501").hides(`"truncated":true`)
		},
	},
	{
		name: "exactly-what-the-core-composed",
		says: "The human-surface reads return exactly what the core composed; clients must not combine them to derive facts.",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			for _, view := range []string{"board", "inbox", "work", "machine", "proof", "overview"} {
				if over, by := s.get("/v1/projects/demo/"+view).is(200).text(""), w.run(view+" -p demo --json").is(0).text(""); over != by {
					w.Errorf("%s differs:\n%s\n%s", view, over, by)
				}
			}
		},
	},
	{
		name: "missing-parameter",
		says: "A missing required query parameter (project on /next, q on /search) gives 422.",
		test: func(w *world) {
			s := w.serve()
			s.get("/v1/next").is(422).has("error", "refusal").has("missing.0", ".*project.*")
			s.get("/v1/search").is(422).has("error", "refusal").has("missing.0", ".*q.*")
		},
	},
}
