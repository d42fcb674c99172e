package merge_test

import (
	"slices"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/merge"
)

func TestWhichTasksARequestIsFor(t *testing.T) {
	for _, c := range []struct {
		of    merge.Request
		named []task.ID
	}{
		{merge.Request{Branch: "tasker/demo-4-fix-it"}, []task.ID{"demo-4"}},
		{merge.Request{Branch: "tasker/demo-4"}, []task.ID{"demo-4"}},
		{merge.Request{Branch: "tasker/demo-4", Fork: true}, nil},
		{merge.Request{Branch: "feature/demo-4"}, nil},
		{merge.Request{Branch: "tasker/x-demo-4"}, nil},
		{merge.Request{Branch: "tasker/demo-x-4"}, nil},
		{merge.Request{Branch: "x", Text: "Words.\n\nTask: demo-7, demo-8\nTask: other-9\ntask:  demo-7"}, []task.ID{"demo-7", "demo-8"}},
		{merge.Request{Branch: "x", Fork: true, Text: "Task: demo-7\r\n"}, []task.ID{"demo-7"}},
		{merge.Request{Branch: "x", Text: "The Task: demo-7\n> Task: demo-8"}, nil},
		{merge.Request{Branch: "x", Messages: []string{"fix\n\nTask: demo-2\n", "again\n\nTask: demo-2"}}, []task.ID{"demo-2"}},
		{merge.Request{Branch: "x", Title: "demo-3: fix"}, nil},
	} {
		if got := c.of.Named("demo", "tasker/"); !slices.Equal(got, c.named) {
			t.Errorf("%+v names %v, want %v", c.of, got, c.named)
		}
	}
	r := merge.Request{Title: "demo-3: as in (demo-12), x-demo-5 and demo-03"}
	if got := r.Mentioned("demo"); !slices.Equal(got, []task.ID{"demo-3", "demo-12"}) {
		t.Error(got)
	}
}

func TestWhatAMergedRequestShows(t *testing.T) {
	r := merge.Request{
		Repo: "own/code", Number: 3, URL: "https://host/own/code/pull/3", State: merge.RequestMerged, Merge: "abc", Head: "def",
		Checks: merge.Checks{Passed: 2, Total: 2},
	}
	kinds := func(r merge.Request) (out []string) {
		for _, e := range r.Evidence() {
			out = append(out, e.Kind+" "+e.Value)
		}
		return out
	}
	same := func(got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	same(kinds(r), "pull_request https://host/own/code/pull/3", "commit abc", "checks 2 of 2 passed on def")
	fork := r
	fork.Fork = true
	same(kinds(fork), "pull_request https://host/own/code/pull/3", "commit abc")
	red := r
	red.Checks.Passed = 1
	same(kinds(red), "pull_request https://host/own/code/pull/3", "commit abc")
	open := r
	open.State = merge.RequestOpen
	same(kinds(open))
}
