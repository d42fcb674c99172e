package task_test

import (
	"testing"

	"tasker/internal/task"
)

func TestNobodyActsAsTaskerNorUnderANameThatReadsLikeAnother(t *testing.T) {
	for name, ok := range map[string]bool{
		"ann": true, "claude/3": true, "tasker-bot": true, "ann marie": true,
		"tasker": false, "Tasker": false, "tasker/2": false, " ann": false, "ann ": false, "ann\u00a0": false, "claude/ 3": false,
	} {
		if _, _, err := task.ParseCaller(name); (err == nil) != ok {
			t.Errorf("ParseCaller(%q) = %v", name, err)
		}
	}
	if _, _, err := task.ParseActor("tasker"); err != nil { // who reads the log may ask for it
		t.Error(err)
	}
}
