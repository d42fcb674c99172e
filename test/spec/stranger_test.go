package spec

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The stranger has the specification and nothing else: what is checked here stands in it, or follows from it for anybody who
// writes a client, whoever the server acts as and in whatever shell it was started. One server answers all topics of a row.

// surroundings are where the stranger starts the server.
type surroundings struct {
	name  string
	file  string // members of .tasker.json beside version and project; "-" for no file
	actor string // TASKER_ACTOR; "" leaves it unset
	human bool   // whether the server acts as a human then
}

var placesOfAStranger = []surroundings{
	{name: "no file", file: "-"},
	{name: "no file, an undeclared actor", file: "-", actor: "mallory"},
	{name: "minimal file"},
	{name: "minimal file, an undeclared actor", actor: "mallory"},
	{name: "a declared human by default", file: oneHuman, human: true},
	{name: "a declared human, an undeclared actor", file: oneHuman, actor: "mallory"},
	{name: "a declared human who is named", file: oneHuman, actor: "ann", human: true},
	{name: "a declared agent by default", file: oneAgent},
	{name: "a declared agent, an undeclared actor", file: oneAgent, actor: "mallory"},
	{name: "a declared agent that is named", file: oneAgent, actor: "bot"},
}

const (
	oneHuman = `"actors": [{"name": "ann", "kind": "human", "default": true}]`
	oneAgent = `"actors": [{"name": "bot", "kind": "agent", "default": true}]`
)

// visit is a stranger at a server, in a topic of the test.
type visit struct {
	*server
	at surroundings
}

func TestAStrangerFindsWhatTheSpecificationSays(t *testing.T) {
	t.Parallel()
	topics := []struct {
		name string
		test func(visit)
	}{
		{"versions", visit.versions}, {"documents", visit.documents}, {"faulty documents", visit.faultyDocuments}, {"frontier", visit.frontier},
		{"claims", visit.claims}, {"callers", visit.callers}, {"completion", visit.completion}, {"gates", visit.gates}, {"versions of a task", visit.conflicts},
		{"approvals", visit.approvals}, {"notes and evidence", visit.records}, {"events", visit.events}, {"search", visit.search}, {"graph", visit.graph},
		{"estate", visit.estate}, {"views", visit.views}, {"what is not there", visit.absent}, {"routing", visit.routing}, {"bodies", visit.bodies},
		{"commands", visit.commands},
	}
	for i, at := range placesOfAStranger {
		for j, shell := range []string{"a person's shell", "an agent's shell"} {
			if os.Getenv("TASKER_TEST_LONG") == "" && !at.human && (i+j)%2 == 1 {
				continue // the shell can change most for a person: there both are tried, elsewhere they take turns
			}
			t.Run(at.name+"/"+shell, func(t *testing.T) {
				t.Parallel()
				w := begin(t).with("TASKER_ACTOR")
				if at.actor != "" {
					w = w.as(at.actor)
				}
				if at.file != "-" {
					w.config(at.file)
				}
				if shell == "an agent's shell" {
					w = w.with("CLAUDECODE=1", "AI_AGENT=1", "CODEX_CI=1")
				}
				s := w.serve()
				for _, topic := range topics {
					t.Run(topic.name, func(t *testing.T) {
						here, there := *w, *s
						here.T, there.w = t, &here
						topic.test(visit{&there, at})
					})
				}
			})
		}
	}
}

// answers checks the status, and goes on where it is another.
func (r reply) answers(code int) reply {
	r.t.Helper()
	if r.code != code {
		r.t.Errorf("%s was answered with %d, want %d: %s", r.what, r.code, code, r.out)
	}
	return r
}

// refused checks the shape of a refusal.
func (r reply) refused(code int) reply {
	r.t.Helper()
	return r.answers(code).has("error", "[a-z_]+").has("message", ".+").has("missing", `\[("([^"\\]|\\.)*",?)*\]`).names("", "hint")
}

// apply applies a document of a project.
func (v visit) apply(project, tasks string) reply {
	v.w.Helper()
	return v.post("/v1/apply", `{"project": "`+project+`", "tasks": [`+tasks+`]}`).answers(201)
}

