package inbox_test

import (
	"context"
	"strings"
	"testing"

	"tasker/internal/inbox"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// A runner that stops by itself is one item a cause, until one like it works again or a human puts it away.
func TestARunnerThatStoppedByItselfIsOneItemACause(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A"}`, `{"key": "b", "title": "B"}`, `{"key": "c", "title": "C"}`)
		say := func(who context.Context, host, state, why string, tasks ...string) {
			k.Helper()
			in := work.RunnerIn{Slug: "demo", Host: host, State: state, Workers: 1, Tasks: tasks}
			if why != "" {
				in.Why = &why
			}
			_, err := k.Work.Runners(who, in)
			k.Must(err)
		}
		waits := func(want ...string) {
			k.Helper()
			for name, ctx := range readers {
				got, err := k.Inbox.Inbox(ctx, inbox.InboxIn{Slug: "demo"})
				k.Must(err)
				var why []string
				for _, it := range got.Items {
					why = append(why, string(it.Task)+": "+it.Why)
				}
				coretest.EqualSlices(k, name+"'s", why, want...)
			}
		}
		one, two := coretest.As(task.Actor{Name: "bot", Instance: "1", Declared: true}), coretest.As(task.Actor{Name: "bot", Instance: "2", Declared: true})
		const said = "3 tasks failed one after the other with the same last line: no such host"
		const item = "demo-3: the runner of bot/1 on build stopped by itself: " + said + " (demo-1, demo-2 and demo-3)"
		const other = "demo-1: the runner of bot/1 on mill stopped by itself: " + said + " (demo-1)"
		say(one, "build", "working", "")
		say(one, "build", "stopped", "") // as it was told to
		waits()
		say(one, "build", "working", "")
		say(one, "build", "stopped", said, "demo-1", "demo-2", "demo-3")
		say(one, "build", "stopped", said, "demo-1", "demo-2", "demo-3") // said again, because its answer was lost
		waits(item)
		say(two, "build", "working", "") // settles it
		waits()
		say(one, "build", "working", "")
		say(one, "build", "stopped", said, "demo-1", "demo-2", "demo-3")
		say(two, "build", "stopped", said, "demo-2") // for the same reason
		say(one, "mill", "stopped", said, "demo-1")  // on another machine
		waits(item, other)

		var items []inbox.Item
		k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) error {
			p, err := tx.Project("demo")
			k.Must(err)
			items, _, err = k.Inbox.Caused(tx, p, 0, tx.LastEvent())
			return err
		}))
		coretest.Equal(k, "notifications", len(items), 2)
		ack := func(who context.Context, id string) {
			k.Helper()
			_, err := k.Inbox.Ack(who, inbox.AckIn{Slug: "demo", Items: []string{id}})
			k.Must(err)
		}
		if !strings.HasPrefix(items[0].ID, "runner:demo-3:") {
			k.Errorf("the item is %s", items[0].ID)
		}
		ack(coretest.Bot, items[0].ID) // for the agent alone
		waits(item, other)
		ack(coretest.Ann, items[0].ID) // for everybody, with all of that cause
		waits(other)
		say(two, "mill", "idle", "") // does not work
		waits(other)
		say(two, "mill", "working", "")
		waits()
		k.Healthy()
	})
}
