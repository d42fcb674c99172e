package task_test

import (
	"testing"

	"tasker/internal/task"
)

func TestTheHandoverNoteIsTheWorkersLastOneUntilThen(t *testing.T) {
	notes := []task.Note{{ID: 3, Actor: "bot/1"}, {ID: 5, Actor: "bot/1"}, {ID: 6, Actor: "ann"}, {ID: 9, Actor: "bot/1"}}
	for _, c := range []struct {
		of   task.Task
		want int64
	}{
		{task.Task{AwaitingSince: 7, ReviewBy: "bot/1"}, 5},
		{task.Task{AwaitingSince: 7, LastHolder: "bot/1"}, 5}, // approvals were requested, and it is not in review
		{task.Task{AwaitingSince: 7, ReviewBy: "ann", LastHolder: "bot/1"}, 6},
		{task.Task{AwaitingSince: 2, ReviewBy: "bot/1"}, 0},
		{task.Task{AwaitingSince: 7, ReviewBy: "bot/2"}, 0},
		{task.Task{ReviewBy: "bot/1"}, 0},
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
