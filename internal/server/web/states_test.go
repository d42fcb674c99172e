package web_test

import (
	"strings"
	"testing"

	"tasker/internal/admin"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

// TestReadyAndWaitingAreToldApartOnEveryPage looks for the status "open", which does not distinguish ready from waiting
// tasks.
func TestReadyAndWaitingAreToldApartOnEveryPage(t *testing.T) {
	h := site(t, small)
	for path, want := range map[string][]string{
		"/p/demo/graph?show=all": {"n-ready", "n-waiting", "demo-2 · waiting", `st-ready`, `st-waiting`},
		"/p/demo/timeline":       {`st-ready`, `st-waiting`},
		"/p/demo/bottlenecks":    {"To act on now", "Also waiting", "take it", "what it waits for"},
		"/p/demo/work":           {"Act on first", `st-ready`},
		"/p/demo/board":          {`href="#c-ready"`, `href="#c-waiting"`},
		"/t/demo-2":              {`st-ready`, `st-waiting`},
		"/t/demo-4":              {`st-waiting`},
		"/p/demo/tasks":          {"held by nobody", "in progress"},
	} {
		body := get(t, h, path).Body.String()
		for _, text := range want {
			if !strings.Contains(body, text) {
				t.Errorf("%s lacks %s", path, text)
			}
		}
		if strings.Contains(body, "st-open") || strings.Contains(body, "n-open") {
			t.Errorf("%s calls a task open, and not ready or waiting", path)
		}
	}
}

// TestFilesAreOfThePictureThatIsShown follows the page's export links.
func TestFilesAreOfThePictureThatIsShown(t *testing.T) {
	h := site(t, small)
	body := get(t, h, "/p/demo/graph?show=all&fold=demo-4").Body.String()
	for _, file := range []string{"graph.svg", "graph.dot", "graph.mmd"} {
		if href := `href="/p/demo/graph/` + file + `?fold=demo-4&amp;show=all"`; !strings.Contains(body, href) {
			t.Errorf("the page lacks %s", href)
		}
	}
}

// TestAnExportedWindowHoldsWhatIsInIt exports a part of the picture, in each form.
func TestAnExportedWindowHoldsWhatIsInIt(t *testing.T) {
	h := site(t, small)
	for file, all := range map[string]string{"graph.svg": "demo-1 ", "graph.dot": `"demo-1"`, "graph.mmd": "demo-1"} {
		path := "/p/demo/graph/" + file + "?show=all"
		if body := get(t, h, path).Body.String(); !strings.Contains(body, all) || !strings.Contains(body, "demo-3") {
			t.Errorf("%s is not the whole picture:\n%s", file, body)
		}
		body := get(t, h, path+"&window=0,0,40,400").Body.String()
		if !strings.Contains(body, all) || strings.Contains(body, "demo-3") {
			t.Errorf("the left end of %s is\n%s", file, body)
		}
		if file == "graph.svg" && !strings.Contains(body, `viewBox="0.0 0.0 40.0 400.0" width="40.0"`) {
			t.Errorf("the window is not the size of the file:\n%.400s", body)
		}
	}
}

// A large picture's table is loaded on request; any other is on the page.
func TestTheTableOfALargePictureIsAskedFor(t *testing.T) {
	h, _ := lived(t, 260, 0)
	for path, table := range map[string]bool{
		"/p/demo/graph": true, "/p/demo/graph?show=all&fold=none": false, "/p/demo/graph?show=all&fold=none&table=1": true,
	} {
		body := get(t, h, path).Body.String()
		lines, nodes := strings.Count(body, `<tr data-key="r`), strings.Count(body, `class="node `)
		if table && lines != nodes || !table && lines > 0 || nodes == 0 {
			t.Errorf("%s draws %d tasks, and its table has %d", path, nodes, lines)
		}
		if asks := strings.Contains(body, `<a href="/p/demo/graph?fold=none&amp;show=all&amp;table=1#astable">`); asks == table {
			t.Errorf("%s offers the table: %v", path, asks)
		}
	}
}

func TestEveryViewOfAnEmptyProjectSaysHowToBegin(t *testing.T) {
	h, ops := lived(t, 1, 0)
	ctx := core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "ann", Human: true}})
	if _, err := op.ProjectCreate.Do(ctx, ops, admin.ProjectCreateIn{Slug: "bare"}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/p/bare", "/p/bare/board", "/p/bare/tasks", "/p/bare/tasks?q=x", "/p/bare/work", "/p/bare/graph"} {
		if body := get(t, h, path).Body.String(); !strings.Contains(body, "has no task yet") || strings.Contains(body, "No task matches") {
			t.Errorf("%s does not say how to begin", path)
		}
	}
	// Nothing is drawn: there is nothing to find, to zoom or to export.
	if body := get(t, h, "/p/bare/graph").Body.String(); strings.Contains(body, `id="export"`) || strings.Contains(body, `id="graphfind"`) {
		t.Error("the graph of an empty project offers to export it")
	}
	// Nothing can be begun in an archived project: what leads to a command is not said without it.
	if _, err := op.ProjectArchive.Do(ctx, ops, admin.ProjectArchiveIn{Slug: "bare"}); err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		path := strings.ReplaceAll(page, "/p/demo", "/p/bare")
		if body := get(t, h, path).Body.String(); strings.Contains(body, ":</p></div>") {
			t.Errorf("%s leads to a command, and has none", path)
		}
	}
}

// The page opens on open work. If all of it is closed, no filter of the reader's is in the way.
func TestAListWithNothingOpenBlamesNoFilter(t *testing.T) {
	h, _ := lived(t, 1, 1)
	for path, want := range map[string]string{
		"/p/demo/tasks": "No task is open.", "/p/demo/tasks?q=nowhere": "No task matches.", "/p/demo/tasks?state=ready": "No task matches.",
	} {
		if body := get(t, h, path).Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s does not say %q", path, want)
		}
	}
}