// move asks for a transition.
func (v visit) move(id, members string) reply {
	v.w.Helper()
	return v.post("/v1/tasks/"+id+"/transition", "{"+members+"}")
}

func (v visit) versions() {
	v.get("/v1/version").answers(200).has("", `\{"configVersion":1,"schemaVersion":\d+,"version":"\d+\.\d+\.\d+[^"]*"\}`)
	v.get("/v1/projects").answers(200).has("", `\[.*\]`)
	if page := v.get("/").answers(200); !strings.HasPrefix(page.err, "text/html") {
		v.w.Errorf("the web view is %s", page.err)
	}
}

func (v visit) documents() {
	const document = `{"project": "docs", "name": "Documents", "vision": "All of it", "gates": {"ship": ["tests"]}, "tasks": [
		{"key": "epic", "title": "Epic"},
		{"key": "a", "title": "A", "body": "text", "parent": "epic", "priority": 0, "severity": 1, "due": "2030-01-31", "gate": "ship", "autonomy": "supervised",
		 "preferredActor": "bot", "mayExecute": [], "touches": ["src/**"], "criteria": ["one", "two"], "status": "open",
		 "links": [{"kind": "doc", "ref": "README.md"}, {"kind": "url", "ref": "https://example.org/", "note": "see"}, {"kind": "file", "ref": "a.go"}],
		 "evidence": [{"kind": "log", "value": "x", "note": "n"}]},
		{"key": "b", "title": "B", "deps": ["a", "later"]}, {"key": "later", "title": "Later"}]}`
	v.post("/v1/apply", document).answers(201).each("created", "key", "epic", "a", "b", "later").has("updated.#", "0")
	v.get("/v1/projects").says(`"slug":"docs"`)
	a := v.get("/v1/tasks/docs-2").answers(200)
	a.has("task.title", "A").has("task.parent", "docs-1").has("task.priority", "0").has("task.severity", "1").has("task.gate", "ship").has("task.autonomy", "supervised")
	a.each("task.criteria", "text", "one", "two").each("task.criteria", "checked", "false", "false").each("links", "kind", "doc", "url", "file").each("evidence", "value", "x")
	v.get("/v1/tasks/docs-3").has("task.deps", `\["docs-2","docs-4"\]`)
	version := a.text("task.version")
	v.post("/v1/apply", document).answers(201).has("created.#", "0").has("updated.#", "0")
	v.get("/v1/tasks/docs-2").has("task.version", version).has("evidence.#", "1")
	v.post("/v1/apply", strings.Replace(document, `"title": "A"`, `"title": "Another"`, 1)).answers(201).each("updated", "key", "a")
	v.get("/v1/tasks/docs-2").has("task.title", "Another")
	v.get("/v1/projects/docs/board").answers(200).says("Another").says("Later")
	v.post("/v1/tasks", `{"project": "docs", "key": "c", "title": "C", "deps": ["a"], "criteria": ["x"]}`).answers(201).has("id", "docs-5").has("status", "open")
	v.post("/v1/tasks?project=docs", `{"key": "d", "title": "D", "parent": "epic"}`).answers(201).has("parent", "docs-1")
}

