package inbox_test

import (
	"context"
	"testing"

	"tasker/internal/inbox"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// What a human has approved or verified leaves the inbox of everybody for whom it is settled: an approval that is still
// missing stays with the people who can give it, and unfinished work with the people who have not approved it.
func TestWhatWasApprovedLeavesTheInbox(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo",
			`{"key": "a", "title": "A", "autonomy": "supervised"}`, `{"key": "b", "title": "B", "autonomy": "supervised"}`,
			`{"key": "c", "title": "C"}`, `{"key": "d", "title": "D", "gate": "ship"}`, `{"key": "e", "title": "E", "criteria": ["it works"]}`)
		move := func(ctx context.Context, id, to string) {
			k.Helper()
			_, err := k.Work.Move(ctx, work.MoveIn{Task: id, To: to})
			k.Must(err)
		}
		approve := func(ctx context.Context, id, kind string) {
			k.Helper()
			_, err := k.Work.Approve(ctx, work.ApproveIn{Task: id, Kind: kind})
			k.Must(err)
		}
		waits := func(when string, anns, bobs []string) {
			k.Helper()
			coretest.EqualSlices(k, when+": ann's", inboxOf(coretest.Ann, k), anns...)
			coretest.EqualSlices(k, when+": bob's", inboxOf(coretest.Bob, k), bobs...)
		}
		both := func(when string, items ...string) { k.Helper(); waits(when, items, items) }

		move(coretest.Bot, "demo-1", "done")
		move(coretest.Bot, "demo-2", "cancelled")
		both("closed by an agent", "review:demo-1:closed", "review:demo-2:closed")
		approve(coretest.Bob, "demo-1", "")
		both("one approved", "review:demo-2:closed")
		approve(coretest.Bob, "demo-2", "verification")
		both("the other verified")

		for range 2 { // handed over again, it waits again
			move(coretest.Bot, "demo-3", "in_review")
			both("handed over", "review:demo-3")
			approve(coretest.Bob, "demo-3", "")
			both("one has approved it")
			move(coretest.Bot, "demo-3", "open")
		}

		const verify = "verification_requested:demo-4:actor:bob"
		move(coretest.Bot, "demo-4", "in_review")
		waits("two are asked", []string{"approval_requested:demo-4:role:lead", "approval_requested:demo-4:role:lead#2"}, []string{verify})
		approve(coretest.Ann, "demo-4", "")
		waits("one has given", nil, []string{verify})
		approve(coretest.Bob, "demo-4", "verification")
		both("nothing is missing")
		all, err := k.Inbox.Inbox(coretest.Bot, inbox.InboxIn{Slug: "demo", All: true})
		k.Must(err)
		coretest.Equal(k, "items of anybody", all.Total, 0)

		move(coretest.Bot, "demo-5", "in_review")
		approve(coretest.Bob, "demo-5", "")
		waits("approved unfinished", []string{"review:demo-5"}, nil)
		_, err = k.Work.Tick(coretest.Ann, work.TickIn{Task: "demo-5", Index: 1})
		k.Must(err)
		both("finished and approved")
		k.Edit(coretest.Ann, "demo-5", `{"title": "another thing"}`)
		both("changed since the approval", "review:demo-5")
	})
}
