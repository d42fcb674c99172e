package spec

// read returns a statement on a route that reads, and what its answer is made of.
func read(name, says, later, path, at string, members ...string) statement {
	return statement{name: name, says: says, later: later, test: func(w *world) {
		w.plan(`{"key": "e", "title": "Epic"}, {"key": "a", "title": "A", "parent": "e", "criteria": ["c"]}, {"key": "b", "title": "B", "deps": ["a"]}`)
		w.run("claim demo-2").is(0)
		w.serve().get(path).is(200).names(at, members...)
	}}
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
	read("board", "/projects/:slug/board: the board", "", "/v1/projects/demo/board", "", "project", "columns.0.status", "columns.0.total",
		"columns.0.tasks", "totals.open"),
	read("ready", "/projects/:slug/ready: the ready frontier", "", "/v1/projects/demo/ready", "", "project", "selectedBy", "total", "tasks"),
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
	read("task", "/tasks/:id: the context bundle", "", "/v1/tasks/demo-2", "", "task", "project", "ancestors", "children", "deps", "dependents",
		"criteria", "gate",
		"approvals", "notes", "decisions", "questions", "evidence", "links", "bindings", "workspace", "guidance", "recentEvents", "warnings", "budget"),
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
	read("search", "/search (q, required; project, kind, limit): object with query, project, counts, total, hits", "",
		"/v1/search?q=Epic&project=demo", "", "query", "project", "counts", "total", "hits.0"),
	{
		name: "events",
		says: "/events (project, task, since, since_id, limit): array of events with payload already parsed",
		test: func(w *world) {
			w.plan(pair)
			w.run("claim demo-1").is(0)
			s := w.serve()
			s.get("/v1/events?project=demo").is(200).names("0", "id", "at", "project", "task", "actor", "kind", "payload").hides(`"payload":"`)
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
	read("estate", "/estate (actor, all, limit): every project's queue in one ordering, with the matching count", "",
		"/v1/estate", "", "total", "matching", "watermark", "items"),
	read("overview-of-all", "/overview: every project with its situation", "", "/v1/overview", "projects.0", "project", "situation.byStatus",
		"situation.sentence"),
	read("overview", "/projects/:slug/overview: situation, inbox, proof and briefing in one read", "",
		"/v1/projects/demo/overview", "", "project", "situation", "inbox", "proof", "briefing"),
	read("work", "/projects/:slug/work: frontier, resolved parallel batches, blocked, leases, recent history", "",
		"/v1/projects/demo/work", "", "frontier", "batches", "blocked", "leases", "history"),
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
			w.plan(pair)
			w.run("evidence demo-1 --kind tests --value ok").is(0)
			w.run("done demo-1").is(0)
			w.run("done demo-2").is(0)
			s := w.serve()
			s.get("/v1/projects/demo/proof").is(200).has("closed.#", "2").says("tests").names("", "tally", "days")
			s.get("/v1/projects/demo/proof?days=1&limit=1").is(200).has("days", "1").has("closed.#", "1")
		},
	},
	{
		name: "sync",
		says: "/projects/:slug/sync: link health: auth state, pending and failed writes, staleness, conflicts",
		test: linkHealth,
	},
	read("ownership", "/projects/:slug/ownership: which system owns which field, and the preset deciding it", "",
		"/v1/projects/demo/ownership", "", "project", "preset", "fields.0.field", "fields.0.owner"),
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
	read("graph", "/tasks/:id/graph (upstream, downstream): dependency graph around the task", "",
		"/v1/tasks/demo-2/graph?upstream=1&downstream=1", "", "task", "upstream", "downstream", "nodes.1", "edges.0"),
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
				if n == 0 {
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
