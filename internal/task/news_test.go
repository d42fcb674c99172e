package task_test

import (
	"testing"

	"tasker/internal/event/news"
	"tasker/internal/task"
)

func TestEachKindIsToldInALine(t *testing.T) {
	for _, c := range []struct {
		kind    task.Kind
		payload string
		want    string // empty: no news
	}{
		{task.NoteAdded, `{"text":"keep its name"}`, "ann noted: keep its name"},
		{task.DecisionRecorded, `{"title":"By hand","rationale":"shorter"}`, "ann decided: By hand"},
		{task.TaskUpdated, `{"priority":{"from":2,"to":0},"body":{"from":"a\nb","to":"c"},"due":{"from":null,"to":"2026-12-01"}}`,
			"ann changed body, due (none to 2026-12-01), priority (2 to 0)"},
		{task.ApprovalGiven, `{"kind":"approval","role":null,"note":null}`, "ann approved it"},
		{task.ApprovalGiven, `{"kind":"verification","note":"on Windows too"}`, "ann verified it: on Windows too"},
		{task.TaskUpdated, `broken`, "ann changed it"},
		{task.TaskMoved, `{"from":"in_progress","to":"open"}`, "ann moved it from in progress to open"},
		{task.CriterionChecked, `{"index":2,"text":"x"}`, "ann ticked criterion 2"},
		{task.CriterionUnchecked, `{"index":2,"text":"x"}`, "ann unticked criterion 2"},
		{task.GuidanceDrifted, `{"files":[{"path":"AGENTS.md","what":"changed"}]}`, "files of its guidance have changed since it was claimed: AGENTS.md"},
		{task.TaskClaimed, `{}`, ""},
		{task.WorkspaceStep, `{}`, ""},
	} {
		got, ok := news.Of(task.Event{ID: 7, Task: "demo-1", Actor: "ann", Kind: c.kind, Payload: []byte(c.payload)})
		if ok != (c.want != "") || got.Text != c.want {
			t.Errorf("%s %s says %q, want %q", c.kind, c.payload, got.Text, c.want)
		}
	}
}

func TestOnlyWhatWasClosedIsReopened(t *testing.T) {
	for payload, want := range map[string]bool{
		`{"from":"done","to":"open"}`:           true,
		`{"from":"cancelled","to":"in_review"}`: true,
		`{"from":"open","to":"in_progress"}`:    false,
		`{"from":"done","to":"cancelled"}`:      false,
		`{}`:                                    false,
	} {
		got, ok := news.Reopened(task.Event{Task: "demo-1", Actor: "ann", Kind: task.TaskMoved, Payload: []byte(payload)}, "demo-2")
		if ok != want || ok && (got.Task != "demo-2" || got.Text != "ann reopened demo-1, which it depends on") {
			t.Errorf("%s says %+v, %v", payload, got, ok)
		}
	}
}

func TestTheNewestAreToldOldestFirstAndOnce(t *testing.T) {
	var all []news.Item
	for _, id := range []int64{15, 3, 9, 9, 1, 2, 4, 5, 6, 7, 8, 10, 11} {
		all = append(all, news.Item{Event: id})
	}
	got, more := news.Newest(all)
	if len(got) != news.Limit || !more || got[0].Event != 3 || got[len(got)-1].Event != 15 {
		t.Errorf("%v, more: %v", got, more)
	}
	if got, more := news.Newest(all[:2]); len(got) != 2 || more {
		t.Errorf("%v, more: %v", got, more)
	}
}
