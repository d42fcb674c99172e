package inbox_test

import (
	"context"
	"fmt"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/store"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestAnItemPutAwayComesBackWhenItHappensAnew(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A", "status": "in_review"}`)
		coretest.EqualSlices(k, "ann's", inboxOf(coretest.Ann, k), "review:demo-1")
		for range 2 { // the second time succeeds and changes nothing
			out, err := k.Inbox.Ack(coretest.Ann, inbox.AckIn{Slug: "demo", Items: []string{"review:demo-1"}})
			k.Must(err)
			coretest.EqualSlices(k, "put away for "+out.Actor, out.Items, "review:demo-1")
		}
		coretest.EqualSlices(k, "ann's", inboxOf(coretest.Ann, k))
		coretest.EqualSlices(k, "bob's", inboxOf(coretest.Bob, k), "review:demo-1")
		all, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", All: true})
		k.Must(err)
		if len(all.Items) != 1 || !all.Items[0].Seen {
			k.Errorf("%+v", all)
		}
		for _, to := range []string{"open", "in_review"} {
			_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: to})
			k.Must(err)
		}
		coretest.EqualSlices(k, "ann's", inboxOf(coretest.Ann, k), "review:demo-1")
	})
}

func TestOnlyWhatIsInTheInboxIsPutAway(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A"}`)
		apply(k, "other", `{"key": "a", "title": "A", "status": "in_review"}`)
		for _, c := range []struct {
			items []string
			kind  fault.Kind
			words string
		}{
			{nil, fault.Invalid, "no item is named"},
			{[]string{"demo-1"}, fault.Invalid, "is not the id of an inbox item"},
			{[]string{"party:demo-1"}, fault.Invalid, "is not the id of an inbox item"},
			{[]string{"review:demo-1"}, fault.NotFound, "there is no item review:demo-1"},
			{[]string{"review:demo-9"}, fault.NotFound, "there is no item review:demo-9"},
			{[]string{"review:other-1"}, fault.NotFound, "in the inbox of demo"},
		} {
			_, err := k.Inbox.Ack(coretest.Ann, inbox.AckIn{Slug: "demo", Items: c.items})
			k.Refused(err, c.kind, c.words)
		}
		_, err := k.Inbox.Ack(coretest.Ann, inbox.AckIn{Slug: "none", Items: []string{"review:none-1"}})
		k.Refused(err, fault.NotFound, `there is no project "none"`)
	})
}

func TestSeenItemsAreNotReadAgain(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A", "criteria": ["x"]}`)
		for range 3 {
			_, err := k.Work.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done", Force: true})
			k.Must(err)
			_, err = k.Work.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "open"})
			k.Must(err)
		}
		items := inboxOf(coretest.Bob, k)
		if len(items) != 3 {
			k.Fatalf("%v", items)
		}
		seenTo := func() (stamp int64, rows int) {
			k.Helper()
			k.Must(k.Store.Read(context.Background(), func(tx *store.Tx) (err error) {
				if stamp, err = inboxdb.SeenAll(tx, "bob", "demo", waiting.WaitOverride); err != nil {
					return err
				}
				seen, err := inboxdb.Seen(tx, "bob", "demo", []task.ID{"demo-1"})
				rows = len(seen)
				return err
			}))
			return stamp, rows
		}
		put := func(item string) {
			k.Helper()
			_, err := k.Inbox.Ack(coretest.Bob, inbox.AckIn{Slug: "demo", Items: []string{item}})
			k.Must(err)
		}
		put(items[1])
		if stamp, rows := seenTo(); stamp != 0 || rows != 1 {
			k.Errorf("with the first unseen: all seen up to %d, and %d more", stamp, rows)
		}
		put(items[0])
		coretest.EqualSlices(k, "bob's", inboxOf(coretest.Bob, k), items[2])
		if stamp, rows := seenTo(); fmt.Sprint("override:demo-1:", stamp) != items[1] || rows != 0 {
			k.Errorf("with two of three seen: all seen up to %d, and %d more", stamp, rows)
		}
		all, err := k.Inbox.Inbox(coretest.Bob, inbox.InboxIn{Slug: "demo", All: true})
		k.Must(err)
		if len(all.Items) != 3 || !all.Items[0].Seen || !all.Items[1].Seen || all.Items[2].Seen {
			k.Errorf("%+v", all.Items)
		}
		coretest.EqualSlices(k, "ann's", inboxOf(coretest.Ann, k), items...)
	})
}
