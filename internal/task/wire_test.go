package task_test

import (
	"flag"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"tasker/internal/task"
)

var update = flag.Bool("update", false, "rewrite testdata/task.json")

func TestARecordOnTheWireLeavesNothingOut(t *testing.T) {
	got, err := json.Marshal(&task.Task{ID: "demo-1", Project: "demo", Key: "a", Title: "A", Status: task.Open, Priority: 2, Version: 1,
		CreatedBy: "alice", CreatedAt: now, UpdatedAt: now})
	passes(t, err)
	const golden = "testdata/task.json"
	if *update {
		passes(t, os.WriteFile(golden, append(got, '\n'), 0o644))
	}
	want, err := os.ReadFile(golden)
	passes(t, err)
	if d := cmp.Diff(string(want), string(got)+"\n"); d != "" {
		t.Error(d)
	}
}

func TestARecordReadsBackFromTheWire(t *testing.T) {
	one := held(claude)
	one.Body, one.Severity, one.Due, one.Fence = "b", 3, "2026-01-01", 0 // only the claim shows the fence
	one.UpdatedAt = now
	one.Deps, one.MayExecute, one.Touches, one.Links = []task.ID{"demo-2"}, []string{"dev"}, []string{"**"}, []task.Link{{Kind: "doc", Ref: "x"}}
	one.Criteria = []task.Criterion{{Index: 1, Text: "a", Checked: true, CheckedBy: "bob", CheckedAt: now}}
	text, err := json.Marshal(one)
	passes(t, err)
	var back task.Task
	passes(t, json.Unmarshal(text, &back))
	if d := cmp.Diff(one, &back); d != "" {
		t.Error(d)
	}
}

func TestValuesOfTheWrongTypeAreFaults(t *testing.T) {
	for _, text := range []string{
		`{"severity":"high"}`, `{"severity":1.5}`, `{"body":7}`, `{"body":{}}`, `{"createdAt":"yesterday"}`, `{"createdAt":5}`,
	} {
		if err := json.Unmarshal([]byte(text), &task.Task{}); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

func TestCountsOfEachStatus(t *testing.T) {
	var c task.Counts
	for i, s := range task.Statuses {
		*c.Of(s) = i + 1
	}
	if want := (task.Counts{Open: 1, InProgress: 2, InReview: 3, Done: 4, Cancelled: 5}); c != want {
		t.Errorf("%+v", c)
	}
}
