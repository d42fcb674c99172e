package summary_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"tasker/internal/bundle"
	"tasker/internal/op/summary"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func written(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNothingIsSaidTwice(t *testing.T) {
	rec := &task.Task{
		ID: "demo-1", Key: "parser", Title: "Write the parser", Body: "By hand.", Status: task.InProgress, Priority: task.DefaultPriority, Gate: "ship",
		Deps: []task.ID{"demo-2"}, Criteria: []task.Criterion{{Index: 1, Text: "it parses"}}, Version: 2, CreatedBy: "ann",
		Claim: &task.Claim{Task: "demo-1", Actor: "bot", Fence: 1, LeaseMs: 1},
	}
	got := written(t, summary.Of(work.NextOut{
		Task: rec, Claimed: rec.Claim, SelectedBy: []task.SelectKey{"age"}, Routing: &task.Routing{MayHold: true, Autonomy: "autonomous", Why: "anyone may", WhatWouldChange: "a list"},
		SelectionReason: "the first",
		Bundle: &bundle.Bundle{
			Task: rec, Criteria: rec.Criteria, Deps: []bundle.Dep{{ID: "demo-2", Title: "The grammar", Status: task.Done, Outcome: "done by ann"}},
			Gate:         &bundle.GateState{Name: "ship", Defined: true, Requires: []string{"test"}, Missing: []string{"test"}},
			RecentEvents: []task.Event{{ID: 1}},
		},
	}))
	want := `{"task":{"id":"demo-1","title":"Write the parser","body":"By hand.",` +
		`"criteria":[{"index":1,"text":"it parses"}]},"claimed":{"actor":"bot","fence":1},"skipped":[],"selectedBy":["age"],` +
		`"routing":{},"selectionReason":"the first",` +
		`"bundle":{"deps":[{"id":"demo-2","title":"The grammar"}],"gate":{"name":"ship","missing":["test"]}}}`
	if got != want {
		t.Errorf("it is\n%s\nand not\n%s", got, want)
	}
}

func TestWhatTheSpecificationNamesIsThereEvenWhenThereIsNothing(t *testing.T) {
	got := written(t, summary.Of(work.NextOut{Idle: &work.Idle{Finished: true}}))
	want := `{"task":null,"claimed":null,"skipped":[],"selectedBy":[],"routing":null,"selectionReason":null,"bundle":null,"idle":{"finished":true}}`
	if got != want {
		t.Errorf("it is\n%s\nand not\n%s", got, want)
	}
	kept := written(t, summary.Of(work.NextOut{Routing: &task.Routing{MayHold: true, Autonomy: task.Autonomous, MayExecute: []string{"go"}, Why: "bot has go", WhatWouldChange: "without go"}}))
	if want := `"routing":{"mayExecute":["go"],"why":"bot has go","whatWouldChange":"without go"}`; !strings.Contains(kept, want) {
		t.Errorf("routing that keeps others from it is shown as %s", kept)
	}
	moved := written(t, summary.Of(work.MoveOut{Task: &task.Task{ID: "demo-1", Title: "T", Status: task.Done}, From: task.Open}))
	if moved != `{"task":{"id":"demo-1","status":"done"},"from":"open"}` {
		t.Errorf("a move is shown as %s", moved)
	}
}

// The task that comes with a move has no empty members and no constants: the specification names none for it.
func TestTheNextTaskOfAMoveSaysWhatIsNewAlone(t *testing.T) {
	rec := &task.Task{ID: "demo-2", Title: "T", Status: task.InProgress, Priority: task.DefaultPriority, Claim: &task.Claim{Task: "demo-2", Actor: "bot", Fence: 1}}
	next := &work.NextOut{
		Task: rec, Claimed: rec.Claim, SelectedBy: task.DefaultSelection, Routing: &task.Routing{MayHold: true, Autonomy: task.Autonomous, Why: "anyone may"},
		SelectionReason: "the first", Skipped: []work.Skipped{{Task: "demo-4", Reason: "held back by question 23: which of them?", Brief: "asked alice 23"}},
	}
	got := written(t, summary.Of(work.MoveOut{Task: &task.Task{ID: "demo-1", Status: task.Done}, From: task.InProgress, Next: next}))
	want := `{"task":{"id":"demo-1","status":"done"},"from":"in_progress","next":{"task":{"id":"demo-2","title":"T"},` +
		`"claimed":{"actor":"bot","fence":1},"skipped":["demo-4: asked alice 23"]}}`
	if got != want {
		t.Errorf("it is\n%s\nand not\n%s", got, want)
	}
	idle := &work.Idle{WaitingForHuman: 1, Waits: []work.Wait{{Task: "demo-4", Title: "T", Why: "question 23", For: "alice"}}}
	got = written(t, summary.Of(work.MoveOut{Task: &task.Task{ID: "demo-1", Status: task.Done}, From: task.InProgress, Next: &work.NextOut{Idle: idle}}))
	if want := `"next":{"task":null,"idle":{"waitingForHuman":1,"waits":["demo-4 T: question 23, alice"]}}}`; !strings.HasSuffix(got, want) {
		t.Errorf("it is\n%s\nand does not end with\n%s", got, want)
	}
}

func TestARowOfAListTellsStateGateAndHolderAndGroupsGroupThem(t *testing.T) {
	list := reading.ListOut{
		Project: "demo", Total: 3, States: []string{"ready", "ready", "held"}, ForPeople: []task.ID{"demo-2"},
		Tasks: []*task.Task{
			{ID: "demo-1", Title: "A", Priority: task.DefaultPriority, Gate: "ship"}, {ID: "demo-2", Title: "B"},
			{ID: "demo-3", Title: "C", Priority: task.DefaultPriority, Claim: &task.Claim{Actor: "bot/2"}},
		},
	}
	rows := []string{
		`{"id":"demo-1","title":"A","state":"ready","gate":"ship"}`, `{"id":"demo-2","title":"B","state":"for people","priority":0}`,
		`{"id":"demo-3","title":"C","state":"held","holder":"bot/2"}`,
	}
	if got, want := written(t, summary.Of(list)), `{"project":"demo","total":3,"tasks":[`+strings.Join(rows, ",")+`]}`; got != want {
		t.Errorf("it is\n%s\nand not\n%s", got, want)
	}
	list.Groups = []reading.ListGroup{{Name: "demo-9", Title: "Epic", Tasks: 2}, {Name: "", Tasks: 1}}
	want := `{"project":"demo","total":3,"groups":[{"name":"demo-9","title":"Epic","tasks":[` + rows[0] + "," + rows[1] + `]},{"name":"","tasks":[` + rows[2] + `]}]}`
	if got := written(t, summary.Of(list)); got != want {
		t.Errorf("it is\n%s\nand not\n%s", got, want)
	}
	if got := written(t, summary.Of(reading.ListOut{Project: "demo"})); got != `{"project":"demo","total":0,"tasks":[]}` {
		t.Errorf("an empty list is %s", got)
	}
	ready := reading.ReadyOut{Project: "demo", SelectedBy: task.DefaultSelection, Total: 1, Tasks: list.Tasks[:1]}
	if got := written(t, summary.Of(ready)); got != `{"project":"demo","total":1,"tasks":[{"id":"demo-1","title":"A","gate":"ship"}]}` {
		t.Errorf("the frontier is %s", got)
	}
}

func TestWhoamiTellsNoFenceAndOnlyWhatIsSo(t *testing.T) {
	left, yes, no := int64(60000), true, false
	w := reading.WhoamiOut{Actor: "bot", Kind: "agent", How: "TASKER_ACTOR", Project: "demo", Applied: &yes, Holding: []reading.Holding{
		{Actor: "bot", Task: "demo-1", Title: "T", Fence: 3, ExpiresAt: 1, LeftMs: &left, Progress: task.Progress{Checked: 1, Total: 2}},
	}}
	want := `{"actor":"bot","kind":"agent","how":"TASKER_ACTOR","project":"demo","holding":[{"actor":"bot","task":"demo-1","title":"T","leftMs":60000,` +
		`"progress":{"checked":1,"total":2}}]}`
	if got := written(t, summary.Of(w)); got != want {
		t.Errorf("it is\n%s\nand not\n%s", got, want)
	}
	if got := written(t, summary.Of(reading.WhoamiOut{Project: "demo", Applied: &no})); !strings.Contains(got, `"applied":false`) {
		t.Errorf("a project without a plan is %s", got)
	}
}

func TestLongListsAreCutWithTheirCountAndTheCallThatFetchesThem(t *testing.T) {
	b := &bundle.Bundle{Task: &task.Task{ID: "demo-1", Key: "demo-1", Priority: task.DefaultPriority}}
	for i := range 8 {
		b.Notes = append(b.Notes, task.Note{ID: int64(i), Actor: "bot", Text: fmt.Sprintf("note %d", i)})
		b.Questions = append(b.Questions, task.Question{ID: int64(i), Text: fmt.Sprintf("question %d?", i), AnsweredBy: "ann", Answer: "yes", AnsweredAt: 1})
	}
	b.Questions[0] = task.Question{ID: 0, Text: "still open?"}
	b.Notes[7].Text = strings.Repeat("é", 2000)
	got := summary.BundleOf(b)
	if len(got.Notes) != 5 || got.Notes[0].Text != "note 3" || !strings.HasSuffix(got.Notes[4].Text, "é… (2000 more bytes)") {
		t.Errorf("the notes are %v", got.Notes)
	}
	if len(got.Questions) != 6 || got.Questions[0].Text != "still open?" {
		t.Errorf("the questions are %v", got.Questions)
	}
	omitted := []string{}
	for _, o := range got.Budget.Omitted {
		omitted = append(omitted, fmt.Sprintf("%s %d: %s", o.Part, *o.Items, o.Command))
	}
	if want := "[notes 3: tasker show demo-1 --full questions 2: tasker show demo-1 --full]"; fmt.Sprint(omitted) != want {
		t.Errorf("it names %v, want %v", omitted, want)
	}
	if whole := summary.Uncut(b); len(whole.Notes) != 8 || len(whole.Questions) != 8 || whole.Budget.Omitted != nil || len(whole.Notes[7].Text) != 4000 {
		t.Errorf("the whole one is cut: %d notes, %d questions, %v", len(whole.Notes), len(whole.Questions), whole.Budget)
	}
}

func TestPruneLeavesOutWhatIsEmptyBelowTheAnswersOwnMembers(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":null,"b":[],"c":{},"d":false,"e":""}`:                     `{"a":null,"b":[],"c":{},"d":false,"e":""}`,
		`{"a":{"x":null,"y":[],"z":{"q":{"r":[]}},"w":0}}`:              `{"a":{"w":0}}`,
		`{"a":[null,{},[],{"x":null},"",{"x":[{"y":""}],"z":1}]}`:       `{"a":[null,{},[],{},"",{"x":[{}],"z":1}]}`,
		`[{"a":null,"b":"x"},{"a":[]}]`:                                 `[{"b":"x"},{}]`,
		`{"a":{"null":"null","f":true,"n":-1.50,"s":"[]","list":[[]]}}`: `{"a":{"null":"null","f":true,"n":-1.50,"s":"[]","list":[[]]}}`,
		`"text"`: `"text"`,
	} {
		if got, err := summary.Prune([]byte(in)); err != nil || string(got) != want {
			t.Errorf("Prune(%s) = %s, %v; want %s", in, got, err, want)
		}
	}
	if _, err := summary.Prune([]byte(`{"a":`)); err == nil {
		t.Error("half a document passes")
	}
}

// The answer to an edit says what changed, with long texts cut, and leaves the rest of the task out.
func TestAnEditSaysWhatItChanged(t *testing.T) {
	long := strings.Repeat("x", 300)
	out := &planning.Edited{
		Written: planning.Written{Task: task.Task{ID: "demo-1", Title: "T", Version: 3}, Warnings: []string{"w"}},
		Changes: map[string]task.Delta{"priority": {From: 2, To: 0}, "body": {From: task.Opt(""), To: task.Opt(long)}},
	}
	want := `{"id":"demo-1","version":3,"changes":{"body":{"from":null,"to":"` + long[:200] + `…"},"priority":{"from":2,"to":0}},"warnings":["w"]}`
	if got := written(t, summary.Of(out)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
