package spec

import (
	"strings"
	"testing"
)

// TestAStrangerFindsWhatTheSettingsSay is the stranger with a configuration: each row has a server of its own, which an agent's
// shell has started, and tries by HTTP alone what a key or a variable changes.
func TestAStrangerFindsWhatTheSettingsSay(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		file string   // members of .tasker.json
		env  []string // beside TASKER_ACTOR=bot
		test func(visit)
	}{
		{"a token", "", []string{"TASKER_TOKEN=secret"}, visit.token},
		{"an empty token", "", []string{"TASKER_TOKEN="}, visit.emptyToken},
		{"sessions", `"auth": {"mode": "session"}, ` + annAndBot, nil, visit.sessions},
		{"approvals", annAndBot + `, "execution": {"requireApproval": [{"role": "lead", "kind": "verification", "reason": "somebody must look"}]}`,
			[]string{"TASKER_ACTOR=ann"}, visit.approvalByRole},
		{"approvals of an agent", annAndBot + `, "execution": {"requireApproval": [{"actor": "ann", "reason": "ask her first"}]}`, nil, visit.approvalWanted},
		{"reviews of a gate", annAndBot + `, "gates": {"ship": []}, "execution": {"reviewPolicy": {"ship": [{"role": "lead", "reason": "shipping is for leads"}]}}`,
			[]string{"TASKER_ACTOR=ann"}, visit.reviewOfAGate},
		{"a note at the end", `"agentDefaults": {"requireNoteOnDone": true}`, nil, visit.noteOnDone},
		{"selection", `"integrations": {"selection": ["due", "priority"]}`, nil, visit.selection},
		{"people alone", `"execution": {"defaultAutonomy": "human_only"}`, nil, visit.peopleAlone},
		{"a ceiling", `"actors": [{"name": "bot", "kind": "agent", "autonomy": "human_only"}]`, nil, visit.peopleAlone},
		{"who may", `"execution": {"mayExecute": ["smith"]}, "actors": [{"name": "bot", "kind": "agent", "capabilities": ["cook"]}]`, nil, visit.mayNot},
		{"who may by a capability", `"execution": {"mayExecute": ["smith", "cook"]}, "actors": [{"name": "bot", "kind": "agent", "capabilities": ["cook"]}]`, nil, visit.may},
		{"a lease of the file", `"agentDefaults": {"lease": "30m"}`, nil, leaseIs("1800000")},
		{"a lease of the environment", `"agentDefaults": {"lease": "30m"}`, []string{"TASKER_LEASE=1d"}, leaseIs("86400000")},
		{"a lease without an end", `"agentDefaults": {"lease": "0"}`, nil, leaseIs("0")},
		{"a budget of the file", `"context": {"bundleBudget": 900}, "agentDefaults": {"budget": 800}`, nil, budgetIs("800")},
		{"a budget of the environment", `"context": {"bundleBudget": 900}, "agentDefaults": {"budget": 800}`, []string{"TASKER_BUDGET=700"}, budgetIs("700")},
		{"gates of the file", `"gates": {"ship": ["tests"]}`, nil, visit.gateOfTheFile},
		{"the actor of the defaults", `"agentDefaults": {"actor": "bot"}, "actors": [{"name": "bot", "kind": "agent"}]`, []string{"TASKER_ACTOR"}, visit.actsAsBot},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t).with("CLAUDECODE=1", "AI_AGENT=1").as("bot").with(row.env...)
			w.config(row.file)
			row.test(visit{server: w.serve()})
		})
	}
}

const annAndBot = `"actors": [{"name": "ann", "kind": "human", "roles": ["lead"]}, {"name": "bot", "kind": "agent"}]`

