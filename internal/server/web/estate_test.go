package web_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tasker/internal/admin"
	"tasker/internal/op"
	"tasker/internal/work"
)

// TestTheRowsOfAllProjects: a need says on the page of all projects what it says in its inbox, every row has a likely
// date, and the projects for which there is no time stand apart.
func TestTheRowsOfAllProjects(t *testing.T) {
	page := worked(t, lane, func(ctx context.Context, ops op.Caller) {
		did(ctx, t, ops, op.Ask, work.AskIn{Task: "demo-1", Text: "Which?", Blocking: true})
		for i := range 25 {
			did(ctx, t, ops, op.ProjectCreate, admin.ProjectCreateIn{Slug: fmt.Sprintf("p%d", i)})
		}
	})
	for _, path := range []string{"/?all=true", "/p/demo/inbox?all=true"} {
		got := said(page(path), "<main")
		if !strings.Contains(got, "holds up 2 others tasker answer") {
			t.Errorf("%s does not say what the question holds up: %.900s", path, got)
		}
	}
	body := page("/?all=true")
	first, rest, found := strings.Cut(body, "2 more projects, without dates")
	if n := strings.Count(first, `data-key="s`); n != 24 || !found || strings.Count(rest, `data-key="s`) != 2 {
		t.Errorf("%d projects have dates: %.900s", n, said(body, "<main"))
	}
	if got := said(body, "<main"); !strings.Contains(got, "Forecast after 20 tasks claimed and closed here (0 so far)") || !strings.Contains(got, "See its timeline") {
		t.Errorf("the page does not say when demo is done, or where that stands: %.300s", got)
	}
}

// TestWorkSaysWhatItLists: batches name their tasks, and a list that is cut says so.
func TestWorkSaysWhatItLists(t *testing.T) {
	page := worked(t, lane, func(context.Context, op.Caller) {})
	if got := said(page("/p/demo/work"), `class="batches"`); !strings.Contains(got, "demo-1 First demo-5 Part") {
		t.Errorf("the batches are %.300q", got)
	}
	got := said(page("/p/demo/bottlenecks?limit=1"), "<main")
	for _, want := range []string{"3 open tasks hold others up", "To act on now 1+", "1 of 3 shown: see more"} {
		if !strings.Contains(got, want) {
			t.Errorf("a list of the worst does not say %q: %.400s", want, got)
		}
	}
}

// TestTheLogIsFoundInSentences: an event is found by its kind, and the page says what happened.
func TestTheLogIsFoundInSentences(t *testing.T) {
	page := worked(t, lane, func(ctx context.Context, ops op.Caller) {
		did(ctx, t, ops, op.Claim, work.ClaimIn{Task: "demo-1"})
		did(ctx, t, ops, op.Move, work.MoveIn{Task: "demo-1", To: "in_review"})
	})
	for query, want := range map[string]string{"task.claimed": "bot claimed it", "moved": "bot moved it from in progress to in review"} {
		got := said(page("/search?q="+query), `class="kinds"`)
		if !strings.Contains(got, want) || strings.Contains(got, "task.moved") || strings.Contains(got, "task.claimed") {
			t.Errorf("%s finds %.300q", query, got)
		}
	}
}
