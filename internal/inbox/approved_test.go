package inbox_test

import (
	"testing"

	"tasker/internal/inbox"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// What a human has approved or verified leaves the inbox: a task that an agent closed although it was supervised leaves
// everybody's, and a review the inbox of the one who approved, since somebody still has to close the task.
func TestWhatWasApprovedLeavesTheInbox(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo",
			`{"key": "a", "title": "A", "autonomy": "supervised"}`, `{"key": "b", "title": "B", "autonomy": "supervised"}`,
			`{"key": "c", "title": "C"}`, `{"key": "d", "title": "D", "gate": "ship"}`)
		for id, to := range map[string]string{"demo-1": "done", "demo-2": "cancelled"} {
			_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: id, To: to})
			k.Must(err)
		}
		approve := func(id, kind string) {
			k.Helper()
			_, err := k.Work.Approve(coretest.Bob, work.ApproveIn{Task: id, Kind: kind})
			k.Must(err)
		}
		closed := func(want int) {
			k.Helper()
			if got := len(inboxOf(coretest.Ann, k)); got != want {
				k.Errorf("%d items wait for ann, want %d: %v", got, want, inboxOf(coretest.Ann, k))
			}
			coretest.EqualSlices(k, "bob's", inboxOf(coretest.Bob, k), inboxOf(coretest.Ann, k)...)
		}
		closed(2)
		approve("demo-1", "")
		closed(1)
		approve("demo-2", "verification")
		closed(0)

		_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-3", To: "in_review"})
		k.Must(err)
		closed(1)
		approve("demo-3", "")
		coretest.EqualSlices(k, "bob's, who approved", inboxOf(coretest.Bob, k))
		coretest.EqualSlices(k, "ann's, who can close it", inboxOf(coretest.Ann, k), "review:demo-3")
		for _, to := range []string{"open", "in_review"} { // handed over again
			_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-3", To: to})
			k.Must(err)
		}
		coretest.EqualSlices(k, "bob's, handed over again", inboxOf(coretest.Bob, k), "review:demo-3")
		_, err = k.Work.Move(coretest.Ann, work.MoveIn{Task: "demo-3", To: "done"})
		k.Must(err)

		// The last approval that was missing makes it a review, for the approver too.
		_, err = k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-4", To: "in_review"})
		k.Must(err)
		_, err = k.Work.Approve(coretest.Ann, work.ApproveIn{Task: "demo-4"})
		k.Must(err)
		approve("demo-4", "verification")
		coretest.EqualSlices(k, "bob's, with nothing missing", inboxOf(coretest.Bob, k), "review:demo-4")
		all, err := k.Inbox.Inbox(coretest.Bob, inbox.InboxIn{Slug: "demo", All: true})
		k.Must(err)
		coretest.EqualSlices(k, "settled by", all.Items[0].Settle, "tasker done demo-4", "tasker return demo-4 --because 'TEXT'")
	})
}