func (v visit) faultyDocuments() {
	const fine = `{"key": "fine", "title": "Fine"}`
	for _, task := range []string{
		`{"key": "b", "title": "B", "colour": "red"}`, `{"title": "B"}`, `{"key": "b"}`, `{"key": "", "title": "B"}`, `{"key": "b", "title": ""}`,
		`{"key": "b", "title": "B", "priority": 4}`, `{"key": "b", "title": "B", "priority": -1}`, `{"key": "b", "title": "B", "priority": 1.5}`,
		`{"key": "b", "title": "B", "priority": "1"}`, `{"key": "b", "title": "B", "severity": 0}`, `{"key": "b", "title": "B", "severity": 5}`,
		`{"key": "b", "title": "B", "autonomy": "free"}`, `{"key": "b", "title": "B", "status": "blocked"}`, `{"key": "b", "title": "B", "deps": ["nosuch"]}`,
		`{"key": "b", "title": "B", "parent": "nosuch"}`, `{"key": "b", "title": "B", "deps": "fine"}`, `{"key": "b", "title": "B", "criteria": "x"}`,
		`{"key": "b", "title": "B", "due": "tomorrow"}`, `{"key": "b", "title": "B", "links": [{"kind": "book", "ref": "x"}]}`,
		`{"key": "b", "title": "B", "links": [{"kind": "url", "ref": ""}]}`, `{"key": "b", "title": "B", "links": [{"kind": "url"}]}`,
		`{"key": "b", "title": "B", "links": [{"kind": "url", "ref": "x", "colour": "red"}]}`, `{"key": "b", "title": "B", "evidence": [{"kind": "k"}]}`,
		`{"key": "b", "title": "B", "evidence": [{"value": "v"}]}`, `{"key": "b", "title": "B", "evidence": [{"kind": "k", "value": "v", "colour": "red"}]}`,
		`{"key": "b", "title": "B", "deps": ["b"]}`, `{"key": "fine", "title": "Again"}`,
	} {
		v.post("/v1/apply", `{"project": "faulty", "tasks": [`+fine+`, `+task+`]}`).refused(422).says(`tasks\[1\]`)
	}
	for _, document := range []string{
		``, `{}`, `[]`, `{`, `{"project": "faulty"}`, `{"project": "faulty", "tasks": []}`, `{"project": "", "tasks": [` + fine + `]}`, `{"tasks": [` + fine + `]}`,
		`{"project": "faulty", "tasks": [` + fine + `], "colour": "red"}`, `{"project": "faulty", "tasks": [` + fine + `], "gates": {"g": "tests"}}`,
		`{"project": 1, "tasks": [` + fine + `]}`,
	} {
		v.post("/v1/apply", document).refused(422)
	}
	v.get("/v1/projects/faulty/board").refused(404)
	v.get("/v1/projects").hides("faulty")
}

func (v visit) frontier() {
	v.apply("front", `{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C", "deps": ["a", "b"]}`)
	v.get("/v1/projects/front/ready").answers(200).each("tasks", "id", "front-1")
	preview := v.get("/v1/next?project=front").answers(200).has("task.id", "front-1").has("bundle.task.id", "front-1")
	if again := v.get("/v1/next?project=front"); again.out != preview.out {
		v.w.Errorf("asked again the preview is\n%s\nand was\n%s", again.out, preview.out)
	}
	v.get("/v1/tasks/front-1").has("task.claim", "null").has("task.status", "open")
	v.post("/v1/tasks/front-2/claim", "").refused(422)
	v.move("front-1", `"to": "done"`).answers(200).has("task.id", "front-1").has("task.status", "done").has("from", "open")
	v.get("/v1/projects/front/ready").each("tasks", "id", "front-2")
	v.move("front-2", `"to": "done"`).answers(200)
	v.get("/v1/projects/front/ready").each("tasks", "id", "front-3")
	v.move("front-3", `"to": "in_progress"`).answers(200).has("task.status", "in_progress")
	v.move("front-3", `"to": "in_review"`).answers(200).has("from", "in_progress")
	v.move("front-3", `"to": "done"`).answers(200).has("from", "in_review")
	v.get("/v1/next?project=front").answers(200).has("task", "null")
	v.post("/v1/next", `{"project": "front"}`).answers(200).has("task", "null").names("", "claimed", "skipped", "selectedBy", "routing", "selectionReason", "bundle")
	v.get("/v1/next").refused(422)
	v.post("/v1/next", `{}`).refused(422)
	v.post("/v1/next", ``).refused(422)
	v.get("/v1/next?project=nosuch").refused(404)
	v.post("/v1/next", `{"project": "nosuch"}`).refused(404)
	for _, to := range []string{`"to": "blocked"`, `"to": 1`, ``, `"to": "done", "colour": "red"`} {
		v.move("front-3", to).refused(422)
	}
	v.apply("front", `{"key": "d", "title": "D"}`)
	v.move("front-4", `"to": "cancelled"`).answers(200).has("task.status", "cancelled")
	v.move("front-4", `"to": "open"`).answers(200).has("task.status", "open").has("from", "cancelled")
}

