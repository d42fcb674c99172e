package task_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/proven"
)

func TestARunOnOtherFilesIsStale(t *testing.T) {
	item := func(id int64, kind, tree string) task.Evidence {
		value, err := proven.Run{Command: []string{"go", "test"}, Tree: task.Opt(tree), Output: strings.Repeat("0", 64)}.Value()
		if err != nil {
			t.Fatal(err)
		}
		return task.Evidence{ID: id, Kind: kind, Value: value}
	}
	items := []task.Evidence{
		item(1, "tests", "t1"), item(2, "tests", "t2"), item(3, "lint", "t1"), item(4, "lint", "t3"), item(5, "old", "t1"),
		{ID: 6, Kind: "old", Value: "typed since"}, item(7, "bench", "now"), item(8, "nowhere", ""),
	}
	runs := proven.ReliedOn(items, []task.Criterion{{Checked: true, By: 3}, {By: 1}})
	got := proven.StaleOn(proven.Sight{Tree: "now", Differs: []proven.Differing{{Tree: "t3", Files: []string{"a", "b", "c", "d", "e", "f"}}, {Tree: "now", Files: []string{"x"}}}}, runs)
	if want := "[{2 tests []} {3 lint []} {4 lint [a b c d e]}]"; fmt.Sprint(got) != want {
		t.Errorf("stale are %v, and not %s", got, want)
	}
	if said := got[2].Words(); said != "evidence lint is stale, its files have changed since: a, b, c, d, e" {
		t.Errorf("it says %q", said)
	}
	if got := proven.StaleOn(proven.Sight{}, runs); len(got) > 0 {
		t.Errorf("a caller without a tree finds %v", got)
	}
}
