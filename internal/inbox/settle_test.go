package inbox_test

import (
	"testing"

	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
)

// Items that one command settles share it.
func TestItemsThatAreAlikeShareACommand(t *testing.T) {
	item := func(id string, kind waiting.ItemKind) inbox.Item {
		ref, err := waiting.ParseItem(id)
		if err != nil {
			t.Fatal(err)
		}
		return inbox.Item{ID: id, Kind: kind, Project: "demo", Task: ref.Task}
	}
	closed, other := item("review:demo-1:closed", waiting.ItemReview), item("review:demo-2:closed", waiting.ItemReview)
	lapse, late := item("lease_expired:demo-3", waiting.ItemLapse), item("lease_expired:demo-4", waiting.ItemLapse)
	review := item("review:demo-5", waiting.ItemReview)
	if !inbox.Alike(closed, other) || !inbox.Alike(lapse, late) || inbox.Alike(closed, review) || inbox.Alike(review, review) || inbox.Alike(closed, lapse) {
		t.Error("which items are alike")
	}
	if got := inbox.Together([]inbox.Item{closed, other}); got != "tasker approve demo-1 demo-2" {
		t.Error(got)
	}
	if got := inbox.Together([]inbox.Item{lapse, late}); got != "tasker inbox ack lease_expired:demo-3 lease_expired:demo-4" {
		t.Error(got)
	}
}

// A row says each thing once: why an item is there leaves out what its About says, and a branch that is bound is not named twice.
func TestARowSaysEachThingOnce(t *testing.T) {
	a := &inbox.About{Branch: "task/demo-1", Bindings: []task.Binding{{Ref: "o/n#12", State: "open"}}}
	for _, c := range []struct {
		item inbox.Item
		asks string
	}{
		{inbox.Item{Why: "handed over; ticks: 1 run", About: a}, "handed over"},
		{inbox.Item{Why: "handed over; ticks: 1 run"}, "handed over; ticks: 1 run"},
		{inbox.Item{Kind: waiting.ItemFailing, Why: "it failed; the last note: x", About: a}, "it failed"},
	} {
		if got := c.item.Asks(); got != c.asks {
			t.Errorf("%q asks %q, want %q", c.item.Why, got, c.asks)
		}
	}
	if got := a.Work(); got != "branch task/demo-1; o/n#12, open" {
		t.Errorf("the work is %q", got)
	}
	a.Bindings[0].Ref = "o/n@task/demo-1"
	if got := a.Work(); got != "o/n@task/demo-1, open" {
		t.Errorf("the work on a bound branch is %q", got)
	}
}
