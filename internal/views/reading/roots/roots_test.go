package roots_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/views/reading/roots"
)

// edges reads "a>b c>d": a waits for b, and c for d.
func edges(text string) (out []query.Edge) {
	for _, e := range strings.Fields(text) {
		from, to, _ := strings.Cut(e, ">")
		out = append(out, query.Edge{From: task.ID(from), To: task.ID(to)})
	}
	return out
}

func TestTheRootNamedIsThatOfTheLongestChain(t *testing.T) {
	for _, row := range []struct {
		name, edges, of string
		want            roots.Root
	}{
		{"one chain", "c>b b>a", "c", roots.Root{Task: "a", Via: "b", Holds: 2}},
		{"the longer of two, whatever their order", "d>a d>c c>b", "d", roots.Root{Task: "b", Via: "c", Others: 1, Holds: 2}},
		{"of equal ones, the heavier", "d>a d>b c>b", "d", roots.Root{Task: "b", Via: "b", Others: 1, Holds: 2}},
		{"of equal and equally heavy ones, the first", "d>b d>a", "d", roots.Root{Task: "a", Via: "a", Others: 1, Holds: 1}},
		{"a root on two ways is one", "d>b d>c b>a c>a", "d", roots.Root{Task: "a", Via: "b", Holds: 3}},
		{"what waits for nothing has none", "c>b", "a", roots.Root{}},
		{"in a circle, none", "b>c c>b d>b", "d", roots.Root{}},
	} {
		chart := roots.Of([]task.ID{"a", "b", "c", "d"}, edges(row.edges))
		if got, found := chart.Root(task.ID(row.of)); got != row.want || found != (row.want != roots.Root{}) {
			t.Errorf("%s: %+v, want %+v", row.name, got, row.want)
		}
	}
}

// Every task on the critical path names the head of the path: two pages that a person compares agree.
func TestTheCriticalPathBeginsAtTheRootOfItsTasks(t *testing.T) {
	ids := []task.ID{"a", "b", "c", "d", "e", "f"}
	chart := roots.Of(ids, edges("c>a c>b d>b e>c e>d f>b"))
	path := chart.Longest()
	if !slices.Equal(path, []task.ID{"b", "c", "e"}) {
		t.Fatalf("the critical path is %v", path)
	}
	for _, id := range path[1:] {
		if r, _ := chart.Root(id); r.Task != path[0] {
			t.Errorf("%s names %s, the path begins with %s", id, r.Task, path[0])
		}
	}
}
