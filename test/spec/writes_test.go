package spec

import (
	"strconv"
	"strings"
)

func number(n int) string { return strconv.Itoa(n) }

// links12 returns a chain of twelve tasks after k0.
func links12() string {
	out := ""
	for i := 1; i <= 12; i++ {
		if i > 1 {
			out += ","
		}
		out += `{"key": "k` + number(i) + `", "title": "T", "deps": ["k` + number(i-1) + `"]}`
	}
	return out
}

var writes = []statement{
	{
		name: "next",
		says: "POST /next (project, leaseMs optional): 200; object with task, claimed, skipped, selectedBy, routing, selectionReason, bundle",
		test: func(w *world) {
			w.plan(pair)
			w.serve().post("/v1/next", `{"project": "demo", "leaseMs": 60000}`).is(200).
				names("", "task", "claimed", "skipped", "selectedBy", "routing", "selectionReason", "bundle").has("claimed.leaseMs", "60000")
		},
	},
	{
		name: "next-needs-a-project",
		says: "POST /next: project (string)",
		test: func(w *world) {
			w.plan(pair)
			w.serve().post("/v1/next", `{}`).is(422).has("reason", "invalid").has("missing.0", "project.*")
		},
	},
	{
		name: "tasks",
		says: "POST /tasks (a task definition): 201 with the created task",
		test: func(w *world) {
			w.plan(pair)
			w.serve().post("/v1/tasks?project=demo", `{"key": "c", "title": "C", "deps": ["a"], "criteria": ["x"]}`).is(201).
				has("id", "demo-3").has("title", "C").has("deps.0", "demo-1").has("version", "1")
		},
	},
	{
		name: "transition",
		says: "POST /tasks/:id/transition (to, force optional, expectedVersion optional): object with task and from",
		test: func(w *world) {
			w.plan(pair)
			w.serve().post("/v1/tasks/demo-1/transition", `{"to": "in_review"}`).is(200).has("from", "open").has("task.status", "in_review")
		},
	},
	{
		name: "approve",
		says: "POST /tasks/:id/approve (kind, note, role optional): 201 with the approval record",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human", "roles": ["lead"]}]`)
			w.as("ann").plan(pair)
			s := w.as("ann").serve()
			s.post("/v1/tasks/demo-1/approve", `{"kind": "verification", "note": "seen", "role": "lead"}`).is(201).
				has("kind", "verification").has("actor", "ann").has("role", "lead").has("note", "seen")
			s.post("/v1/tasks/demo-1/approve", "").is(201).has("kind", "approval")
		},
	},
	{
		name: "claim",
		says: "POST /tasks/:id/claim (none): the claim row",
		test: func(w *world) {
			w.plan(pair)
			w.serve().post("/v1/tasks/demo-1/claim", "").is(200).has("task", "demo-1").has("actor", "claude").
				names("", "fence", "version", "claimedAt", "renewedAt", "expiresAt", "leaseMs")
		},
	},
	{
		name: "release",
		says: "POST /tasks/:id/release (none): the actor that held the claim, or null",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human"}]`)
			w.as("ann").plan(pair)
			s := w.as("ann").serve()
			for _, holder := range []string{"claude", "bob"} {
				w.as(holder).run("claim demo-1").is(0)
				s.post("/v1/tasks/demo-1/release", "").is(200).has("actor", holder) // who held it, whoever releases it
				w.run("show demo-1 --json").is(0).has("task.claim", "null").has("task.status", "open")
			}
			s.post("/v1/tasks/demo-1/release", "").is(200).has("actor", "null")
		},
	},
	{
		name: "notes",
		says: "POST /tasks/:id/notes (text): 201 with ok true",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			s.post("/v1/tasks/demo-1/notes", `{"text": "hello"}`).is(201).has("ok", "true")
			s.post("/v1/tasks/demo-1/notes", `{}`).is(422).has("missing.0", "text.*")
		},
	},
	{
		name: "evidence",
		says: "POST /tasks/:id/evidence (items: array of kind, value, note optional): 201 with ok true",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			s.post("/v1/tasks/demo-1/evidence", `{"items": [{"kind": "tests", "value": "ok"}, {"kind": "log", "value": "x", "note": "n"}]}`).is(201).has("ok",
				"true")
			w.run("show demo-1 --json").has("evidence.#", "2")
			s.post("/v1/tasks/demo-1/evidence", `{"items": [{"kind": "tests"}]}`).is(422).says("value")
		},
	},
	{
		name: "apply",
		says: "POST /apply (an apply document): 201 with what was created and updated",
		test: func(w *world) {
			w.plan(`{"key": "a", "title": "Old"}`)
			w.serve().post("/v1/apply", `{"project": "demo", "tasks": [`+pair+`]}`).is(201).
				has("created.0", `{"id":"demo-2","key":"b"}`).has("updated.0.id", "demo-1").has("updated.0.changes.title.to", "A")
		},
	},
	{
		name: "estate-seen",
		says: "POST /estate/seen (watermark): refused when watermark is absent",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			s.post("/v1/estate/seen", `{}`).is(422).has("missing.0", "watermark.*")
			mark := s.get("/v1/estate").text("watermark")
			s.post("/v1/estate/seen", `{"watermark": `+mark+`}`).is(200).has("watermark", mark)
		},
	},
}