func (v visit) claims() {
	v.apply("hold", many(6, `{"key": "k%d", "title": "T"}`))
	v.post("/v1/next", `{"project": "hold", "leaseMs": 0}`).answers(200).has("task.id", "hold-1").has("claimed.expiresAt", "null").has("bundle.task.id", "hold-1").
		has("selectionReason", ".+").has("routing", `\{.+\}`).has("selectedBy", `\["severity",.*\]`).has("task.status", "in_progress")
	v.post("/v1/next", `{"project": "hold"}`).answers(200).has("task.id", "hold-2").has("claimed.leaseMs", "7200000").has("skipped.0.task", "hold-1").has("skipped.0.reason", ".+")
	v.post("/v1/next", `{"project": "hold", "leaseMs": 60000}`).answers(200).has("task.id", "hold-3").has("claimed.leaseMs", "60000")
	for _, lease := range []string{"-1", `"2h"`, "1.5", "true"} {
		v.post("/v1/next", `{"project": "hold", "leaseMs": `+lease+`}`).refused(422)
	}
	claim := v.post("/v1/tasks/hold-4/claim", "").answers(200).has("task", "hold-4").has("leaseMs", "7200000")
	v.post("/v1/tasks/hold-4/claim", "{}").refused(422)
	v.get("/v1/tasks/hold-4").has("task.claim.actor", claim.text("actor"))
	v.post("/v1/tasks/hold-4/release", "").answers(200).has("actor", claim.text("actor"))
	v.post("/v1/tasks/hold-4/release", "{}").answers(200).has("actor", "null")
	v.get("/v1/tasks/hold-4").has("task.claim", "null").has("task.status", "open")
	v.post("/v1/tasks/hold-4/claim", "{}").answers(200)
	v.get("/v1/projects/hold/ready").each("tasks", "id", "hold-5", "hold-6")

	v.post("/v1/next", `{"project": "hold", "leaseMs": 1}`).answers(200).has("task.id", "hold-5") // and its lease ends at once
	for range 500 {
		if v.get("/v1/tasks/hold-5").text("task.claim") == "null" {
			break
		}
	}
	v.post("/v1/next", `{"project": "hold"}`).answers(200).has("task.id", "hold-5")
	v.move("hold-5", `"to": "done"`).answers(200).has("task.claim", "null")
}

func (v visit) callers() {
	v.apply("crowd", many(120, `{"key": "k%d", "title": "T"}`)).has("created.#", "120")
	v.get("/v1/projects/crowd/ready").answers(200).has("tasks.#", "120")
	v.get("/v1/projects/crowd/board").answers(200).has("columns.0.tasks.#", "120")
	v.get("/v1/projects/crowd/work").answers(200).has("frontier.#", "120")
	var all sync.WaitGroup
	got := make([]reply, 16)
	for i := range got {
		all.Go(func() { got[i] = v.post("/v1/next", `{"project": "crowd"}`) })
	}
	all.Wait()
	seen := map[string]bool{}
	for _, r := range got {
		id := r.answers(200).text("task.id")
		if seen[id] {
			v.w.Errorf("%s was handed out twice", id)
		}
		seen[id] = true
	}
	v.get("/v1/projects/crowd/ready").has("tasks.#", "104")
}

