package web

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// Items that one command puts away share a row, whatever comes in between, and a head of few rows counts all of them.
func TestWhatIsAlikeStandsInOneRow(t *testing.T) {
	var items []inbox.Item
	for i, kind := range []waiting.ItemKind{waiting.ItemOverride, waiting.ItemLapse, waiting.ItemOverride, waiting.ItemReview, waiting.ItemQuestion, waiting.ItemOverride} {
		items = append(items, inbox.Item{Project: "demo", Task: task.MakeID("demo", int64(i+1)), Kind: kind, ID: fmt.Sprintf("%s:demo-%d:closed", kind, i+1), Status: task.Done})
	}
	rows := func(items []inbox.Item) (out []string) {
		for _, s := range needsOf(fromInbox(items)) {
			for _, n := range s.Needs {
				out = append(out, fmt.Sprintf("%s %s %d", s.Name, n.Task, max(1, len(n.Alike))))
			}
		}
		return out
	}
	got, want := rows(items), "Questions demo-5 1, In trouble demo-2 1, Closed, to look at demo-1 3, Closed, to look at demo-4 1"
	if strings.Join(got, ", ") != want {
		t.Errorf("the rows are %q, want %q", got, want)
	}
	if got := strings.Join(rows(head(items, 2)), ", "); got != "In trouble demo-2 1, Closed, to look at demo-1 3" {
		t.Errorf("the first two rows are %q", got)
	}
}
