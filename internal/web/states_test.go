package web_test

import (
	"strings"
	"testing"
)

// TestReadyAndWaitingAreToldApartOnEveryPage looks for the status "open", in which what can be taken and what waits are the same.
func TestReadyAndWaitingAreToldApartOnEveryPage(t *testing.T) {
	h := site(t, small)
	for path, want := range map[string][]string{
		"/p/demo/graph?show=all": {"n-ready", "n-waiting", "demo-2 · waiting", `st-ready`, `st-waiting`},
		"/p/demo/timeline":       {`st-ready`, `st-waiting`},
		"/p/demo/bottlenecks":    {"To act on now", "These wait themselves", "take it", "what it waits for"},
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