func (v visit) completion() {
	v.apply("end", `{"key": "a", "title": "A", "criteria": ["it builds", "it runs"]}, {"key": "b", "title": "B", "criteria": ["one"]}`)
	r := v.move("end-1", `"to": "done"`).refused(422).has("error", "refusal").has("missing", `\["criterion 1: it builds","criterion 2: it runs"\]`)
	r.has("message", ".*cannot complete because of 2 unchecked criteria.*").has("hint", "(?i).*tick.*").has("hint", "(?i).*force.*").has("hint", "(?i).*logged.*")
	v.move("end-1", `"to": "done", "force": false`).refused(422)
	v.get("/v1/tasks/end-1").has("task.status", "open")
	v.move("end-2", `"to": "done"`).refused(422).has("missing", `\["criterion 1: one"\]`)
	v.move("end-1", `"to": "done", "force": true`).answers(200).has("task.status", "done").has("from", "open")
	v.get("/v1/events?task=end-1").answers(200).says("override").says("it builds")
	v.post("/v1/tasks/end-2/claim", "").answers(200)
	v.post("/v1/tasks/end-2/criteria", `{"index": 1, "checked": true}`).answers(200) // the one thing here that is not in the specification
	v.move("end-2", `"to": "done"`).answers(200).has("from", "in_progress")
}

func (v visit) gates() {
	v.post("/v1/apply", `{"project": "gate", "gates": {"ship": ["tests", "review"]}, "tasks": [{"key": "a", "title": "A", "gate": "ship"}]}`).answers(201)
	v.move("gate-1", `"to": "done"`).refused(422).says("tests").says("review")
	v.post("/v1/tasks/gate-1/evidence", `{"items": [{"kind": "tests", "value": "all pass"}]}`).answers(201)
	v.move("gate-1", `"to": "done"`).refused(422).has("missing.#", "1").says("review")
	v.post("/v1/tasks/gate-1/evidence", `{"items": [{"kind": "review", "value": "fine", "note": "by me"}]}`).answers(201)
	v.move("gate-1", `"to": "done"`).answers(200)
	v.get("/v1/projects/gate/proof").answers(200).each("closed", "task", "gate-1").says("all pass")
}

func (v visit) conflicts() {
	v.apply("version", `{"key": "a", "title": "A"}, {"key": "b", "title": "B", "criteria": ["x"]}`)
	n := v.get("/v1/tasks/version-1").number("task.version")
	v.move("version-1", `"to": "done", "expectedVersion": `+strconv.Itoa(n+1)).refused(409).has("error", "conflict")
	v.get("/v1/tasks/version-1").has("task.status", "open")
	v.move("version-1", `"to": "in_review", "expectedVersion": `+strconv.Itoa(n)).answers(200)
	v.move("version-1", `"to": "done", "expectedVersion": `+strconv.Itoa(n)).refused(409)
	v.move("version-2", `"to": "done", "force": true, "expectedVersion": 99`).refused(409)
	v.move("version-2", `"to": "done", "expectedVersion": "x"`).refused(422)
	v.apply("version", `{"key": "c", "title": "C"}`)
	var all sync.WaitGroup
	got := make([]int, 8)
	for i := range got {
		all.Go(func() { got[i] = v.move("version-3", `"to": "in_review", "expectedVersion": 1`).code })
	}
	all.Wait()
	won := 0
	for _, code := range got {
		if code == 200 {
			won++
		} else if code != 409 {
			v.w.Errorf("of eight with one version, one was answered with %d", code)
		}
	}
	if won != 1 {
		v.w.Errorf("of eight with one version, %d moved the task", won)
	}
}

func (v visit) approvals() {
	v.apply("judge", `{"key": "a", "title": "A"}`)
	for _, body := range []string{``, `{}`, `{"kind": "verification", "note": "seen"}`, `{"kind": "approval"}`, `{"actor": "ann"}`} {
		r := v.post("/v1/tasks/judge-1/approve", body, "X-Actor: ann", "Tasker-Actor: ann")
		if v.at.human {
			r.answers(201).has("actor", "ann").has("task", "judge-1").has("kind", "approval|verification")
			continue
		}
		r.refused(422)
	}
	v.post("/v1/tasks/judge-1/approve", `{"kind": "blessing"}`).refused(422)
	v.post("/v1/tasks/judge-9/approve", ``).refused(404)
}

