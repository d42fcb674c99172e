package web_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
)

// planned serves a project with tasks in twelve areas; each area waits for the one before it.
func planned(t *testing.T, tasks int) http.Handler {
	t.Helper()
	var ops op.Caller
	h := siteOver(t, `{"project": "demo", "tasks": [{"key": "t0", "title": "Begin"}]}`, func(o op.Caller) op.Caller { ops = o; return o })
	ctx := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "bot"}})
	const atOnce = 10_000
	for from := 0; from < tasks; from += atOnce {
		var list []string
		for i := from; i < min(from+atOnce, tasks); i++ {
			def := fmt.Sprintf(`{"key": "t%d", "title": "Write the part of the chapter that has the number %d"`, i, i)
			if i >= 12 {
				def += fmt.Sprintf(`, "parent": "t%d"`, i%12)
			}
			if i >= 24 {
				def += fmt.Sprintf(`, "deps": ["t%d"]`, i-12)
			}
			list = append(list, def+"}")
		}
		doc, err := plan.Read([]byte(`{"project": "demo", "tasks": [` + strings.Join(list, ",") + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := op.Apply.Do(ctx, ops, planning.ApplyIn{Doc: doc}); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// TestNoPageIsLargeAtAHundredThousandTasks holds every page below 2 MB: at that size in long tests, otherwise by what each
// further task adds to a page, which is nothing once its lists are full.
func TestNoPageIsLargeAtAHundredThousandTasks(t *testing.T) {
	t.Parallel()
	const all, limit = 100_000, 2 << 20
	few, many := 1_100, 2_100 // lists of a thousand are full
	if os.Getenv("TASKER_TEST_LONG") != "" {
		few, many = 1_000, all
	}
	small, large := planned(t, few), planned(t, many)
	for _, path := range append(pages, "/p/demo/graph?show=all&fold=none", "/p/demo/tasks?limit=1000", "/p/demo/board?limit=1000") {
		a, b := get(t, small, path).Body.Len(), get(t, large, path).Body.Len()
		at := b
		if many < all && !strings.Contains(path, "/graph") { // pictures are bounded by their elements: see test/browser
			at += max(b-a, 0) * (all - many) / (many - few)
		}
		t.Logf("%s: %d bytes at %d tasks, %d at %d: %d at %d", path, a, few, b, many, at, all)
		if at > limit {
			t.Errorf("%s would have %d bytes at %d tasks, and may have %d", path, at, all, limit)
		}
	}
}

// TestThePageOfADeepGraphIsBounded uses a chain of parents with the longest possible titles: the page does not grow with
// them.
func TestThePageOfADeepGraphIsBounded(t *testing.T) {
	t.Parallel()
	const limit = 2 << 20
	var list []string
	for i := range 900 {
		def := fmt.Sprintf(`{"key": "k%d", "title": "%s"`, i, strings.Repeat(`\"`, 500))
		if i > 0 {
			def += fmt.Sprintf(`, "parent": "k%d"`, i-1)
		}
		list = append(list, def+"}")
	}
	h := siteOver(t, `{"project": "demo", "tasks": [`+strings.Join(list, ",")+`]}`, func(o op.Caller) op.Caller { return o })
	for _, path := range []string{"", "?show=open", "?show=all", "?show=all&fold=none", "?show=all&fold=none&table=1", "?focus=demo-700", "/graph.svg?show=all&fold=none"} {
		page := get(t, h, "/p/demo/graph"+path)
		if n := page.Body.Len(); page.Code != 200 || n > limit {
			t.Errorf("/p/demo/graph%s: %d, %d bytes, and may have %d", path, page.Code, n, limit)
		} else {
			t.Logf("/p/demo/graph%s: %d bytes", path, n)
		}
	}
}
