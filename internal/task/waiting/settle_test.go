package waiting_test

import (
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/waiting"
)

// Each item names what settles it, and only what would not be refused.
func TestItemsNameWhatSettlesThem(t *testing.T) {
	const back = "tasker return demo-1 --because 'TEXT'"
	lead := &task.Requirement{Role: "team lead"}
	unticked := []task.Criterion{{Index: 1}, {Index: 3}}
	of := func(kind waiting.WaitKind) waiting.Settling {
		return waiting.Settling{Waiting: waiting.Waiting{Kind: kind, Event: 7, Record: 9}}
	}
	review := of(waiting.WaitJudgement)
	approval := func(need *task.Requirement, lost bool) waiting.Settling {
		s := of(waiting.WaitJudgement)
		s.Need, s.Lost, s.As = need, lost, waiting.KindOf(*need)
		return s
	}
	notice := func(name string, event int64) waiting.Settling {
		return waiting.Settling{Waiting: waiting.Waiting{Kind: waiting.WaitNotice, Name: name, Event: event}}
	}
	for _, c := range []struct {
		name   string
		item   waiting.Settling
		status task.Status
		left   task.Obstacles
		by     string
		want   string
	}{
		{"a review", review, task.InReview, task.Obstacles{}, "bot", "tasker done demo-1 | " + back},
		{"unticked", review, task.InReview, task.Obstacles{Criteria: unticked}, "bot", back + " | tasker done demo-1 --check 1,3"},
		{"without a note", review, task.InReview, task.Obstacles{Note: true}, "bot", back + " | tasker done demo-1 --note 'TEXT'"},
		{"without evidence", review, task.InReview, task.Obstacles{Criteria: unticked, Evidence: []string{"tests"}}, "bot", back},
		{"with open parts", waiting.Settling{Waiting: review.Waiting, Parts: 2}, task.InReview, task.Obstacles{}, "bot", back},
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
		{"a question that blocks nothing", of(waiting.WaitAsked), task.Open, task.Obstacles{}, "bot/2", "tasker answer 7 'TEXT' | tasker inbox ack ITEM"},
		{"one of one's own", of(waiting.WaitAsked), task.Open, task.Obstacles{}, "ann/2", "tasker answer 7 --withdraw"},
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
		c.item.Task, c.item.ID, c.item.Project, c.item.Status, c.item.Left = "demo-1", "ITEM", "demo", c.status, c.left
		if got := strings.Join(c.item.Commands(task.Actor{Name: "ann", Human: true}, c.by), " | "); got != c.want {
			t.Errorf("%s is settled by %q, want %q", c.name, got, c.want)
		}
	}
}
