package eventtext_test

import (
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/eventtext"
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

func TestAChangeIsToldWithoutTheNamesOfFields(t *testing.T) {
	for payload, want := range map[string]string{
		`{}`: "changed it",
		`{"due": {"from": null, "to": "2026-11-17"}, "priority": {"from": 2, "to": 0}}`: `changed due from none to "2026-11-17", priority from 2 to 0`,
		`{"mayExecute": {"from": ["a"], "to": ["b"]}}`:                                  `changed may execute from ["a"] to ["b"]`,
		`{"criteria": {"from": [], "to": [{"index": 1, "text": "it works"}]}}`:          `changed criteria from none to ["it works"]`,
		`{"recorded": true}`: "changed recorded",
	} {
		if got := eventtext.Of(task.Event{Kind: task.TaskUpdated, Payload: []byte(payload)}); got != want {
			t.Errorf("the text of %s is %q, and should be %q", payload, got, want)
		}
	}
}
