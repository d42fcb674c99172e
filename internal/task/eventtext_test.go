package task_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tasker/internal/event/eventtext"
	"tasker/internal/task"
)

func TestEveryKindIsASentence(t *testing.T) {
	for _, kind := range task.Kinds {
		if got := eventtext.Of(task.Event{Kind: kind}); got == strings.NewReplacer(".", " ", "_", " ").Replace(string(kind)) {
			t.Errorf("%s has no words", kind)
		}
	}
}

func TestAStepThatFailedIsToldAsOne(t *testing.T) {
	for payload, want := range map[string]string{
		`{"name": "deps", "phase": "setup", "exitCode": 0}`:                       "ran the step deps of its setup",
		`{"name": "deps", "phase": "setup", "exitCode": 3}`:                       "ran the step deps of its setup, which failed with exit code 3",
		`{"name": "stop", "phase": "teardown", "exitCode": -1, "optional": true}`: "ran the step stop of its teardown, which failed with exit code -1",
	} {
		if got := eventtext.Of(task.Event{Kind: task.WorkspaceStep, Payload: []byte(payload)}); got != want {
			t.Errorf("the text of %s is %q, and should be %q", payload, got, want)
		}
	}
}

func TestARunIsToldByItsCommandAndItsEnd(t *testing.T) {
	value := `{"line":"make test","dir":".","exitCode":0,"durationMs":12300,"commit":null,"tree":null,"dirty":false,"outputSha256":"` +
		strings.Repeat("0", 64) + `","outputBytes":3}`
	for of, want := range map[string]string{
		value: "ran `make test`: passed, exit 0, 12s",
		strings.Replace(value, `"exitCode":0`, `"exitCode":2`, 1):                                         "ran `make test`: failed, exit 2, 12s",
		strings.Replace(value, `"outputBytes":3`, `"outputBytes":3,"testedNothing":"no tests to run"`, 1): "ran `make test`: passed, exit 0, 12s, tested nothing",
		"all green": "added evidence tests: all green",
	} {
		payload, err := json.Marshal(map[string]string{"kind": "tests", "value": of})
		if err != nil {
			t.Fatal(err)
		}
		if got := eventtext.Of(task.Event{Kind: task.EvidenceAdded, Payload: payload}); got != want {
			t.Errorf("evidence %s reads %q, and should read %q", of, got, want)
		}
	}
}

func TestALongQuestionIsToldByItsBeginning(t *testing.T) {
	payload := []byte(`{"text": "` + strings.Repeat("why ", 100) + `"}`)
	if got := eventtext.Of(task.Event{Kind: task.QuestionAsked, Payload: payload}); len(got) > 180 || !strings.HasSuffix(got, "…") {
		t.Errorf("it reads %q", got)
	}
}

func TestAChangeIsToldWithoutTheNamesOfFields(t *testing.T) {
	for payload, want := range map[string]string{
		`{}`: "changed it",
		`{"due": {"from": null, "to": "2026-11-17"}, "priority": {"from": 2, "to": 0}}`: `changed due from none to "2026-11-17", priority from 2 to 0`,
		`{"mayExecute": {"from": ["a"], "to": ["b"]}}`:                                  `changed may execute from ["a"] to ["b"]`,
		`{"criteria": {"from": [], "to": [{"index": 1, "text": "it works"}]}}`:          `changed criteria from none to ["it works"]`,
		`{"recorded": true}`: "changed recorded",
		`{"title": {"from": "B", "to": "A"}, "undoes": 14}`: `changed title from "B" to "A", to undo event 14`,
	} {
		if got := eventtext.Of(task.Event{Kind: task.TaskUpdated, Payload: []byte(payload)}); got != want {
			t.Errorf("the text of %s is %q, and should be %q", payload, got, want)
		}
	}
}

func TestLargeCountsAreTold(t *testing.T) {
	got := eventtext.Of(task.Event{Kind: task.PlanApplied, Payload: []byte(`{"created": 1234, "updated": 1000000}`)})
	if want := "applied a plan: 1,234 created, 1,000,000 updated"; got != want {
		t.Errorf("a large plan is told as %q, and not %q", got, want)
	}
}
