package inbox_test

import (
	"slices"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestTheMarkNeverMovesBack(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A"}`, `{"key": "b", "title": "B"}`)
		_, err := k.Inbox.Seen(coretest.Ann, inbox.SeenIn{})
		k.Refused(err, fault.Invalid, "there is no watermark")
		for _, wrong := range []int64{-1, 1 << 40} {
			_, err := k.Inbox.Seen(coretest.Ann, inbox.SeenIn{Watermark: &wrong})
			k.Refused(err, fault.Invalid, "watermark is")
		}
		before, err := k.Reading.Newest(coretest.Ann, core.None{})
		k.Must(err)
		for _, c := range [][2]int64{{2, 2}, {1, 2}, {3, 3}} {
			out, err := k.Inbox.Seen(coretest.Ann, inbox.SeenIn{Watermark: &c[0]})
			if k.Must(err); out.Watermark != c[1] {
				k.Errorf("after seen %d the watermark is %d", c[0], out.Watermark)
			}
		}
		if after, err := k.Reading.Newest(coretest.Ann, core.None{}); err != nil || after != before {
			k.Errorf("a reader's mark made an event: newest %d, then %d (%v)", before, after, err)
		}
		for reader, seen := range map[string]int64{"ann": 3, "bob": 0} {
			out, err := k.Inbox.Estate(coretest.Bob, inbox.EstateIn{Actor: reader})
			if k.Must(err); out.Seen != seen || len(out.Items) != 2 || out.Items[0].New != (seen == 0) {
				k.Errorf("%s: %+v", reader, out)
			}
		}
	})
}

// TestWhatTheMarkHasPassedLeavesTheInbox: overrides and lapsed leases only tell what happened, so the mark of the estate
// puts them away for its reader. A question stays until it is answered.
func TestWhatTheMarkHasPassedLeavesTheInbox(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A", "criteria": ["works"]}`, `{"key": "b", "title": "B"}`, `{"key": "c", "title": "C"}`, `{"key": "d", "title": "D", "criteria": ["works"]}`, `{"key": "e", "title": "E"}`)
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2", LeaseMs: new(int64(1000))})
		k.Must(err)
		k.Pass(1100 * time.Millisecond)
		force := func(id string) {
			_, err := k.Work.Move(coretest.Ann, work.MoveIn{Task: id, To: "done", Force: true})
			k.Must(err)
		}
		k.Claim(coretest.Bee, "demo-5") // this sweeps
		force("demo-1")
		_, err = k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-3", Text: "Which?", Blocking: true})
		k.Must(err)
		kinds := func(in inbox.InboxIn) (out []string) {
			in.Slug = "demo"
			got, err := k.Inbox.Inbox(coretest.Ann, in)
			k.Must(err)
			coretest.Equal(k, "total", got.Total, len(got.Items))
			for _, it := range got.Items {
				out = append(out, string(it.Kind)+" "+string(it.Task))
				if it.Seen {
					out[len(out)-1] += ", seen"
				}
			}
			slices.Sort(out)
			return out
		}
		coretest.EqualSlices(k, "before", kinds(inbox.InboxIn{}), "blocking_question demo-3", "lease_expired demo-2", "override demo-1")
		newest, err := k.Reading.Newest(coretest.Ann, core.None{})
		k.Must(err)
		_, err = k.Inbox.Seen(coretest.Ann, inbox.SeenIn{Watermark: &newest})
		k.Must(err)
		coretest.EqualSlices(k, "after", kinds(inbox.InboxIn{}), "blocking_question demo-3")
		coretest.EqualSlices(k, "all", kinds(inbox.InboxIn{All: true}), "blocking_question demo-3", "lease_expired demo-2, seen", "override demo-1, seen")
		coretest.EqualSlices(k, "bob's", kinds(inbox.InboxIn{Actor: "bob"}), "blocking_question demo-3", "lease_expired demo-2", "override demo-1")
		force("demo-4")
		coretest.EqualSlices(k, "a new one", kinds(inbox.InboxIn{}), "blocking_question demo-3", "override demo-4")
	})
}
