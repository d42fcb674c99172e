package web

import (
	"testing"

	"tasker/internal/task"
)

// Every state has a chip, so that the chips of the states add up to all tasks, and no two chips have the same name.
func TestTheChipsOfStatesAddUp(t *testing.T) {
	n := taskCounts{Marks: map[string]int{string(task.MarkNeedsAnswer): 99}}
	for i := range n.StateCounts {
		n.StateCounts[i] = 1 << i
		n.All += 1 << i
	}
	names, sum := map[string]bool{}, 0
	for i, c := range (tasksBody{Slug: "demo", States: task.States, State: anyOpen, Counts: &n}).Often() {
		if names[c.Name] {
			t.Errorf("two chips are called %q", c.Name)
		}
		if names[c.Name] = true; i >= 2 && i < 2+len(task.States) {
			sum += c.N
		}
	}
	if sum != n.All {
		t.Errorf("the states add up to %d of %d", sum, n.All)
	}
}
