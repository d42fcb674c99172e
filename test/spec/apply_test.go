package spec

import "fmt"

// refused applies a document by both surfaces and checks that each refuses it, names the position, and writes nothing.
func refused(w *world, document, place string) {
	w.Helper()
	s := w.serve()
	w.feed(document, "apply -f - --json").is(2).has("error", "refusal").has("reason", "invalid").says(place)
	s.post("/v1/apply", document).is(422).has("error", "refusal").has("reason", "invalid").says(place)
	w.run("project list --json").is(0).has("#", "0")
}

// taken applies a document by both surfaces, which must accept it.
func taken(w *world, document string) {
	w.Helper()
	w.feed(document, "apply -f - --json").is(0).has("created.#", "1")
	w.serve().post("/v1/apply", document).is(201).has("unchanged.#", "1")
}

// member returns a statement on a member of the document: values that are accepted and values that are refused.
func member(name, says, good, bad, place string) statement {
	return statement{name: name, says: says, test: func(w *world) {
		for i, text := range []string{good, bad} {
			document := `{"project": "demo", "tasks": [{"key": "a", "title": "A"}], ` + text + `}`
			if name == "project" || name == "tasks" {
				document = text
			}
			if i == 0 {
				taken(w, document)
				w = begin(w.T)
				continue
			}
			refused(w, document, place)
		}
	}}
}

var applyDocument = []statement{
	{
		name: "both-surfaces",
		says: "The same shape is accepted by `tasker apply -f <file>` and by `POST /v1/apply`.",
		test: func(w *world) {
			plan := `{"project": "demo", "name": "Demo", "vision": "V", "gates": {"ship": ["tests"]}, "tasks": [{"key": "a", "title": "A", "gate": "ship"}]}`
			w.file("plan.json", plan)
			w.run("apply -f plan.json --json").is(0).has("created.0.id", "demo-1")
			w.serve().post("/v1/apply", plan).is(201).has("unchanged.0.id", "demo-1")

			other := begin(w.T)
			s := other.serve()
			s.post("/v1/apply", plan).is(201).has("created.0.id", "demo-1")
			for _, r := range []reply{w.run("project list --json").is(0), s.get("/v1/projects").is(200)} {
				r.has("0.name", "Demo").has("0.vision", "V").has("0.gates", `\{"ship":\["tests"\]\}`)
			}
		},
	},
	{
		name: "unknown-keys-at-the-root",
		says: "Unknown keys are refused at every level (root, task, link, evidence item).",
		test: func(w *world) {
			refused(w, `{"project": "demo", "tasks": [{"key": "a", "title": "A"}], "nmae": "x"}`, "nmae")
		},
	},
	{
		name: "unknown-keys-in-a-task",
		says: "Unknown keys are refused at every level: task.",
		test: func(w *world) {
			refused(w, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "prio": 1}]}`, `tasks\[0\]\.prio`)
		},
	},
	{
		name: "unknown-keys-in-a-link",
		says: "Unknown keys are refused at every level: link.",
		test: func(w *world) {
			refused(w, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "links": [{"kind": "url", "ref": "x", "href": "y"}]}]}`,
				`tasks\[0\]\.links\[0\]\.href`)
		},
	},
	{
		name: "unknown-keys-in-an-evidence-item",
		says: "Unknown keys are refused at every level: evidence item.",
		test: func(w *world) {
			refused(w, `{"project": "demo", "tasks": [{"key": "a", "title": "A", "evidence": [{"kind": "k", "value": "v", "by": "me"}]}]}`,
				`tasks\[0\]\.evidence\[0\]\.by`)
		},
	},
	member("project", "project: string, min length 1, required; project slug",
		`{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`, `{"project": "", "tasks": [{"key": "a", "title": "A"}]}`, "project"),
	{
		name: "project-is-required",
		says: "project: required",
		test: func(w *world) { refused(w, `{"tasks": [{"key": "a", "title": "A"}]}`, "project") },
	},
	member("name", "name: string, optional; display name", `"name": "Demo"`, `"name": 1`, "name"),
	member("vision", "vision: string, optional", `"vision": "V"`, `"vision": []`, "vision"),
	member("gates", "gates: map of string to array of string, optional; gate name to the evidence kinds required by that gate",
		`"gates": {"ship": ["tests"]}`, `"gates": {"ship": "tests"}`, `gates\.ship`),
	member("tasks", "tasks: array of task definitions, min 1 item, required",
		`{"project": "demo", "tasks": [{"key": "a", "title": "A"}]}`, `{"project": "demo", "tasks": []}`, "tasks"),
	{
		name: "tasks-are-required",
		says: "tasks: required",
		test: func(w *world) { refused(w, `{"project": "demo"}`, "tasks") },
	},
}

