package faults

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"tasker/internal/op"
	"tasker/internal/task"
)

// Limits of an answer in bytes, however large the records are: a page of records, the first record of the page, and names
// around it.
const (
	answerBound = 4 << 20
	wholeBound  = 6 << 20  // a frontier, which has no next page
	bundleBound = 12 << 20 // each of a dozen lists has a page of its own
)

// full returns a text of the maximum size, with a word to find it by.
func full(bytes int) string { return "needle " + strings.Repeat("x", bytes-7) }

// several returns a JSON list of n texts, all different.
func several(n, bytes int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%04d%s"`, i, strings.Repeat("x", bytes-4))
	}
	return "[" + b.String() + "]"
}

// overgrown makes a project in which everything has the maximum size, and there is a lot of it.
func overgrown(w *world) (s *server) {
	var plan strings.Builder
	fmt.Fprintf(&plan, `{"project":"demo","vision":"%s","gates":{"ship":["tests"]},"tasks":[{"key":"hub","title":"Hub"}`, full(task.MaxText))
	add := func(key, more string) {
		fmt.Fprintf(&plan, `,{"key":"%s","title":"%s"%s}`, key, full(task.MaxTitle), more)
	}
	for i := range 24 { // a chain of parents
		parent := ""
		if i > 0 {
			parent = fmt.Sprintf(`,"parent":"up%d"`, i-1)
		}
		add(fmt.Sprintf("up%d", i), fmt.Sprintf(`,"body":"%s"%s`, full(task.MaxText), parent))
	}
	add("deep", `,"parent":"up23","gate":"ship"`)
	lists := fmt.Sprintf(`"criteria":%s,"touches":%s`, several(64, 4000), several(64, 4000))
	for i := range 8 {
		status := ""
		if i%2 == 0 {
			status = fmt.Sprintf(`,"status":"done","evidence":[{"kind":"tests","value":"%s"}]`, full(task.MaxText))
		}
		add(fmt.Sprintf("big%d", i), fmt.Sprintf(`,"body":"%s",%s%s`, full(task.MaxText), lists, status))
	}
	for i := range 600 {
		add(fmt.Sprintf("near%d", i), `,"parent":"hub","deps":["deep"]`)
	}
	plan.WriteString(`]}`)
	w.apply(plan.String())
	for i := range 16 {
		w.apply(fmt.Sprintf(`{"project":"more%d","vision":"%s","tasks":[{"key":"a","title":"A"}]}`, i, full(task.MaxText)))
	}

	s = w.serve("ann", "env", "TASKER_MEMORY=160MB")
	text := full(task.MaxText)
	for i := range 12 {
		s.post(who{}, "/v1/tasks/demo-26/notes", object{"text": text}, nil)
		s.post(who{}, "/v1/tasks/demo-26/decisions", object{"title": "needle", "rationale": text}, nil)
		s.post(who{}, "/v1/tasks/demo-26/evidence", object{"items": []object{{"kind": fmt.Sprint("k", i), "value": text}}}, nil)
		s.post(who{}, "/v1/tasks/demo-26/questions", object{"text": text, "blocking": i%2 == 0}, nil)
		s.post(who{}, "/v1/tasks/demo-26/approve", object{"kind": "approval", "note": text}, nil)
		s.post(who{}, "/v1/tasks/demo-26/edit", object{"body": fmt.Sprint(i, text[8:])}, nil)
		s.post(who{}, fmt.Sprintf("/v1/tasks/demo-%d/questions", 40+i), object{"text": text, "blocking": true}, nil)
	}
	return s
}

// TestEveryAnswerHasABoundInBytes reads everything in a project whose records have the maximum size, page by page, and
// checks the size of each answer and the memory of the server.
func TestEveryAnswerHasABoundInBytes(t *testing.T) {
	either(t, eachAlone, func(w *world) {
		s := overgrown(w)
		seen := 0
		read := func(path string, bound int) reply {
			r, err := s.call(who{}, path, nil)
			w.must(err)
			if r.status != 200 || len(r.body) > bound {
				w.Errorf("GET %s is answered with %d and %d KiB of %d: %.300s", path, r.status, len(r.body)>>10, bound>>10, r.body)
			}
			seen++
			return r
		}
		for _, o := range op.Table {
			if o.Method != "GET" {
				continue
			}
			for _, id := range []string{"demo-1", "demo-26", "demo-28", "demo-40"} {
				path := "/v1" + strings.NewReplacer("{slug}", "demo", "{id}", id).Replace(o.Path)
				bound := answerBound
				query := url.Values{"limit": {"1000"}}
				switch o {
				case op.Show.Op, op.Peek.Op:
					bound, query = bundleBound, nil
				case op.Ready.Op:
					bound, query = wholeBound, nil
				case op.Work.Op: // the frontier and the questions
					bound, query = 2*wholeBound, nil
				case op.ProjectOverview.Op: // four lists
					bound = 3 * answerBound
				case op.Search.Op:
					query.Set("q", "needle")
				case op.Events.Op:
					query.Set("since_id", "0")
				case op.Met.Op:
					query = url.Values{"for": {"ready"}}
				case op.Projects.Op: // never cut: counted while it is read
					bound, query = 18*task.MaxText, nil
				case op.Version.Op, op.Whoami.Op, op.Project.Op, op.Explain.Op, op.Overview.Op, op.Brief.Op, op.Prime.Op, op.Sync.Op, op.Ownership.Op,
					op.Conflicts.Op, op.Subtree.Op, op.Graph.Op, op.Forecast.Op:
					query = nil
				}
				if o == op.List.Op || o == op.Peek.Op {
					if query == nil {
						query = url.Values{}
					}
					query.Set("project", "demo")
				}
				for pages := 0; ; pages++ {
					var page struct {
						Next string `json:"nextCursor"`
					}
					r := read(path+"?"+query.Encode(), bound)
					if o == op.Events.Op {
						var events []task.Event
						w.must(r.into(&events))
						if len(events) > 0 {
							query.Set("since_id", fmt.Sprint(events[len(events)-1].ID))
							continue
						}
					}
					if o != op.List.Op || r.into(&page) != nil || page.Next == "" {
						break
					}
					query.Set("cursor", page.Next)
				}
				if !strings.Contains(o.Path, "{id}") {
					break
				}
			}
		}
		for _, page := range []string{"", "search?q=needle", "help", "t/demo-1", "t/demo-26", "t/demo-28", "p/demo", "p/demo/board", "p/demo/work", "p/demo/machine",
			"p/demo/proof", "p/demo/bottlenecks", "p/demo/events", "p/demo/inbox", "p/demo/sync", "p/demo/tasks", "p/demo/timeline", "p/demo/graph"} {
			read("/"+page, bundleBound)
		}
		if has := s.resident(); has > 160<<20 {
			w.Errorf("after %d answers the server had %d MB, and 160 MB are its bound", seen, has>>20)
		}
	})
}