func (v visit) records() {
	v.apply("record", `{"key": "a", "title": "A"}`)
	v.post("/v1/tasks/record-1/notes", `{"text": "hello"}`).answers(201).has("ok", "true")
	v.post("/v1/tasks/record-1/evidence", `{"items": [{"kind": "tests", "value": "ok"}, {"kind": "log", "value": "x", "note": "n"}]}`).answers(201).has("ok", "true")
	for _, body := range []string{``, `{}`, `{"text": 1}`, `{"text": "x", "colour": "red"}`, `{"text": ""}`} {
		v.post("/v1/tasks/record-1/notes", body).refused(422)
	}
	for _, body := range []string{``, `{}`, `{"items": "x"}`, `{"items": [{"kind": "k"}]}`, `{"items": [{"value": "v"}]}`, `{"items": [{"kind": "k", "value": "v", "colour": 1}]}`} {
		v.post("/v1/tasks/record-1/evidence", body).refused(422)
	}
	v.get("/v1/tasks/record-1").each("notes", "text", "hello").each("evidence", "kind", "tests", "log")
	v.post("/v1/tasks/record-9/notes", `{"text": "x"}`).refused(404)
	v.post("/v1/tasks/record-9/evidence", `{"items": [{"kind": "k", "value": "v"}]}`).refused(404)
}

// eventID finds the ids of the events in an answer.
var eventID = regexp.MustCompile(`\{"id":(\d+),"at":`)

func (v visit) events() {
	v.apply("log", many(5, `{"key": "k%d", "title": "T"}`))
	v.post("/v1/tasks/log-1/claim", "").answers(200)
	v.get("/v1/events?project=log").answers(200).hides(`"payload":"`)
	v.get("/v1/events?task=log-1").answers(200).has("#", "[2-9]").hides("log-2")
	v.get("/v1/events?project=log&limit=2").answers(200).has("#", "2")
	all := v.get("/v1/events?limit=1000").answers(200).number("#")
	last, seen := 0, 0
	for {
		page := v.get("/v1/events?limit=500&since_id=" + strconv.Itoa(last)).answers(200)
		ids := eventID.FindAllStringSubmatch(page.out, -1)
		if len(ids) == 0 {
			break
		}
		for _, match := range ids {
			id, err := strconv.Atoi(match[1])
			if err != nil || id <= last {
				v.w.Errorf("event %s comes after %d", match[1], last)
			}
			last = id
			seen++
		}
	}
	if seen != all {
		v.w.Errorf("paging sees %d events of %d", seen, all)
	}
	for _, since := range []string{"2000-01-01T00:00:00Z", "2000-01-01T00:00:00.000Z", "2000-01-01T00:00:00%2B01:00", "2000-01-01", "946684800", "946684800000"} {
		v.get("/v1/events?project=log&limit=2&since="+since).answers(200).has("#", "2")
	}
	v.get("/v1/events?since=2999-01-01T00:00:00Z").answers(200).has("#", "0")
	v.get("/v1/events?task=log-99").refused(404)
	v.get("/v1/events?project=nosuch").refused(404)
}

func (v visit) search() {
	v.apply("find", `{"key": "a", "title": "Quagga one", "body": "quagga"}, {"key": "b", "title": "Quagga two"}, {"key": "c", "title": "Quagga three"}`)
	v.post("/v1/tasks/find-1/notes", `{"text": "a quagga"}`).answers(201)
	r := v.get("/v1/search?q=quagga&project=find").answers(200).has("query", "quagga").has("project", "find").has("total", "[1-9][0-9]*")
	r.has("counts.title", "3").has("counts.body", "1").has("counts.note", "1").has("hits.0.task", "find-[123]").has("hits.0.text", "(?i).*quagga.*").has("hits.0.kind", "[a-z]+")
	v.get("/v1/search?q=quagga&kind=title&limit=2").answers(200).has("hits.#", "2").has("counts.title", "3").has("counts.note", "1")
	v.get("/v1/search?q=quagga&kind=note").answers(200).each("hits", "task", "find-1")
	v.get("/v1/search?q=nothing-of-the-kind").answers(200).has("hits", `\[\]`).has("total", "0")
	v.get("/v1/search").refused(422)
	v.get("/v1/search?q=").refused(422)
	v.get("/v1/search?q=quagga&project=nosuch").refused(404)
}

