package task_test

import (
	"slices"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// TestAProofFallsWithTheNewestRun has the same command pass and fail, in turns and elsewhere.
func TestAProofFallsWithTheNewestRun(t *testing.T) {
	item := func(id int64, kind string, r proven.Run) task.Evidence {
		return task.Evidence{ID: id, Task: "demo-1", Actor: "ann", Kind: kind, Value: value(t, r)}
	}
	passed := proven.Run{Line: "make test", Dir: "."}
	failed := proven.Run{Line: "make test", Dir: ".", ExitCode: 2, Commit: "0123456789abcdef", Dirty: true}
	typed := task.Evidence{ID: 9, Kind: proven.KindFails, Value: "it fails"}
	for _, c := range []struct {
		name  string
		items []task.Evidence
		want  []int64
	}{
		{"nothing", nil, nil},
		{"it passed", []task.Evidence{item(1, "$ make test", passed)}, nil},
		{"it failed later", []task.Evidence{item(1, "$ make test", passed), item(2, proven.KindFails, failed)}, []int64{2}},
		{"it failed twice", []task.Evidence{item(2, proven.KindFails, failed), item(3, proven.KindFails, failed)}, []int64{3}},
		{"it passed again, as words", []task.Evidence{item(2, proven.KindFails, failed), item(3, "test", proven.Run{Command: []string{"make", "test"}, Dir: "."})}, nil},
		{"it passed in another directory", []task.Evidence{item(2, proven.KindFails, failed), item(3, "test", proven.Run{Line: "make test", Dir: "sub"})}, []int64{2}},
		{"another command passed", []task.Evidence{item(2, proven.KindFails, failed), item(3, "test", proven.Run{Line: "make lint", Dir: "."})}, []int64{2}},
		{"somebody typed it", []task.Evidence{item(1, "$ make test", passed), typed}, nil},
		{"a run of the kind that passed", []task.Evidence{item(1, proven.KindFails, passed)}, nil},
	} {
		var got []int64
		for _, f := range proven.FallenOf(c.items) {
			got = append(got, f.Evidence)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v have fallen, and not %v", c.name, got, c.want)
		}
	}
	const want = "the proof no longer holds: make test ended with exit code 2 on commit 0123456789ab with changes, run by ann"
	fell := proven.FallenOf([]task.Evidence{item(2, proven.KindFails, failed)})
	if said := fell[0].Words(); said != want {
		t.Errorf("it says %q", said)
	}
	if _, err := proven.BasisOf(item(2, proven.KindFails, failed), task.Criterion{}); err == nil {
		t.Error("a tick can rest on a run that failed")
	}
	if on, err := proven.BasisOf(item(1, "test", passed), task.Criterion{}); err != nil || on.Rests != task.RestsOnRun {
		t.Errorf("a tick by a run rests on %v (%v)", on, err)
	}
	if runs := proven.ReliedOn([]task.Evidence{item(2, proven.KindFails, failed)}, nil); len(runs) > 0 {
		t.Errorf("a close relies on %v", runs)
	}
	if proven.Shows([]task.EvidenceItem{{Kind: proven.KindFails, Value: value(t, failed)}}) || !proven.Shows([]task.EvidenceItem{{Kind: proven.KindFails, Value: "typed"}}) {
		t.Error("a run that failed shows something, or what was typed does not")
	}
}
