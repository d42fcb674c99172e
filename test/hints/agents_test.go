package hints

import (
	"regexp"
	"strings"
	"testing"
)

// nextToHumans are refusals of work that an agent meets in a project that declares a human.
var nextToHumans = []refusal{
	{
		name: "in review, next to humans", at: human, setup: []string{`POST /v1/tasks/{p}-3/transition {"to":"in_review"}`}, command: "claim {p}-3",
		request: `POST /v1/tasks/{p}-3/claim {}`, tool: `tasker_claim {"id":"{p}-3"}`, says: []string{"have ann review it"},
	},
	{
		name: "questioned, next to humans", at: human, setup: []string{`POST /v1/tasks/{p}-3/questions {"text":"why","blocking":true}`},
		command: "claim {p}-3", request: `POST /v1/tasks/{p}-3/claim {}`, tool: `tasker_claim {"id":"{p}-3"}`, says: []string{"have ann answer it"},
	},
	{
		name: "question of one's own, next to humans", at: human, setup: []string{`POST /v1/tasks/{p}-3/questions {"text":"why","blocking":true}`},
		command: "answer {id} yes", tool: `tasker_answer {"id":{id},"text":"yes"}`,
	},
	{
		name: "done with a question, next to humans", at: human, command: "done {p}-3",
		setup: []string{"POST /v1/tasks/{p}-3/claim", `POST /v1/tasks/{p}-3/questions {"text":"why","blocking":true,"to":"ann"}`},
		tool:  `tasker_move {"id":"{p}-3","to":"done"}`, says: []string{"have ann answer it"},
	},
	{
		name: "withdrawn by another, next to humans", at: human, setup: []string{`ann POST /v1/tasks/{p}-3/questions {"text":"why"}`},
		command: "answer {id} --withdraw", tool: `tasker_withdraw {"id":{id}}`, says: []string{"leave it to ann"},
	},
	{
		name: "held, next to humans", at: human, setup: []string{"ann POST /v1/tasks/{p}-3/claim"}, command: "release {p}-3",
		request: `POST /v1/tasks/{p}-3/release {}`, tool: `tasker_release {"id":"{p}-3"}`,
	},
	{
		name: "archived, next to humans", at: human, setup: []string{"run: project archive {p} --actor ann"}, command: "note {p}-3 x",
		request: `POST /v1/tasks/{p}-3/notes {"text":"x"}`, tool: `tasker_note {"id":"{p}-3","text":"x"}`, says: []string{"have ann bring it back"},
	},
	{
		name: "cancelled what is for humans", at: human, command: "cancel {p}-5", request: `POST /v1/tasks/{p}-5/transition {"to":"cancelled"}`,
		says: []string{"leave it to ann"},
	},
	{
		name: "gate of nowhere, next to humans", at: human, command: "done {p}-6", request: `POST /v1/tasks/{p}-6/transition {"to":"done"}`,
		setup: []string{`ann POST /v1/tasks {"project":"{p}","title":"Six","gate":"nowhere"}`, "POST /v1/tasks/{p}-6/claim"},
		says:  []string{"have ann define the gate nowhere"},
	},
}

// onlyHumans matches what a hint does not tell an agent next to declared humans: how to force, loosen, declare, answer
// its own question, or act as somebody else.
var onlyHumans = regexp.MustCompile(`(?i)force|--rm-dep|removeDeps|declare (it|this|yourself)|\.tasker\.json|--actor|TASKER_ACTOR|say so|` +
	`tasker answer \d+ (TEXT|'TEXT')|tasker_answer|/answer|unarchive|widen`)

// override matches how a refused completion can be forced, and by whom.
var override = regexp.MustCompile(`, or (have [\w ]+ )?force the override, which is logged`)

// checkForAgent checks the hint of a refusal that an agent got next to declared humans. The refusal of a completion
// names an override: the specification gives its two ways.
func checkForAgent(t *testing.T, got answer) {
	t.Helper()
	if strings.Contains(got.message, "cannot complete because of") {
		got.hint = strings.ReplaceAll(override.ReplaceAllString(got.hint, ""), " --force", "")
	}
	if said := onlyHumans.FindString(got.hint); said != "" {
		t.Errorf("an agent is told %q, which only humans may do: %s", said, got.hint)
	}
}
