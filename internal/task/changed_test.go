package task_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestPathsAreKeptOnceInOrderAndCounted(t *testing.T) {
	if c := task.ChangedOf([]string{"b.go", "a.go", "b.go"}); fmt.Sprint(c) != "{[a.go b.go] 2}" {
		t.Errorf("kept as %v", c)
	}
	var many []string
	for i := range task.MaxPaths + 7 {
		many = append(many, fmt.Sprintf("f%04d", i))
	}
	if c := task.ChangedOf(many); len(c.Paths) != task.MaxPaths || c.Total != task.MaxPaths+7 || c.Paths[0] != "f0000" {
		t.Errorf("%d paths are kept of %d", len(c.Paths), c.Total)
	}
}

func TestAPathLiesInTheRepository(t *testing.T) {
	passes(t, task.CheckPaths([]string{"a.go", "src/[id].go", "..a/b", strings.Repeat("ä", task.MaxPath)}))
	for path, why := range map[string]string{
		"": "empty", "a\x00b": "U+0000", "\xff": "UTF-8", strings.Repeat("ä", task.MaxPath+1): "501 characters",
		"/etc/passwd": "is outside the repository", "a/../../b": "is outside the repository", "..": "is outside the repository",
	} {
		refused(t, task.CheckPaths([]string{"fine", path}), fault.Invalid, why)
	}
	refused(t, task.CheckPaths(make([]string, task.MaxPathsSent+1)), fault.Invalid, "10001 paths")
}

func TestLaterWorkIsNamedInTheOrderOfItsClosings(t *testing.T) {
	if got := task.LaterOf(nil, false); got != nil || got.Words() != "" {
		t.Errorf("nothing is later, and it says %q", got.Words())
	}
	at := func(id task.ID, closed task.Time, path string) task.Later {
		return task.Later{Task: id, ClosedAt: closed, Paths: []string{path}}
	}
	met := []task.Later{at("shop-12", 7, "a.go"), at("shop-9", 5, "b.go"), at("shop-9", 5, "a.go")}
	if got := task.LaterOf(met, false).Words(); got != "later work changed the same files: shop-9 (a.go, b.go), shop-12 (a.go)" {
		t.Errorf("it says %q", got)
	}
	for i := range 7 {
		met = append(met, at("shop-9", 5, fmt.Sprint("c", i)), at(task.MakeID("shop", int64(20+i)), 9, "a.go"))
	}
	want := "later work changed the same files: shop-9 (a.go, b.go, c0, c1, c2 and 4 more), shop-12 (a.go), shop-20 (a.go) and 6 more"
	if got := task.LaterOf(met, false); got.Words() != want || got.Total != 9 {
		t.Errorf("it says %q of %d", got.Words(), got.Total)
	}
	if got := task.LaterOf(met, true).Words(); !strings.HasSuffix(got, " and at least 6 more") {
		t.Errorf("it says %q", got)
	}
}
