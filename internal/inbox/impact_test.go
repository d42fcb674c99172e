package inbox_test

import (
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// An inbox sorted by impact begins with what is urgent, and within that with what frees the most work.
func TestInboxByImpact(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "few", "title": "Few"}, {"key": "many", "title": "Many"}, {"key": "x", "title": "X", "deps": ["few"]},
			{"key": "y", "title": "Y", "deps": ["many"]}, {"key": "z", "title": "Z", "deps": ["y", "many"]}, {"key": "q", "title": "Q"}`)
		for _, id := range []string{"demo-1", "demo-2"} {
			_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: id})
			k.Must(err)
			_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: id, To: string(task.InReview)})
			k.Must(err)
		}
		_, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-6", Text: "Which?", Blocking: true})
		k.Must(err)
		out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", Sort: "impact"})
		k.Must(err)
		var got []string
		for _, it := range out.Items {
			if it.Frees == nil {
				k.Fatalf("%s does not say what it frees", it.ID)
			}
			got = append(got, string(it.Task)+":"+string(rune('0'+it.Frees.Now))+"/"+string(rune('0'+it.Frees.InAll)))
		}
		if want := "demo-6:1/0 demo-2:1/2 demo-1:1/1"; strings.Join(got, " ") != want || out.Total != 3 {
			k.Errorf("the inbox is %v of %d, want %s", got, out.Total, want)
		}
		one := 1
		if out, err = k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", Sort: "impact", Limit: &one}); err != nil || len(out.Items) != 1 ||
			out.Items[0].Task != "demo-6" || out.Total != 3 {
			k.Errorf("the first is %+v, %v", out, err)
		}
		if out, err = k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"}); err != nil || out.Items[0].Task != "demo-1" || out.Items[0].Frees != nil {
			k.Errorf("without an order the oldest is first: %+v, %v", out, err)
		}
		if _, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", Sort: "size"}); !fault.Is(err, fault.Invalid) {
			k.Errorf("an unknown order: %v", err)
		}
	})
}
