package web

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/inbox"
	"tasker/internal/inbox/waiting"
	"tasker/internal/task"
)

// Commands that close a task in review are offered only if the reader can supply everything that is missing.
func TestWhatClosesAReviewIsOfferedWhereItCanBe(t *testing.T) {
	unticked := []task.Criterion{{Index: 1}, {Index: 3}}
	for want, left := range map[string]task.Obstacles{
		"tasker done demo-1 BACK":                           {},
		"BACK tasker done demo-1 --check 1,3":               {Criteria: unticked},
		"BACK tasker done demo-1 --note 'TEXT'":             {Note: true},
		"BACK tasker done demo-1 --check 1,3 --note 'TEXT'": {Criteria: unticked, Note: true},
		"BACK":  {Criteria: unticked, Evidence: []string{"tests"}},
		"BACK ": {Unnamed: 1},
	} {
		if got := strings.Join(judging("demo-1", left, []string{"BACK"}), " "); got != strings.TrimSpace(want) {
			t.Errorf("%+v is offered %q, want %q", left, got, want)
		}
	}
}

// Items that one command puts away share a row, whatever comes in between, and a head of few rows counts all of them.
func TestWhatIsAlikeStandsInOneRow(t *testing.T) {
	var items []inbox.Item
	for i, kind := range []waiting.ItemKind{waiting.ItemOverride, waiting.ItemLapse, waiting.ItemOverride, waiting.ItemReview, waiting.ItemQuestion, waiting.ItemOverride} {
		items = append(items, inbox.Item{Project: "demo", Task: task.MakeID("demo", int64(i+1)), Kind: kind, ID: fmt.Sprintf("i%d", i+1), Status: task.Done})
	}
	rows := func(items []inbox.Item) (out []string) {
		for _, s := range needsOf(fromInbox(items)) {
			for _, n := range s.Needs {
				out = append(out, fmt.Sprintf("%s %s %d", s.Name, n.ID, max(1, len(n.Alike))))
			}
		}
		return out
	}
	got, want := rows(items), "Questions to you i5 1, Stalled i2 1, Closed, to look at i1 3, Closed, to look at i4 1"
	if strings.Join(got, ", ") != want {
		t.Errorf("the rows are %q, want %q", got, want)
	}
	if got := strings.Join(rows(head(items, 2)), ", "); got != "Stalled i2 1, Closed, to look at i1 3" {
		t.Errorf("the first two rows are %q", got)
	}
}