func (v visit) token() {
	const right = "Authorization: Bearer secret"
	v.post("/v1/apply", `{"project": "demo", "tasks": [`+pair+`]}`, right).answers(201)
	for route, body := range map[string]string{
		"next": `{"project": "demo"}`, "tasks": `{"project": "demo", "key": "c", "title": "C"}`, "apply": `{"project": "demo", "tasks": [{"key": "c", "title": "C"}]}`,
		"tasks/demo-1/transition": `{"to": "done"}`, "tasks/demo-1/approve": "", "tasks/demo-1/claim": "", "tasks/demo-1/release": "", "tasks/nosuch/claim": "",
		"tasks/demo-1/notes": `{"text": "x"}`, "tasks/demo-1/evidence": `{"items": [{"kind": "k", "value": "v"}]}`, "estate/seen": `{"watermark": 1}`,
	} {
		for _, headers := range [][]string{nil, {"Authorization: Bearer wrong"}, {"Authorization: Bearer "}, {"Authorization: secret"}, {"Authorization: Basic c2VjcmV0"}} {
			v.post("/v1/"+route, body, headers...).answers(401).has("", `\{"error":"unauthorized","message":"[^"]+"\}`)
		}
	}
	for _, path := range []string{"/", "/v1/version", "/v1/projects", "/v1/projects/demo/board", "/v1/next?project=demo", "/v1/tasks/demo-1", "/v1/events", "/v1/prime"} {
		v.get(path).answers(200)
		v.get(path, "Authorization: Bearer wrong").answers(200)
	}
	v.get("/v1/tasks/demo-1").has("task.status", "open").has("task.version", "1").has("notes.#", "0")
	v.post("/v1/tasks/demo-1/claim", "", right).answers(200).has("actor", "bot")
	v.post("/v1/tasks/demo-9/claim", "", right).refused(404)
}

func (v visit) emptyToken() {
	v.apply("demo", pair)
	v.post("/v1/tasks/demo-1/claim", "").answers(200)
}

func (v visit) sessions() {
	for _, path := range []string{"/v1/version", "/v1/projects", "/v1/projects/demo/board", "/v1/events"} {
		v.get(path).answers(401).has("", `\{"error":"unauthorized","message":"[^"]+"\}`)
		v.get(path, "Authorization: Bearer nobody").answers(401)
	}
	v.post("/v1/apply", `{"project": "demo", "tasks": [`+pair+`]}`).answers(401)
	made := "Authorization: Bearer " + v.w.as("ann").run("session create --actor bot --json").is(0).text("token")
	v.post("/v1/apply", `{"project": "demo", "tasks": [`+pair+`]}`, made).answers(201)
	v.post("/v1/tasks/demo-1/claim", "", made).answers(200).has("actor", "bot")
	v.get("/v1/projects/demo/board", made).answers(200)
}

func (v visit) approvalByRole() {
	v.apply("demo", pair)
	v.move("demo-1", `"to": "done"`).refused(422).says("somebody must look")
	v.move("demo-1", `"to": "done", "force": true`).refused(422).says("somebody must look")
	v.post("/v1/tasks/demo-1/approve", "").answers(201) // of another kind
	v.move("demo-1", `"to": "done"`).refused(422).says("somebody must look")
	v.post("/v1/tasks/demo-1/approve", `{"kind": "verification", "role": "lead", "note": "seen"}`).answers(201).has("role", "lead").has("note", "seen")
	v.move("demo-1", `"to": "done"`).answers(200)
	v.post("/v1/tasks/demo-2/approve", `{"role": "baker"}`).refused(422)
}

func (v visit) approvalWanted() {
	v.apply("demo", pair)
	v.post("/v1/next", `{"project": "demo"}`).answers(200)
	v.move("demo-1", `"to": "done"`).refused(422).says("ask her first").has("error", "refusal")
	v.post("/v1/tasks/demo-1/approve", "").refused(422).says("human")
	v.get("/v1/projects/demo/inbox?actor=ann").answers(200).has("total", "1").has("items.0.kind", "approval_requested").has("items.0.task", "demo-1")
	v.get("/v1/tasks/demo-1").has("task.status", "in_progress")
}

