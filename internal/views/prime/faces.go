package prime

import (
	"cmp"
	"fmt"
	"strings"
)

// Face is how the reader of the manual calls operations. The manual mentions only what that face has.
type Face string

// The faces.
const (
	Shell Face = "shell"
	Tools Face = "tools"
	HTTP  Face = "http"
)

// Faces lists them by name.
var Faces = []string{string(Shell), string(Tools), string(HTTP)}

// prove is the shell command that the faces without a shell of ours mention: no tool and no route runs a command, because the server is
// outside the worker's own sandbox. The gate's own command comes first, because nothing else meets such a gate.
const prove = "`tasker prove ID --check 1,2` runs the commands that its gate asks for (`--kind K -- CMD`: another), " +
	"records that they ended well, and ticks the criteria that they show"

// closes is prove and the move to done in one call, which only the command line has.
const closes = "`tasker done ID --prove --check 1,2 --note TEXT --next` runs the commands that its gate asks for, ticks the criteria that they " +
	"show, closes it and claims the next; without a gate leave out --prove. `tasker prove ID --kind K --check 3 -- CMD` runs another"

// firstTasks is the example of a plan, as every face sends it.
const firstTasks = `"tasks": [
{"key": "parse", "title": "Parse links", "body": "what, and why", "criteria": ["relative links resolve"], "touches": ["parse/**"]},
{"key": "crawl", "title": "Crawl a site", "deps": ["parse"], "criteria": ["every page is read once"]}]`

// speech is the wording of the manual for one face.
type speech struct {
	loop       []string // the steps of the loop, with %s for the lease
	short      string   // the loop in a few lines
	goOn       string   // continues a held task, with %s for its id
	whoami     string   // lists what is held
	brief      string   // where more is said, for the short manual of a project without a plan
	begin      string   // applies a first plan, with %s for the project
	beginHuman string
	project    string // how to name a project
	calls      string // the heading of the list of calls, and what applies to all of them
	call       string // one of them
}

var speeches = map[Face]speech{
	Shell: {
		loop: []string{
			"`tasker next --claim` selects and claims one task, and prints all of it; no two callers get the same. " +
				"`tasker next --resume` returns first what you hold. `warnings` say who held it before, why it was sent back, and what changed.",
			"Work, and commit. Your writes extend your lease of %s; `tasker renew ID` does too.",
			closes + ". `tasker review ID` is for a person to look. A refusal lists all that is missing: fix that, and do not just retry.",
			"Stuck: `tasker ask ID TEXT --blocking --wait 30m`, or hand over with `tasker release ID --note TEXT` (`--failed` if it did not work out). " +
				"`tasker explain ID` says why a task is or is not ready, yours to claim, closable.",
			"Nothing to do: `tasker wait --for work --timeout 30m` ends when there is something.",
		},
		short: "Loop: `tasker next --claim`, work, commit; " + closes + ". A refusal lists all that is missing. " +
			"Stuck: `tasker ask ID TEXT --blocking --wait 30m`, or hand over: `tasker release ID --note TEXT`. " +
			"Nothing to do: `tasker wait --for work --timeout 30m`. Manual: `tasker prime`.",
		brief: "Manual: `tasker prime`.",
		begin: "tasker apply -f - <<'EOF'\n{\"project\": \"%s\", " + firstTasks + "}\nEOF\n" +
			"All fields: `tasker apply --schema`. Then `tasker next --claim` gives you a task.",
		beginHuman: "Begin with a task, `tasker add TITLE`, or with a plan, `tasker apply -f FILE`.",
		goOn:       "`tasker show %s`", whoami: "`tasker whoami`", project: "`-p`",
		calls: "## Commands\n`--json` prints the body of the HTTP route. " +
			"Exit codes: 0 done, 2 invalid, 3 declined, 4 not found, 5 conflict (read again), 7 nothing to do (a `wait` that ran out of time). " +
			"`next` that finds nothing ends with 0, with `--exit-code` with 7. " +
			"`tasker COMMAND --help` begins with examples.",
		call: "- `tasker %s`: %s",
	},
	Tools: {
		loop: []string{
			"tasker_next claims one task and answers all of it (resume: true returns first what you hold).",
			"Work, and commit. In your own shell, " + prove + ": no tool runs a command. Your writes extend your lease of %s.",
			"One tasker_move with to: done, check, evidence, note and next: true ticks and records the rest, closes it and claims the next. " +
				"A refusal lists all that is missing: fix that, and do not just retry.",
			"Stuck: tasker_ask (blocking: true), or hand over: tasker_release with a note. tasker_show with explain: true says why a task is or is not " +
				"ready, yours to claim, closable.",
			"Nothing to do: tasker_wait with for: work.",
		},
		begin:      "tasker_apply {\"project\": \"%s\", " + firstTasks + "}\nThen tasker_next gives you a task.",
		beginHuman: "Begin with a plan: tasker_apply, or tasker_create task by task.",
		goOn:       "tasker_show %s", whoami: "tasker_whoami", project: "the argument project",
		calls: "## Tools\nfull: true in any call answers everything, uncut. A refusal is the object that says error, message, missing and hint.",
		call:  "- %s: %s",
	},
	HTTP: {
		loop: []string{
			"POST /v1/next {\"project\"} claims one task and answers it with its bundle (\"resume\": true returns first what you hold).",
			"Work, and commit. In your own shell, " + prove + ": no route runs a command. Your writes extend your lease of %s.",
			"POST /v1/tasks/ID/transition {\"to\": \"done\", \"check\": [1], \"evidence\": [{\"kind\", \"value\"}], \"note\", \"next\": true} " +
				"ticks and records the rest, closes it and claims the next. A refusal lists all that is missing: fix that, and do not just retry.",
			"Stuck: POST /v1/tasks/ID/questions {\"text\", \"blocking\": true}, or hand over: POST /v1/tasks/ID/release {\"note\"}. " +
				"GET /v1/tasks/ID/explain says why a task is or is not ready, yours to claim, closable.",
			"Nothing to do: GET /v1/events/stream reports what happens.",
		},
		short: "Loop: POST /v1/next {\"project\"}, work, POST /v1/tasks/ID/transition {\"to\": \"done\", \"check\", \"evidence\", \"note\", \"next\": true}. " +
			"Stuck: POST /v1/tasks/ID/questions {\"text\", \"blocking\": true} or POST /v1/tasks/ID/release {\"note\"}. Manual: GET /v1/prime.",
		brief: "Manual: GET /v1/prime.",
		begin: "POST /v1/apply {\"project\": \"%s\", " + firstTasks + "}\n" +
			"All fields: GET /v1/plan.schema.json. Then POST /v1/next gives you a task.",
		beginHuman: "Begin with a plan: POST /v1/apply.",
		goOn:       "GET /v1/tasks/%s", whoami: "GET /v1/whoami", project: "`project`",
		calls: "## Routes\nStatus: 200 and 201 done, 404 not found, 409 conflict (read again), 422 invalid or declined. All of it: /v1/openapi.json.",
		call:  "- %s: %s",
	},
}

// speech returns the wording for the reader's face.
func (s State) speech() speech {
	return speeches[cmp.Or(s.Face, Shell)]
}

// Loop returns the loop for readers about whom nothing is known yet: the instructions of the tool server.
func Loop() string {
	return fmt.Sprintf("Tasker hands out the tasks of a plan. "+strings.Join(speeches[Tools].loop, " "), "the claim")
}