// field returns a statement on a field of a task definition: a value that is stored, where the record shows it (or how), and
// values that are refused.
func field(name, says, good, path, want string, bad ...string) statement {
	return statement{name: name, says: says, test: func(w *world) {
		w.config(`"gates": {"ship": ["tests"]}`)
		at := `tasks\[1\]\.` + documented(name)
		w.plan(`{"key": "p", "title": "P"}, {"key": "a", "title": "A"` + good + `}`)
		w.run("show demo-2 --json").is(0).has(path, want)
		w = begin(w.T)
		w.config("")
		for _, b := range bad {
			w.feed(`{"project": "demo", "tasks": [{"key": "p", "title": "P"}, `+b+`]}`, "apply -f - --json").is(2).has("reason", "invalid").says(at)
		}
		w.run("project list --json").is(0).has("#", "0")
	}}
}

// documented returns the member of the document that a statement's name means.
func documented(name string) string {
	switch name {
	case "preferred-actor":
		return "preferredActor"
	case "may-execute":
		return "mayExecute"
	}
	return name
}

func bad(text string) string { return `{"key": "a", "title": "A", ` + text + `}` }

var taskDefinition = []statement{
	field("key", "key: string, min length 1, required; local key; upsert identity; referenced by parent and deps",
		"", "task.key", "a", `{"key": "", "title": "A"}`, `{"title": "A"}`, `{"key": 1, "title": "A"}`),
	field("title", "title: string, min length 1, required", "", "task.title", "A", `{"key": "a", "title": ""}`, `{"key": "a"}`),
	field("body", "body: string, optional", `, "body": "B"`, "task.body", "B", bad(`"body": 1`)),
	field("parent", "parent: string, optional; key of the parent task", `, "parent": "p"`, "task.parent", "demo-1",
		bad(`"parent": "nosuch"`), bad(`"parent": 1`)),
	field("deps", "deps: array of string, optional; keys of tasks that must be closed before this one is ready",
		`, "deps": ["p"]`, "task.deps.0", "demo-1", bad(`"deps": "p"`), bad(`"deps": ["nosuch"]`)),
	field("priority", "priority: integer 0 to 3, optional", `, "priority": 0`, "task.priority", "0",
		bad(`"priority": -1`), bad(`"priority": 4`), bad(`"priority": 1.5`), bad(`"priority": "1"`)),
	field("severity", "severity: integer 1 to 4, optional; 1 is worst; distinct from priority", `, "severity": 1, "priority": 3`, "task.severity", "1",
		bad(`"severity": 0`), bad(`"severity": 5`)),
	field("due", "due: string, optional; ISO date the task is due", `, "due": "2030-02-28"`, "task.due", "2030-02-28",
		bad(`"due": "tomorrow"`), bad(`"due": "2030-02-30"`)),
	field("gate", "gate: string, optional; name of a gate profile", `, "gate": "ship"`, "task.gate", "ship", bad(`"gate": ["ship"]`)),
	field("autonomy", "autonomy: enum autonomous, supervised, human_only, optional; how far an agent may take the task unsupervised",
		`, "autonomy": "supervised"`, "task.autonomy", "supervised", bad(`"autonomy": "free"`)),
	{
		name: "human-only",
		says: "human_only means agents never claim it",
		test: func(w *world) {
			w.plan(`{"key": "a", "title": "A", "autonomy": "human_only"}`)
			w.run("claim demo-1").is(3)
			w.run("next --claim --json").is(0).has("task", "null").has("claimed", "null")
		},
	},
	field("preferred-actor", "preferredActor: string, optional; who should do it; a bias, never a lock",
		`, "preferredActor": "bob"`, "task.preferredActor", "bob", bad(`"preferredActor": []`)),
	{
		name: "a-bias-never-a-lock",
		says: "preferredActor: a bias, never a lock",
		test: func(w *world) {
			w.plan(`{"key": "a", "title": "A", "preferredActor": "bob"}, {"key": "b", "title": "B", "preferredActor": "claude"}`)
			w.run("next --json").is(0).has("task.id", "demo-2")
			w.run("claim demo-1").is(0)
		},
	},
	field("may-execute", "mayExecute: array of string, optional; roles or capabilities required to claim it",
		`, "mayExecute": ["dev"]`, "task.mayExecute.0", "dev", bad(`"mayExecute": "dev"`)),
	{
		name: "may-execute-is-required-to-claim",
		says: "mayExecute: roles or capabilities required to claim it",
		test: func(w *world) {
			w.config(`"actors": [{"name": "bob", "kind": "agent", "roles": ["dev"]}, {"name": "eve", "kind": "agent", "capabilities": ["dev"]}]`)
			w.plan(`{"key": "a", "title": "A", "mayExecute": ["dev"]}, {"key": "b", "title": "B", "mayExecute": ["dev"]}`)
			w.run("claim demo-1").is(3).says("dev")
			w.as("bob").run("claim demo-1").is(0)
			w.as("eve").run("claim demo-2").is(0)
		},
	},
	field("touches", "touches: array of string, optional; path globs the task touches",
		`, "touches": ["src/**"]`, "task.touches.0", `src/\*\*`, bad(`"touches": "src"`)),
	field("criteria", "criteria: array of string, optional; acceptance criteria",
		`, "criteria": ["one", "two"]`, "task.criteria.1.text", "two", bad(`"criteria": [1]`)),
	{
		name: "each-criterion-is-ticked-individually",
		says: "criteria: each can be ticked (checked) individually",
		test: func(w *world) {
			w.plan(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
			w.run("check demo-1 2").is(0)
			w.run("show demo-1 --json").is(0).has("criteria.0.checked", "false").has("criteria.1.checked", "true")
			w.run("uncheck demo-1 2").is(0)
			w.run("show demo-1 --json").is(0).has("criteria.1.checked", "false")
		},
	},
	field("links", "links: array of link, optional", `, "links": [{"kind": "url", "ref": "https://example.org", "note": "n"}]`,
		"links.0.ref", "https://example.org", bad(`"links": {}`)),
	field("status", "status: enum open, in_progress, in_review, done, cancelled, optional",
		`, "status": "in_review"`, "task.status", "in_review", bad(`"status": "closed"`)),
	field("evidence", "evidence: array of evidence item, optional", `, "evidence": [{"kind": "tests", "value": "ok", "note": "n"}]`,
		"evidence.0.value", "ok", bad(`"evidence": "ok"`)),
	{
		name: "link",
		says: "Link: kind (enum doc, url, file; required), ref (string, min length 1; required), note (string; optional).",
		test: func(w *world) {
			w.plan(`{"key": "a", "title": "A", "links": [{"kind": "doc", "ref": "r"}, {"kind": "url", "ref": "r"}, {"kind": "file", "ref": "r", "note": "n"}]}`)
			w.run("show demo-1 --json").has("links.#", "3").has("links.2.note", "n")
			for _, b := range []string{`{"kind": "img", "ref": "r"}`, `{"ref": "r"}`, `{"kind": "url", "ref": ""}`, `{"kind": "url"}`,
				`{"kind": "url", "ref": "r", "note": 1}`} {
				w.feed(`{"project": "demo", "tasks": [{"key": "a", "title": "A", "links": [`+b+`]}]}`, "apply -f - --json").is(2).says(`tasks\[0\]\.links\[0\]`)
			}
		},
	},
	{
		name: "evidence-item",
		says: "Evidence item: kind (string; required), value (string; required), note (string; optional).",
		test: func(w *world) {
			for _, b := range []string{`{"value": "v"}`, `{"kind": "k"}`, `{"kind": 1, "value": "v"}`, `{"kind": "k", "value": "v", "note": 1}`} {
				w.feed(`{"project": "demo", "tasks": [{"key": "a", "title": "A", "evidence": [`+b+`]}]}`, "apply -f - --json").is(2).says(`tasks\[0\]\.evidence\[0\]`)
			}
			w.plan(`{"key": "a", "title": "A", "evidence": [{"kind": "k", "value": "v"}]}`)
		},
	},
}

var applyRules = []statement{
	{
		name: "local-keys-in-one-transaction",
		says: "Local keys are resolved to real task ids inside one transaction, so a task may reference (in deps or parent) tasks created in the same document.",
		test: func(w *world) {
			w.plan(`{"key": "b", "title": "B", "deps": ["a"], "parent": "e"}, {"key": "a", "title": "A"}, {"key": "e", "title": "E"}`)
			w.run("show demo-1 --json").is(0).has("task.deps.0", "demo-2").has("task.parent", "demo-3")
		},
	},
	{
		name: "a-faulty-document-writes-nothing",
		says: "A document that fails validation writes nothing.",
		test: func(w *world) {
			w.plan(pair)
			before := w.run("events --json").is(0).out
			w.feed(`{"project": "demo", "name": "N", "tasks": [{"key": "a", "title": "Changed"}, {"key": "c", "title": "C", "priority": 9}]}`,
				"apply -f - --json").is(2)
			if after := w.run("events --json").is(0).out; after != before {
				w.Errorf("events after: %s", after)
			}
			w.run("show demo-1 --json").has("task.title", "A").has("task.version", "1")
		},
	},
	{
		name: "the-same-document-again",
		says: "Applying the same document again updates tasks matched by key.",
		test: func(w *world) {
			w.plan(pair)
			w.plan(`{"key": "b", "title": "B2"}`)
			w.run("show demo-2 --json").is(0).has("task.title", "B2").has("task.version", "2")
			w.run("show demo-1 --json").is(0).has("task.version", "1")
		},
	},
	{
		name: "schema",
		says: "`tasker apply --schema` prints the JSON Schema of this document",
		test: func(w *world) {
			r := w.run("apply --schema").is(0).says(`\$schema`)
			r.has("additionalProperties", "false").has("properties.tasks.minItems", "1").has("required", `.*"project".*`)
		},
	},
	{
		name: "dry-run",
		says: "`tasker apply -f <file> --dry-run` validates and previews without writing",
		test: func(w *world) {
			w.file("plan.json", `{"project": "demo", "tasks": [`+pair+`]}`)
			w.run("apply -f plan.json --dry-run --json").is(0).has("dryRun", "true").has("created.#", "2").has("created.0.id", "null")
			w.run("project list --json").is(0).has("#", "0")
			w.file("plan.json", `{"project": "demo", "tasks": [{"key": "a"}]}`)
			w.run("apply -f plan.json --dry-run --json").is(2).says("title")
		},
	},
	{
		name: "dry-run-previews-the-project",
		says: "`--dry-run` previews: a change of name, vision or gates is one",
		test: func(w *world) {
			w.plan(pair)
			w.feed(`{"project": "demo", "name": "New", "gates": {"ship": ["tests"]}, "tasks": [`+pair+`]}`, "apply -f - --dry-run --exit-code --json").is(0).
				has("projectChanges.name.to", "New").names("projectChanges", "gates")
		},
	},
}

var otherRecords = []statement{
	{
		name: "ids-are-prefixed",
		says: "Task ids are prefixed by the project slug.",
		test: func(w *world) {
			w.plan(pair)
			w.run("list --json").is(0).has("tasks.0.id", "demo-1").has("tasks.1.id", "demo-2")
		},
	},
	{
		name: "a-version-number",
		says: "the fields of a stored task record (including its version number used for optimistic concurrency)",
		test: func(w *world) {
			w.plan(pair)
			w.run("edit demo-1 --title New --expected-version 1 --json").is(0).has("version", "2")
			w.run("edit demo-1 --title Newer --expected-version 1 --json").is(5).has("error", "conflict")
		},
	},
	{
		name: "approvals-of-two-kinds",
		says: "a task can collect approvals of kind approval or verification",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human"}]`)
			w.as("ann").plan(pair)
			for _, kind := range []string{"approval", "verification"} {
				w.as("ann").run("approve demo-1 --json --kind "+kind).is(0).has("kind", kind)
			}
			w.as("ann").run("approve demo-1 --kind other").is(2)
			w.run("show demo-1 --json").has("approvals.given.#", "2")
		},
	},
}

// many returns n tasks of a plan.
func many(n int, format string) string {
	out := ""
	for i := range n {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprintf(format, i)
	}
	return out
}
