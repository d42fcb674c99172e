package spec

const withCriteria = `{"key": "a", "title": "A", "criteria": ["it builds", "it runs"]}`

var states = []statement{
	{
		name: "statuses",
		says: "Task statuses: open, in_progress, in_review, done, cancelled.",
		test: func(w *world) {
			w.plan(pair)
			for _, to := range []string{"in_progress", "in_review", "done", "cancelled", "open"} {
				w.run("move demo-1 "+to+" --json").is(0).has("task.status", to)
			}
			w.run("move demo-1 blocked").is(2).says("in_progress")
		},
	},
	{
		name: "unchecked-criteria",
		says: "transition to done with unchecked criteria and no force: unchanged; refusal 422 whose missing array lists each unchecked criterion",
		test: func(w *world) {
			w.plan(withCriteria)
			w.serve().post("/v1/tasks/demo-1/transition", `{"to": "done"}`).is(422).has("missing", `\["criterion 1: it builds","criterion 2: it runs"\]`)
			w.run("show demo-1 --json").has("task.status", "open")
		},
	},
	{
		name: "forced",
		says: "the same with force set: done; the override is logged",
		test: func(w *world) {
			w.plan(withCriteria)
			w.serve().post("/v1/tasks/demo-1/transition", `{"to": "done", "force": true}`).is(200).has("task.status", "done").has("from", "open")
			w.run("events --kind override.forced --json").is(0).has("#", "1").has("0.task", "demo-1").says("criterion 1")
		},
	},
	{
		name: "note-on-done",
		says: "transition to done where agentDefaults.requireNoteOnDone is true and the task has no note: unchanged; refused",
		test: func(w *world) {
			w.config(`"agentDefaults": {"requireNoteOnDone": true}`)
			w.plan(pair)
			w.run("done demo-1 --json").is(3).has("error", "refusal").has("missing.0", "note.*")
			w.run("show demo-1 --json").has("task.status", "open")
			w.run("note demo-1 'it is done'").is(0)
			w.run("done demo-1").is(0)
		},
	},
	{
		name: "required-approvals",
		says: "transition to done where required approvals (execution.requireApproval) are not collected: unchanged; refused; the reason text of the " +
			"requirement " +
			"appears in the refusal",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human", "roles": ["lead"]}], ` +
				`"execution": {"requireApproval": [{"role": "lead", "reason": "two pairs of eyes"}]}`)
			w.as("ann").plan(pair)
			w.run("done demo-1 --json").is(3).has("missing.0", "approval by lead: two pairs of eyes")
			w.as("ann").run("approve demo-1").is(0)
			w.run("done demo-1").is(0)
		},
	},
	{
		name: "review-policy-of-the-gate",
		says: "the same for execution.reviewPolicy for the task's gate",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human"}], "execution": {"reviewPolicy": {"ship": [{"actor": "ann", "reason": "it ships"}]}}`)
			w.as("ann").plan(`{"key": "a", "title": "A", "gate": "ship"}, {"key": "b", "title": "B"}`)
			w.run("done demo-1 --json").is(3).has("missing.0", "approval by ann: it ships")
			w.run("done demo-2").is(0)
			w.as("ann").run("approve demo-1").is(0)
			w.run("done demo-1").is(0)
		},
	},
	{
		name: "expected-version",
		says: "transition with expectedVersion that no longer matches: unchanged; 409 conflict",
		test: func(w *world) {
			w.plan(pair)
			s := w.serve()
			s.post("/v1/tasks/demo-1/transition", `{"to": "in_review", "expectedVersion": 1}`).is(200)
			s.post("/v1/tasks/demo-1/transition", `{"to": "done", "expectedVersion": 1}`).is(409).has("error", "conflict")
			w.run("show demo-1 --json").has("task.status", "in_review")
		},
	},
	{
		name: "ready-frontier",
		says: "Ready frontier rule: a task with dependencies is on the ready frontier only after every dependency is closed.",
		test: func(w *world) {
			w.plan(pair + `, {"key": "c", "title": "C", "deps": ["a", "b"]}`)
			w.run("done demo-1").is(0)
			w.run("ready --json").has("tasks.#", "1").has("tasks.0.id", "demo-2")
			w.run("cancel demo-2").is(0)
			w.run("ready --json").has("tasks.#", "1").has("tasks.0.id", "demo-3")
		},
	},
	{
		name: "human-only-is-never-claimed-by-agents",
		says: "A task with autonomy human_only is never claimed by agents.",
		test: func(w *world) {
			w.config(`"actors": [{"name": "ann", "kind": "human"}]`)
			w.as("ann").plan(`{"key": "a", "title": "A", "autonomy": "human_only"}`)
			s := w.serve()
			s.post("/v1/tasks/demo-1/claim", "").is(422).has("reason", "declined")
			s.post("/v1/next", `{"project": "demo"}`).is(200).has("task", "null")
			w.as("ann").run("claim demo-1").is(0)
		},
	},
}