var rulesOfWrites = []statement{
	{
		name: "task-is-null-when-the-frontier-is-empty",
		says: "POST /next: task is null when the frontier is empty.",
		test: func(w *world) {
			w.plan(`{"key": "a", "title": "A"}`)
			s := w.serve()
			s.post("/v1/next", `{"project": "demo"}`).is(200).has("task.id", "demo-1")
			s.post("/v1/next", `{"project": "demo"}`).is(200).has("task", "null").has("claimed", "null")
		},
	},
	{
		name: "skipped",
		says: "skipped lists passed-over tasks and the reasons (usually already claimed).",
		test: func(w *world) {
			w.plan(pair)
			w.as("bob").run("claim demo-1").is(0)
			w.serve().post("/v1/next", `{"project": "demo"}`).is(200).has("task.id", "demo-2").has("skipped.0.task", "demo-1").has("skipped.0.reason", ".*bob.*")
		},
	},
	{
		name: "selected-by-and-routing",
		says: "selectedBy names the project's selection policy; routing explains who may hold the task and what would change that.",
		test: func(w *world) {
			w.config(`"integrations": {"selection": ["due", "age"]}`)
			w.plan(pair)
			w.serve().post("/v1/next", `{"project": "demo"}`).is(200).has("selectedBy", `\["due","age"\]`).
				names("routing", "mayHold", "autonomy", "mayExecute", "preferredActor", "why", "whatWouldChange")
		},
	},
	{
		name: "lease-of-zero",
		says: "leaseMs 0 claims with no expiry; when omitted the default lease is two hours.",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			s.post("/v1/next", `{"project": "demo", "leaseMs": 0}`).is(200).has("claimed.expiresAt", "null").has("claimed.leaseMs", "0")
			s.post("/v1/next", `{"project": "demo"}`).is(200).has("claimed.leaseMs", "7200000")
		},
	},
	{
		name: "the-watermark",
		says: "The watermark for /estate/seen is the newest event the reader was shown, never the current time.",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			shown := s.get("/v1/events?task=demo-2&limit=1").text("0.id")
			s.get("/v1/estate").is(200).has("items.1.task", "demo-2").has("watermark", shown)
			s.post("/v1/estate/seen", `{"watermark": 1790000000000}`).is(422)
			s.post("/v1/estate/seen", `{"watermark": "2026-01-01T00:00:00Z"}`).is(422)
		},
	},
	{
		name: "equivalents-of-next",
		says: "The command line equivalents of POST /next are `tasker next --claim` and the tool `tasker_next` of the agent tool protocol.",
		test: func(w *world) {
			w.plan(pair)
			w.run("next --claim --json").is(0).has("task.id", "demo-1").has("claimed.actor", "claude")
			w.feed(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tasker_next","arguments":{"project":"demo"}}}
`, "mcp").is(0).says("demo-2")
			w.run("events --task demo-2 --kind task.claimed --json").is(0).has("#", "1")
		},
	},
	{
		name: "approve-by-the-server-process",
		says: "POST /tasks/:id/approve resolves the acting identity from the server process (TASKER_ACTOR), never from the request, and refuses any actor " +
			"that is not a human.",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human"}, {"name": "claude", "kind": "agent"}]`)
			w.as("ann").plan(pair)
			w.as("claude").serve().post("/v1/tasks/demo-1/approve", "").is(422).has("reason", "declined").says("human")
			s := w.as("ann").serve()
			s.post("/v1/tasks/demo-1/approve", "", "X-Actor: bob", "Tasker-Actor: bob").is(201).has("actor", "ann")
			r := s.post("/v1/tasks/demo-1/approve", `{"actor": "bob"}`).is(201).has("actor", "ann")
			if told := r.head.Get("Tasker-Warning"); !strings.Contains(told, "actor") {
				w.Errorf("an actor in the body is ignored, and the head says %q", told)
			}
		},
	},
}
