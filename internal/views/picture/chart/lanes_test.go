package chart

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/views/picture"
)

// A worker has one lane, with as many rows as it held tasks at once, and no bar overlaps another bar or its label.
func TestEveryWorkerHasALane(t *testing.T) {
	spans := []picture.Held{
		{Task: "demo-1", Actor: "ann", From: 0, To: 400}, {Task: "demo-2", Actor: "bot/1", From: 0, To: 300},
		{Task: "demo-3", Actor: "bot/1", From: 100, To: 200}, {Task: "demo-4", Actor: "bot/1", From: 600, To: 900, End: "live"},
	}
	var got []string
	for _, row := range lanesOf(spans, 0, func(at task.Time) float64 { return float64(at) }) {
		for _, s := range row.Spans {
			got = append(got, fmt.Sprint(row.Name, " ", s.Task, " ", s.Inside))
		}
	}
	want := "bot/1 demo-2 true, bot/1 demo-4 true,  demo-3 true, ann demo-1 true"
	if all := strings.Join(got, ", "); all != want {
		t.Errorf("the lanes are %s, want %s", all, want)
	}
	var many []picture.Held
	for i := range 2 * mostRows {
		many = append(many, picture.Held{Task: task.ID(fmt.Sprintf("demo-%d", i)), Actor: fmt.Sprintf("bot/%d", i), To: 5})
	}
	if n := len(lanesOf(many, 0, func(at task.Time) float64 { return float64(at) })); n != mostRows {
		t.Errorf("%d rows are drawn, want %d", n, mostRows)
	}
}