func (v visit) reviewOfAGate() {
	v.apply("demo", `{"key": "a", "title": "A", "gate": "ship"}, {"key": "b", "title": "B"}`)
	v.move("demo-2", `"to": "done"`).answers(200)
	v.move("demo-1", `"to": "done"`).refused(422).says("shipping is for leads")
	v.post("/v1/tasks/demo-1/approve", `{}`).answers(201)
	v.move("demo-1", `"to": "done"`).answers(200)
}

func (v visit) noteOnDone() {
	v.apply("demo", pair)
	v.move("demo-1", `"to": "done"`).refused(422).says("note")
	v.post("/v1/tasks/demo-1/notes", `{"text": "it works"}`).answers(201)
	v.move("demo-1", `"to": "done"`).answers(200)
}

func (v visit) selection() {
	v.apply("demo", `{"key": "a", "title": "A", "priority": 0}, {"key": "b", "title": "B", "due": "2031-01-01"}, {"key": "c", "title": "C", "due": "2030-01-01", "priority": 3}`)
	v.get("/v1/projects/demo/ready").answers(200).each("tasks", "id", "demo-3", "demo-2", "demo-1")
	v.get("/v1/next?project=demo").answers(200).has("task.id", "demo-3")
	v.post("/v1/next", `{"project": "demo"}`).answers(200).has("task.id", "demo-3").has("selectedBy", `\["due","priority"\]`)
}

func (v visit) peopleAlone() {
	v.apply("demo", `{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
	v.post("/v1/next", `{"project": "demo"}`).answers(200).has("task", "null").has("claimed", "null").has("skipped.#", "2")
	v.post("/v1/tasks/demo-1/claim", "").refused(422).says("human")
	v.get("/v1/tasks/demo-1").has("task.claim", "null")
}

func (v visit) mayNot() {
	v.apply("demo", pair)
	v.post("/v1/tasks/demo-1/claim", "").refused(422).says("smith")
	v.post("/v1/next", `{"project": "demo"}`).answers(200).has("task", "null")
}

func (v visit) may() {
	v.apply("demo", pair)
	v.post("/v1/next", `{"project": "demo"}`).answers(200).has("task.id", "demo-1")
}

func leaseIs(ms string) func(visit) {
	return func(v visit) {
		v.apply("demo", pair)
		v.post("/v1/next", `{"project": "demo"}`).answers(200).has("claimed.leaseMs", ms)
		v.post("/v1/tasks/demo-2/claim", "").answers(200).has("leaseMs", ms)
		v.post("/v1/tasks/demo-2/release", "").answers(200)
		v.post("/v1/next", `{"project": "demo", "leaseMs": 5000}`).answers(200).has("claimed.leaseMs", "5000")
	}
}

func budgetIs(tokens string) func(visit) {
	return func(v visit) {
		v.apply("demo", pair)
		v.post("/v1/tasks/demo-1/notes", `{"text": "`+strings.Repeat("word ", 2000)+`"}`).answers(201)
		v.get("/v1/tasks/demo-1").answers(200).has("budget.limit", tokens).has("budget.omitted.#", "[1-9]")
		v.get("/v1/next?project=demo").answers(200).has("bundle.budget.limit", tokens)
	}
}

func (v visit) gateOfTheFile() {
	v.apply("demo", `{"key": "a", "title": "A", "gate": "ship"}`)
	v.move("demo-1", `"to": "done"`).refused(422).says("tests")
	v.post("/v1/tasks/demo-1/evidence", `{"items": [{"kind": "tests", "value": "ok"}]}`).answers(201)
	v.move("demo-1", `"to": "done"`).answers(200)
}

func (v visit) actsAsBot() {
	v.apply("demo", pair)
	v.post("/v1/tasks/demo-1/claim", "").answers(200).has("actor", "bot")
}
