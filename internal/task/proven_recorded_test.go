package task_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/proven"
)

func TestRecordedIsTheNewestRunOfEachCommandThatEndedWell(t *testing.T) {
	run := func(id int64, line, dir string, code int) task.Evidence {
		value, err := proven.Run{Line: line, Dir: task.Opt(dir), ExitCode: code, Output: strings.Repeat("0", 64)}.Value()
		if err != nil {
			t.Fatal(err)
		}
		return task.Evidence{ID: id, Value: value}
	}
	var got []int64
	for _, e := range proven.Recorded([]task.Evidence{
		run(1, "make", ".", 0), run(2, "make", "sub", 0), {ID: 3, Value: "12 passed"}, run(4, "make", ".", 0), run(5, "lint", ".", 1),
	}) {
		got = append(got, e.ID)
	}
	if !slices.Equal(got, []int64{2, 4}) {
		t.Errorf("recorded are %v", got)
	}
}

func TestADrawIsOfDifferentOnesInTheirOrder(t *testing.T) {
	last := func(below int) (int, error) { return below - 1, nil }
	for _, c := range []struct {
		n    int
		want []int
	}{{5, []int{10, 20, 30, 40}}, {4, []int{10, 20, 30, 40}}, {2, []int{10, 40}}, {1, []int{40}}} {
		got, err := proven.Drawn([]int{10, 20, 30, 40}, c.n, last)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%d drawn are %v, %v", c.n, got, err)
		}
	}
}