func (v visit) graph() {
	tasks := `{"key": "k0", "title": "T"}`
	for i := 1; i < 22; i++ {
		tasks += fmt.Sprintf(`, {"key": "k%d", "title": "T", "deps": ["k%d"]}`, i, i-1)
	}
	v.apply("line", tasks+`, {"key": "epic", "title": "Epic"}, {"key": "p", "title": "P", "parent": "epic"}, {"key": "q", "title": "Q", "parent": "p"}`)
	v.get("/v1/tasks/line-11/graph?upstream=99&downstream=20").answers(200).has("nodes.#", "17").says(`"truncated":true`)
	v.get("/v1/tasks/line-11/graph?upstream=1&downstream=0").answers(200).has("nodes.#", "2")
	v.get("/v1/tasks/line-11/graph").answers(200).says(`"line-11"`).says(`"line-10"`).says(`"line-12"`)
	v.get("/v1/tasks/line-23/subtree").answers(200).has("rollup.total", "2").has("children.0.children.#", "1")
	v.get("/v1/projects/line/bottlenecks").answers(200).has("items.0.task", "line-1").names("items.0", "direct", "transitive")
}

func (v visit) estate() {
	v.apply("queue", `{"key": "a", "title": "A"}`)
	v.get("/v1/estate").answers(200).names("", "matching", "watermark", "items").hides(`"items":\[\]`)
	v.get("/v1/estate?all=true&limit=1").answers(200).has("items.#", "1")
	mark := v.get("/v1/estate").text("watermark")
	v.post("/v1/estate/seen", `{"watermark": `+mark+`}`).answers(200).has("watermark", mark)
	v.post("/v1/estate/seen", `{}`).refused(422)
	v.post("/v1/estate/seen", ``).refused(422)
}

func (v visit) views() {
	v.apply("view", `{"key": "a", "title": "A", "criteria": ["x", "y"]}, {"key": "b", "title": "B", "deps": ["a"]}`)
	v.post("/v1/next", `{"project": "view"}`).answers(200)
	for _, path := range []string{
		"/v1/overview", "/v1/projects/view/board", "/v1/projects/view/ready", "/v1/projects/view/inbox", "/v1/projects/view/inbox?actor=ann&all=true&limit=5",
		"/v1/projects/view/overview", "/v1/projects/view/work", "/v1/projects/view/machine", "/v1/projects/view/proof?days=7&limit=3", "/v1/projects/view/sync",
		"/v1/projects/view/ownership", "/v1/projects/view/conflicts", "/v1/projects/view/bottlenecks", "/v1/tasks/view-1", "/v1/tasks/view-1/graph", "/v1/tasks/view-1/subtree",
	} {
		if r := v.get(path).answers(200).names(""); r.err != "application/json" {
			v.w.Errorf("%s is %s", path, r.err)
		}
	}
	v.get("/v1/projects/view/overview").names("", "situation", "inbox", "proof", "briefing")
	v.get("/v1/projects/view/work").names("", "frontier", "batches", "blocked", "leases", "history").has("leases.#", "1").has("blocked.#", "1")
	v.get("/v1/projects/view/machine").says(`"checked":0,"total":2`)
	for _, path := range []string{"/v1/prime", "/v1/prime?project=view"} {
		if r := v.get(path).answers(200); !strings.HasPrefix(r.err, "text/plain") || len(r.out) < 200 {
			v.w.Errorf("%s is %s: %s", path, r.err, r.out)
		}
	}
}

func (v visit) absent() {
	v.apply("here", `{"key": "a", "title": "A"}`)
	for _, view := range []string{"board", "ready", "inbox", "overview", "work", "machine", "proof", "sync", "ownership", "conflicts", "bottlenecks"} {
		v.get("/v1/projects/nosuch/"+view).refused(404).has("error", "not_found")
	}
	for _, path := range []string{"/v1/tasks/here-99", "/v1/tasks/nosuch", "/v1/tasks/here-99/graph", "/v1/tasks/here-99/subtree", "/v1/prime?project=nosuch", "/v1/nosuch"} {
		v.get(path).refused(404).has("error", "not_found")
	}
	for route, body := range map[string]string{
		"transition": `{"to": "done"}`, "claim": ``, "release": ``, "approve": ``, "notes": `{"text": "x"}`, "evidence": `{"items": [{"kind": "k", "value": "v"}]}`,
	} {
		v.post("/v1/tasks/here-99/"+route, body).refused(404).has("error", "not_found")
	}
	v.post("/v1/tasks", `{"project": "nosuch", "key": "a", "title": "A"}`).refused(404)
}

