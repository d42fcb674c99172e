package undo_test

import (
	"maps"
	"slices"
	"testing"

	"tasker/internal/event/undo"
	"tasker/internal/task"
)

func event(kind task.Kind, payload string) task.Event {
	return task.Event{ID: 7, Actor: "bot", Kind: kind, Task: "demo-1", Payload: []byte(payload)}
}

func inverse(t *testing.T, kind task.Kind, payload string) undo.Inverse {
	t.Helper()
	inv, ok, err := undo.Of(event(kind, payload))
	if err != nil || !ok {
		t.Fatalf("%s has no inverse: %v", kind, err)
	}
	return inv
}

func TestAnEditIsUndoneByTheValuesBefore(t *testing.T) {
	inv := inverse(t, task.TaskUpdated, `{"title":{"from":"A","to":"B"},"body":{"from":null,"to":"x"},
		"criteria":{"from":[{"index":1,"text":"one","checked":true}],"to":[]},"undoes":3}`)
	edit, err := inv.Edit()
	if want := `{"body":null,"criteria":["one"],"title":"A"}`; err != nil || string(edit) != want {
		t.Errorf("%s %v, want %s", edit, err, want)
	}
	clashes, err := inv.Clashes(&task.Task{Title: "B", Body: "x"})
	if err != nil || len(clashes) > 0 {
		t.Errorf("%v %v, want none", clashes, err)
	}
	clashes, err = inv.Clashes(&task.Task{Title: "C", Body: "x"})
	if err != nil || len(clashes) != 1 || clashes[0].Field != "title" {
		t.Errorf("%v %v, want the title", clashes, err)
	}
	after := &task.Task{Criteria: []task.Criterion{{Index: 1, Text: "one"}}}
	if err := inv.Reticked(&task.Task{}, after); err != nil || !after.Criteria[0].Checked {
		t.Errorf("the criterion that came back has lost its tick: %v", err)
	}
}

func TestAMoveThatEndedAClaimGoesBackToOpen(t *testing.T) {
	for payload, want := range map[string]task.Status{
		`{"from":"in_progress","to":"done"}`:                               task.InProgress,
		`{"from":"in_progress","to":"done","claim":{"from":{},"to":null}}`: task.Open,
		`{"from":"in_review","to":"done"}`:                                 task.InReview,
	} {
		inv := inverse(t, task.TaskMoved, payload)
		if inv.Move.Back != want || inv.Move.Now != task.Done {
			t.Errorf("%s: %+v, want back to %s", payload, inv.Move, want)
		}
		if clashes, _ := inv.Clashes(&task.Task{Status: task.Cancelled}); len(clashes) != 1 {
			t.Errorf("a task that was moved since: %v", clashes)
		}
	}
}

func TestATickIsFoundByItsText(t *testing.T) {
	inv := inverse(t, task.CriterionChecked, `{"index":1,"text":"two","checked":{"from":false,"to":true}}`)
	have := &task.Task{Criteria: []task.Criterion{{Index: 1, Text: "one"}, {Index: 2, Text: "two", Checked: true, CheckedBy: "bot"}}}
	if clashes, _ := inv.Clashes(have); len(clashes) > 0 {
		t.Errorf("%v, want none", clashes)
	}
	if c := inv.Tick.Undone(have); c.Index != 2 || c.Checked || c.CheckedBy != "" {
		t.Errorf("%+v", c)
	}
	have.Criteria[1].CheckedBy = "ann"
	if clashes, _ := inv.Clashes(have); len(clashes) != 1 {
		t.Error("a tick of somebody else would be taken away")
	}
	inv = inverse(t, task.CriterionUnchecked, `{"index":1,"text":"one","checked":{"from":true,"to":false},"checkedBy":{"from":"ann","to":null},
		"checkedAt":{"from":"2026-03-01T12:00:00.000Z","to":null},"rests":{"from":"run","to":null},"doubt":{"from":"skipped","to":null}}`)
	if c := inv.Tick.Undone(have); !c.Checked || c.CheckedBy != "ann" || c.CheckedAt == 0 || c.Doubt != "skipped" {
		t.Errorf("%+v", c)
	}
}

func TestWhatOthersMayHaveActedOnHasNoInverse(t *testing.T) {
	for _, kind := range []task.Kind{task.TaskClaimed, task.NoteAdded, task.EvidenceAdded, task.ApprovalGiven, task.OverrideForced,
		task.QuestionAnswered, task.SyncPulled, task.NotificationDelivered, task.ProjectCreated} {
		if _, ok, err := undo.Of(event(kind, `{}`)); ok || err != nil {
			t.Errorf("%s has an inverse (%v)", kind, err)
		}
	}
}

func TestAnAgentUndoesItsOwnWhereAHumanIsDeclared(t *testing.T) {
	edit, back := event(task.TaskUpdated, `{}`), event(task.TaskMoved, `{"from":"in_review","to":"open"}`)
	returned := inverse(t, task.TaskMoved, `{"from":"in_review","to":"open"}`)
	bot, ann := task.Actor{Name: "bot"}, task.Actor{Name: "ann", Human: true}
	human := task.Policy{DeclaresHuman: true}
	for _, c := range []struct {
		a   task.Actor
		p   task.Policy
		ev  task.Event
		inv undo.Inverse
		may bool
	}{
		{ann, human, edit, undo.Inverse{}, true},
		{bot, human, edit, undo.Inverse{}, true},
		{task.Actor{Name: "bee"}, human, edit, undo.Inverse{}, false},
		{task.Actor{Name: "bee"}, task.Policy{}, edit, undo.Inverse{}, true},
		{task.Actor{Name: "bot", Instance: "2"}, human, edit, undo.Inverse{}, false},
		{bot, human, back, returned, false},
		{ann, human, back, returned, true},
	} {
		if why := undo.May(c.a, c.p, c.ev, c.inv); (why == "") != c.may {
			t.Errorf("%s: %q", c.a.Full(), why)
		}
	}
}

func TestWhatIsLeantOnStays(t *testing.T) {
	leans := map[task.ID][]task.ID{"d-1": {"d-2"}, "d-2": {"d-3"}, "d-4": {"other"}, "d-5": {"d-6"}, "d-6": nil, "d-3": nil}
	got, err := undo.Removable([]task.ID{"d-1", "d-2", "d-3", "d-4", "d-5", "d-6"}, map[task.ID]bool{"d-3": true},
		func(id task.ID) ([]task.ID, error) { return leans[id], nil })
	var gone []task.ID
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if got[id] {
			gone = append(gone, id)
		}
	}
	if err != nil || !slices.Equal(gone, []task.ID{"d-5", "d-6"}) {
		t.Errorf("%v %v, want d-5 and d-6", gone, err)
	}
}
