package task_test

import (
	"testing"

	"tasker/internal/task"
)

func TestTheHandoverNoteIsTheWorkersLastOne(t *testing.T) {
	notes := []task.Note{{ID: 3, Actor: "bot/1"}, {ID: 5, Actor: "bot/1"}, {ID: 6, Actor: "ann"}, {ID: 7, Actor: "bob"}}
	for _, c := range []struct {
		of   task.Task
		want int64
	}{
		{task.Task{ReviewBy: "bot/1", LastHolder: "bot/1"}, 5},
		{task.Task{LastHolder: "bot/1"}, 5}, // approvals were requested, and it is not in review
		{task.Task{ReviewBy: "ann", LastHolder: "bot/1"}, 6},
		{task.Task{ReviewBy: "bot/2"}, 0},
		{task.Task{}, 0},
	} {
		got := int64(0)
		if n := c.of.HandoverNote(notes); n != nil {
			got = n.ID
		}
		if got != c.want {
			t.Errorf("for %+v it is note %d, want %d", c.of, got, c.want)
		}
	}
}