func (v visit) routing() {
	v.apply("who", `{"key": "a", "title": "A", "autonomy": "human_only"}, {"key": "b", "title": "B", "mayExecute": ["wizard"]},
		{"key": "c", "title": "C", "preferredActor": "somebody"}, {"key": "d", "title": "D", "autonomy": "autonomous", "mayExecute": []}`)
	v.post("/v1/tasks/who-2/claim", "").refused(422).says("wizard")
	if v.at.human {
		v.post("/v1/next", `{"project": "who"}`).answers(200).has("task.id", "who-1")
		return
	}
	v.post("/v1/tasks/who-1/claim", "").refused(422).says("human")
	v.post("/v1/next", `{"project": "who"}`).answers(200).has("task.id", "who-4").has("skipped.#", "2")
	v.post("/v1/next", `{"project": "who"}`).answers(200).has("task.id", "who-3")
	v.post("/v1/next", `{"project": "who"}`).answers(200).has("task", "null")
}

func (v visit) bodies() {
	v.apply("body", many(3, `{"key": "k%d", "title": "T"}`))
	for _, kind := range []string{"application/json", "application/json; charset=utf-8", "text/plain", "application/x-www-form-urlencoded"} {
		v.post("/v1/tasks/body-1/notes", `{"text": "x"}`, "Content-Type: "+kind).answers(201)
	}
	for _, route := range []string{"transition", "claim", "release", "approve", "notes", "evidence"} {
		v.post("/v1/tasks/body-1/"+route, `{"to": `).refused(422)
	}
	v.post("/v1/tasks/body-2/claim", `{"actor": "somebody"}`).answers(200)
	v.post("/v1/next", `{"project": "body", "actor": "somebody"}`).answers(200).has("task.id", "body-1")
	v.get("/v1/next?project=body&actor=somebody").answers(200).has("task.id", "body-3")
	v.get("/v1/tasks/body-2").hides(`"actor":"somebody"`)
}

func (v visit) commands() {
	w := v.w
	if v.at.actor == "mallory" {
		return // each costs a process, and these ask nobody's leave
	}
	w.feed(`{"project": "line", "tasks": [{"key": "x", "title": "X"}]}`, "apply -f - --dry-run").is(0)
	v.get("/v1/projects/line/board").hides(`"key":"x"`)
	w.file("plan.json", `{"project": "typed", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B"}]}`)
	w.run("apply -f plan.json").is(0)
	w.run("apply --schema").is(0).has("type", "object").says("preferredActor")
	w.run("next --claim -p typed --json").is(0).has("task.id", "typed-1")
	v.post("/v1/next", `{"project": "typed"}`).answers(200).has("task.id", "typed-2")
	w.run("config path").is(0)
	explained := w.run("config explain agentDefaults.lease --json").is(0).has("value", "2h")
	explained.has("layer", "defaults")
	w.run("config show --json").is(0).has("agentDefaults.lease", "2h").has("workspace.strategy", "in-place").has("branch.prefix", "tasker/")
	if v.at.file == "-" {
		w.run("config init --project fresh").is(0)
		w.run("config validate").is(0)
		w.run("config show --json").is(0).has("project", "fresh").has("version", "1")
		return
	}
	w.run("config validate").is(0)
	w.run("config show --json").has("project", "demo").has("version", "1")
	w.run("config init").is(3)
	w.file("broken.json", `{"version": 1, "project": "demo", "colour": "red"}`)
	w.run("config validate broken.json").is(2).says("colour")
}
