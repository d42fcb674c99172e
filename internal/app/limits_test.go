package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/op"
	"tasker/internal/testkit/dbtest"
)

// unlimited are the reads that return lists and take no limit, with what bounds them instead.
var unlimited = map[string]string{
	"whoami":    "what one actor holds",
	"projects":  "every project, never cut, as the contract says; it is streamed",
	"project":   "the gates in force",
	"forecast":  "weeks and states, which are few",
	"subtree":   "everything below a task, as the contract says; at most as much as one page draws",
	"graph":     "upstream and downstream, and at most 5,000 nodes",
	"brief":     "actors, each with what it did most",
	"overview":  "every project, never cut, as the contract says",
	"sync":      "the two systems of a project",
	"ownership": "the fields of a task",
	"conflicts": "at most 1,000",
	"explain":   "the approvals that a task asks for",
	"peek":      "the keys of the policy, and a few that were skipped",
	"show":      "each list at most 1,000, and the budget",
}

// otherLists are lists of a limited read that are not its records.
var otherLists = map[string]bool{
	"board.columns": true, // one per status
	"work.history":  true, // the newest 20 events, which cannot be paged through
}

func TestEveryListHasALimitAndKeepsToIt(t *testing.T) {
	t.Parallel()
	o, err := config.FromOS()
	if err != nil {
		t.Fatal(err)
	}
	site, err := app.NewSite(t.Context(), frame.Serving{
		DB: dbtest.SQLite(t), Log: t.Output(), Options: config.Options{Dir: t.TempDir(), Files: o.Files, Now: time.Now},
		Named: frame.Named{Actor: "robot", How: "TASKER_ACTOR", User: "me"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := site.Close(); err != nil {
			t.Error(err)
		}
	})
	ask := func(method, path, instance, body string) (int, []byte) {
		r := httptest.NewRequestWithContext(t.Context(), method, "/v1"+path, strings.NewReader(body))
		r.Host = "localhost"
		if instance != "" {
			r.Header.Set("Tasker-Instance", instance)
		}
		w := httptest.NewRecorder()
		site.ServeHTTP(w, r)
		return w.Code, w.Body.Bytes()
	}
	fill(t, ask)
	reasons := maps.Clone(unlimited)
	for _, o := range op.Table {
		if o.Method != "GET" || !lists(o) {
			continue
		}
		reason, listed := reasons[o.Name]
		delete(reasons, o.Name)
		if limited := takesLimit(o.In); limited == listed {
			t.Errorf("%s takes a limit: %t, and is listed as unlimited: %t (%s)", o.Name, limited, listed, reason)
			continue
		} else if limited {
			keepsTo(t, o, ask)
		}
	}
	if len(reasons) > 0 {
		t.Errorf("no read that returns a list is called %v", slices.Sorted(maps.Keys(reasons)))
	}
}

type asking func(method, path, instance, body string) (int, []byte)

// fill creates more than two of everything that is listed: tasks in every state, holders, items for people, and projects.
func fill(t *testing.T, ask asking) {
	t.Helper()
	must := func(path, instance, body string) {
		if code, said := ask("POST", path, instance, body); code >= 300 {
			t.Fatalf("POST %s: %d %s", path, code, said)
		}
	}
	for p := range 4 {
		var tasks []string
		for i := range 24 {
			deps := ""
			if i >= 20 {
				deps = fmt.Sprintf(`,"deps":["k%d"]`, i-4)
			}
			tasks = append(tasks, fmt.Sprintf(`{"key":"k%d","title":"word %d"%s}`, i, i, deps))
		}
		must("/apply", "", fmt.Sprintf(`{"project":"demo%d","tasks":[%s]}`, p, strings.Join(tasks, ",")))
	}
	for i := range 4 {
		must(fmt.Sprintf("/tasks/demo0-%d/transition", 1+i), "", `{"to":"done"}`)
		must(fmt.Sprintf("/tasks/demo0-%d/transition", 5+i), "", `{"to":"in_review"}`)
		must(fmt.Sprintf("/tasks/demo0-%d/claim", 9+i), fmt.Sprint(i), `{}`)
		must(fmt.Sprintf("/tasks/demo0-%d/questions", 13+i), "", `{"text":"why","blocking":true}`)
	}
}

// lists reports whether an operation returns a list of records.
func lists(o *op.Op) bool {
	t := o.Out
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if t.Field(i).Type.Kind() == reflect.Slice {
				return true
			}
		}
	}
	return t.Kind() == reflect.Slice || t.Kind() == reflect.Func // an iterator
}

func takesLimit(t reflect.Type) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("query") == "limit" })
}

// keepsTo asks for two of everything, and then with invalid limits.
func keepsTo(t *testing.T, o *op.Op, ask asking) {
	t.Helper()
	path := strings.NewReplacer("{slug}", "demo0", "{id}", "demo0-1").Replace(o.Path)
	query := "?limit="
	if !strings.Contains(o.Path, "{slug}") {
		query = "?project=demo0&limit="
	}
	switch o.Name {
	case "search":
		query = "?q=word&limit="
	case "estate":
		query = "?limit="
	case "inbox":
		query = "?all=true&limit="
	}
	code, said := ask("GET", path+query+"2", "", "")
	var answer any
	if err := json.Unmarshal(said, &answer); code != 200 || err != nil {
		t.Errorf("GET %s: %d %.300s", path+query+"2", code, said)
		return
	}
	longest := 0
	records(o.Name, answer, func(name string, n int) {
		longest = max(longest, n)
		if n > 2 {
			t.Errorf("%s has %d, and the limit is 2", name, n)
		}
	})
	if longest < 2 {
		t.Errorf("%s returns nothing that the limit cuts: %.300s", o.Name, said)
	}
	if code, said := ask("GET", path+query+"0", "", ""); code != 422 || !strings.Contains(string(said), "limit") {
		t.Errorf("GET %s: %d %.300s", path+query+"0", code, said)
	}
}

// records calls fn for every list of objects in an answer, with its path. Lists within a record do not count.
func records(name string, v any, fn func(name string, n int)) {
	switch v := v.(type) {
	case map[string]any:
		for member, inner := range v {
			records(name+"."+member, inner, fn)
		}
	case []any:
		if otherLists[name] {
			for _, inner := range v {
				records(name+"[]", inner, fn)
			}
			return
		}
		if len(v) > 0 {
			if _, object := v[0].(map[string]any); object {
				fn(name, len(v))
			}
		}
	}
}
