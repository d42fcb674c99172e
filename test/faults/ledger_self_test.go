package faults

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
)

// The kill test relies on its ledger, which must notice every kind of loss.
func TestTheLedgerSeesWhatCannotHaveHappened(t *testing.T) {
	created := `{"id":1,"batch":1,"task":"demo-1","actor":"bot","kind":"task.created","payload":{"key":"a","status":"open",` +
		`"criteria":[{"index":1,"text":"one"}]}}`
	claimed := `{"id":2,"batch":2,"task":"demo-1","actor":"bot/1","kind":"task.claimed","payload":{"fence":1,"leaseMs":0,"status":{"from":"open",` +
		`"to":"in_progress"}}}`
	for name, c := range map[string]struct{ event, says string }{
		"a gap":              {`{"id":4,"batch":4,"task":"demo-1","actor":"bot","kind":"note.added","payload":{"text":"x"}}`, "comes after 2"},
		"a batch torn apart": {`{"id":3,"batch":1,"task":"demo-1","actor":"bot","kind":"note.added","payload":{"text":"x"}}`, "of batch 1"},
		"a second holder": {`{"id":3,"batch":3,"task":"demo-1","actor":"bot/2","kind":"task.claimed","payload":{"fence":2,"leaseMs":0,` +
			`"status":{"from":"in_progress","to":"in_progress"}}}`, "held already"},
		"a foreign move": {`{"id":3,"batch":3,"task":"demo-1","actor":"bot/2","kind":"task.moved","payload":{"from":"in_progress",` +
			`"to":"done"}}`, "somebody else"},
		"a move from nowhere": {`{"id":3,"batch":3,"task":"demo-1","actor":"bot/1","kind":"task.moved","payload":{"from":"open","to":"done"}}`, "from elsewhere"},
		"an end without claim": {`{"id":3,"batch":3,"task":"demo-1","actor":"bot/2","kind":"claim.released","payload":{"actor":"bot/2","fence":1,` +
			`"status":{"from":"in_progress","to":"open"}}}`, "not there"},
		"half a plan": {`{"id":3,"batch":3,"actor":"bot","kind":"plan.applied","payload":{"created":2}}`, "created 2 tasks, and 0"},
		"a quiet override": {`{"id":3,"batch":3,"task":"demo-1","actor":"bot/1","kind":"task.moved","payload":{"from":"in_progress",` +
			`"to":"done"}}`, "without an override"},
		"a needless override": {`{"id":3,"batch":3,"task":"demo-1","actor":"bot/1","kind":"override.forced","payload":{"to":"done",` +
			`"passedOver":["criterion 1: one","evidence test"]}}`, "does not stand in the way"},
		"a tick of nothing": {`{"id":3,"batch":3,"task":"demo-1","actor":"bot/1","kind":"criterion.checked","payload":{"index":2,"text":"two"}}`, "not an unchecked"},
		"an unknown task":   {`{"id":3,"batch":3,"task":"demo-2","actor":"bot","kind":"note.added","payload":{"text":"x"}}`, "exists: false"},
	} {
		l := newLedger()
		for _, good := range []string{created, claimed} {
			if err := l.read(event(t, good)); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.read(event(t, c.event)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		right := task.Task{ID: "demo-1", Status: task.InProgress, Version: 2, Claim: &task.Claim{Actor: "bot/1", Fence: 1}}
		for what, change := range map[string]func(*task.Task){
			"":        func(*task.Task) {},
			"status":  func(t *task.Task) { t.Status = task.Open },
			"version": func(t *task.Task) { t.Version = 3 },
			"holder":  func(t *task.Task) { t.Claim = &task.Claim{Actor: "bot/2", Fence: 1} },
			"nobody":  func(t *task.Task) { t.Claim = nil },
			"fence":   func(t *task.Task) { t.Claim = &task.Claim{Actor: "bot/1", Fence: 2} },
		} {
			changed := right
			change(&changed)
			if d := l.tasks["demo-1"].differs(&changed); (d == "") != (what == "") {
				t.Errorf("another %q differs by %q", what, d)
			}
		}
	}
}

func event(t *testing.T, text string) (e task.Event) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	return e
}
