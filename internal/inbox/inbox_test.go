package inbox_test

import (
	"fmt"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestApprovalsGoFromTheInboxAsTheyAreGiven(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A", "gate": "ship"}`, `{"key": "b", "title": "B", "deps": ["a"]}`)
		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "done"})
		k.Refused(err, fault.Declined, "missing approvals")
		coretest.EqualSlices(k, "ann's", inboxOf(coretest.Ann, k), "approval_requested:demo-1:role:lead", "approval_requested:demo-1:role:lead#2")
		coretest.EqualSlices(k, "bob's", inboxOf(coretest.Bob, k), "verification_requested:demo-1:actor:bob")
		coretest.EqualSlices(k, "bot's", inboxOf(coretest.Bot, k))
		out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
		k.Must(err)
		if it := out.Items[0]; it.Why != "approval by lead: it ships" || it.For != "role:lead" || it.Unblocks != 1 || it.Title != "A" {
			k.Errorf("%+v", it)
		}
		_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-1"})
		k.Must(err)
		coretest.EqualSlices(k, "ann's", inboxOf(coretest.Ann, k))
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "in_review"})
		k.Must(err)
		coretest.EqualSlices(k, "ann's", inboxOf(coretest.Ann, k))
		_, err = k.Work.Approve(coretest.Bob, work.ApproveIn{Task: "demo-1", Kind: "verification"})
		k.Must(err)
		coretest.EqualSlices(k, "ann's, in review with nothing missing", inboxOf(coretest.Ann, k))
	})
}

func TestTheInboxIsExactToAThousand(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		grow := func(slug string, from, to int) {
			var tasks []string
			for i := from; i < to; i++ {
				tasks = append(tasks, fmt.Sprintf(`{"key": "k%d", "title": "T", "status": "in_review"}`, i))
			}
			apply(k, slug, tasks...)
		}
		look := func(total int, more bool) {
			k.Helper()
			out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
			k.Must(err)
			if out.Total != total || out.TotalMore != more || len(out.Items) != 50 || out.Items[49].ID != "review:demo-50" {
				k.Errorf("total %d, more %v, %d items, the last %s", out.Total, out.TotalMore, len(out.Items), out.Items[len(out.Items)-1].ID)
			}
		}
		grow("demo", 0, 1000)
		look(1000, false)
		grow("demo", 1000, 1001)
		look(1000, true)
		out, err := k.Inbox.Estate(coretest.Ann, inbox.EstateIn{})
		k.Must(err)
		if out.Matching != 1000 || !out.TotalMore || out.Watermark != *out.Items[49].Event {
			k.Errorf("matching %d, more %v, watermark %d", out.Matching, out.TotalMore, out.Watermark)
		}
		for _, limit := range []int{0, -1} {
			_, err = k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", Limit: &limit})
			k.Refused(err, fault.Invalid, "limit is")
		}
	})
}

// If there are more items than are counted, the other kinds are read only up to the limit. The oldest still come first.
func TestTheInboxIsOldestFirstPastAThousand(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		var asked, reviewed []string
		for i := range 80 {
			asked = append(asked, fmt.Sprintf(`{"key": "q%d", "title": "Q"}`, i))
		}
		apply(k, "demo", asked...)
		var want []string
		for i := range asked {
			q, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: fmt.Sprintf("demo-%d", i+1), Text: "which?", Blocking: true})
			k.Must(err)
			want = append(want, fmt.Sprintf("blocking_question:demo-%d:%d", i+1, q.ID))
		}
		for i := range 1001 {
			reviewed = append(reviewed, fmt.Sprintf(`{"key": "r%d", "title": "R", "status": "in_review"}`, i))
		}
		apply(k, "demo", reviewed...)
		for _, limit := range []int{1, 50, 70, 100} {
			out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", Limit: &limit})
			k.Must(err)
			var got []string
			for _, it := range out.Items {
				got = append(got, it.ID)
			}
			first := min(limit, len(want))
			if len(got) != limit || !out.TotalMore {
				k.Fatalf("limit %d: %d items, more %v", limit, len(got), out.TotalMore)
			}
			coretest.EqualSlices(k, fmt.Sprintf("the first of %d", limit), got[:first], want[:first]...)
		}
	})
}
