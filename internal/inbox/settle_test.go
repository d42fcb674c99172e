package inbox

import (
	"strings"
	"testing"

	"tasker/internal/inbox/waiting"
	"tasker/internal/links/merge"
	"tasker/internal/task"
)

// Each item names what settles it, and only what would not be refused.
func TestItemsNameWhatSettlesThem(t *testing.T) {
	const back = "tasker return demo-1 --because 'TEXT'"
	lead := &task.Requirement{Role: "team lead"}
	unticked := []task.Criterion{{Index: 1}, {Index: 3}}
	of := func(kind waiting.WaitKind) stub { return stub{of: waiting.Waiting{Kind: kind, Event: 7, Record: 9}} }
	review := of(waiting.WaitJudgement)
	approval := func(need *task.Requirement, lost bool) stub {
		s := of(waiting.WaitJudgement)
		s.need, s.lost, s.kind = need, lost, waiting.KindOf(*need)
		return s
	}
	notice := func(name string, event int64) stub {
		return stub{of: waiting.Waiting{Kind: waiting.WaitNotice, Name: name, Event: event}}
	}
	for _, c := range []struct {
		name   string
		item   stub
		status task.Status
		left   task.Obstacles
		by     string
		want   string
	}{
		{"a review", review, task.InReview, task.Obstacles{}, "bot", "tasker done demo-1 | " + back},
		{"unticked", review, task.InReview, task.Obstacles{Criteria: unticked}, "bot", back + " | tasker done demo-1 --check 1,3"},
		{"without a note", review, task.InReview, task.Obstacles{Note: true}, "bot", back + " | tasker done demo-1 --note 'TEXT'"},
		{"without evidence", review, task.InReview, task.Obstacles{Criteria: unticked, Evidence: []string{"tests"}}, "bot", back},
		{"with open parts", stub{of: review.of, parts: 2}, task.InReview, task.Obstacles{}, "bot", back},
		{"asked about", review, task.InReview, task.Obstacles{Unnamed: 1}, "bot", back},
		{"an approval in review", approval(lead, false), task.InReview, task.Obstacles{}, "bot", "tasker approve demo-1 --role 'team lead' | " + back},
		{"an approval before", approval(&task.Requirement{}, false), task.Open, task.Obstacles{}, "bot", "tasker approve demo-1"},
		{
			"a verification", approval(&task.Requirement{Kind: task.KindVerification}, false), task.InReview, task.Obstacles{}, "bot",
			"tasker approve demo-1 --kind verification | " + back,
		},
		{"an approval that nobody can give", approval(lead, true), task.InReview, task.Obstacles{}, "bot", back + " | tasker inbox ack ITEM"},
		{"closed unwatched", of(waiting.WaitUnsupervised), task.Done, task.Obstacles{}, "bot", "tasker approve demo-1 | tasker reopen demo-1 --note 'TEXT'"},
		{"a question", of(waiting.WaitQuestion), task.Open, task.Obstacles{}, "bot/2", "tasker answer 7 'TEXT'"},
		{"a question of one's own", of(waiting.WaitQuestion), task.Open, task.Obstacles{}, "ann/2", "tasker answer 7 --withdraw"},
		{"an override", of(waiting.WaitOverride), task.Done, task.Obstacles{}, "bot", "tasker inbox ack ITEM"},
		{"a lapse", of(waiting.WaitLapse), task.Open, task.Obstacles{}, "bot", "tasker inbox ack ITEM"},
		{"failures", of(waiting.WaitFailing), task.Open, task.Obstacles{}, "bot", "tasker inbox ack ITEM"},
		{"a stall", of(waiting.WaitStall), task.InProgress, task.Obstacles{}, "bot", "tasker release demo-1"},
		{"nobody's", of(waiting.WaitUnheld), task.InProgress, task.Obstacles{}, "bot", "tasker reopen demo-1"},
		{"a conflict", of(waiting.WaitDivergence), task.Open, task.Obstacles{}, "bot", "tasker resolve 9 keep_local | tasker resolve 9 take_remote"},
		{"a write", of(waiting.WaitSyncFailed), task.Open, task.Obstacles{}, "bot", "tasker sync retry 9 | tasker sync drop 9"},
		{"closed elsewhere", of(waiting.WaitUnclosed), task.Open, task.Obstacles{Note: true}, "bot", "tasker done demo-1 --note 'TEXT' | tasker inbox ack ITEM"},
		{
			"closed elsewhere, to be approved", of(waiting.WaitUnclosed), task.Open, task.Obstacles{Approvals: []task.Requirement{*lead}}, "bot",
			"tasker inbox ack ITEM",
		},
		{"merged", notice(merge.NoticeMerged, 7), task.Open, task.Obstacles{}, "bot", "tasker done demo-1 | tasker inbox ack ITEM"},
		{"a request", notice(merge.ProposedName("o/n#4"), 7), task.Open, task.Obstacles{}, "bot", "tasker bind demo-1 'o/n#4' | tasker inbox ack ITEM"},
		{"no pull", notice(merge.PullName("issue_tracker"), 7), task.Open, task.Obstacles{}, "bot", "tasker sync pull -p demo | tasker inbox ack ITEM"},
		{"no loop", notice(merge.NoticePull+":loop:x", task.ThisEvent), task.Open, task.Obstacles{}, "bot", "tasker inbox ack ITEM"},
	} {
		it := Item{ID: "ITEM", Project: "demo", Task: "demo-1", Status: c.status, Left: c.left}
		if c.item.of.Kind == waiting.WaitUnsupervised {
			it.ID = "review:demo-1:closed"
		}
		if got := strings.Join(c.item.settle(&it, task.Actor{Name: "ann", Human: true}, c.by), " | "); got != c.want {
			t.Errorf("%s is settled by %q, want %q", c.name, got, c.want)
		}
	}
}

// Items that one command settles share it.
func TestItemsThatAreAlikeShareACommand(t *testing.T) {
	item := func(id string, kind waiting.ItemKind) Item {
		ref, err := waiting.ParseItem(id)
		if err != nil {
			t.Fatal(err)
		}
		return Item{ID: id, Kind: kind, Project: "demo", Task: ref.Task}
	}
	closed, other := item("review:demo-1:closed", waiting.ItemReview), item("review:demo-2:closed", waiting.ItemReview)
	lapse, late := item("lease_expired:demo-3", waiting.ItemLapse), item("lease_expired:demo-4", waiting.ItemLapse)
	review := item("review:demo-5", waiting.ItemReview)
	if !Alike(closed, other) || !Alike(lapse, late) || Alike(closed, review) || Alike(review, review) || Alike(closed, lapse) {
		t.Error("which items are alike")
	}
	if got := Together([]Item{closed, other}); got != "tasker approve demo-1 demo-2" {
		t.Error(got)
	}
	if got := Together([]Item{lapse, late}); got != "tasker inbox ack lease_expired:demo-3 lease_expired:demo-4" {
		t.Error(got)
	}
}

// A row says each thing once: why an item is there leaves out what its About says, and a branch that is bound is not named twice.
func TestARowSaysEachThingOnce(t *testing.T) {
	a := &About{Branch: "task/demo-1", Bindings: []task.Binding{{Ref: "o/n#12", State: "open"}}}
	for _, c := range []struct {
		item Item
		asks string
	}{
		{Item{Why: "handed over; ticks: 1 run", About: a}, "handed over"},
		{Item{Why: "handed over; ticks: 1 run"}, "handed over; ticks: 1 run"},
		{Item{Kind: waiting.ItemFailing, Why: "it failed; the last note: x", About: a}, "it failed"},
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
