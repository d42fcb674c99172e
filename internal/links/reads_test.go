package links_test

import (
	"strings"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/links"
	"tasker/internal/task/waiting"
	"tasker/internal/testkit/coretest"
)

func TestAProjectWithoutLinksSaysSo(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		in := core.ProjectIn{Slug: "demo"}
		sync, err := k.Links.Sync(coretest.Ann, in)
		if k.Must(err); len(sync.Links) != 0 || sync.Loop != nil {
			k.Errorf("%+v", sync)
		}
		own, err := k.Links.Ownership(coretest.Ann, in)
		if k.Must(err); own.Preset != "local" || len(own.Fields) == 0 || own.Fields[0].Owner != "local" {
			k.Errorf("%+v", own)
		}
		conflicts, err := k.Links.Conflicts(coretest.Ann, in)
		if k.Must(err); conflicts.Total != 0 || len(conflicts.Items) != 0 {
			k.Errorf("%+v", conflicts)
		}
		_, err = k.Links.Sync(coretest.Ann, core.ProjectIn{Slug: "none"})
		k.Refused(err, fault.NotFound, `there is no project "none"`)
	})
}

// A stopped loop is in the inbox until somebody puts the item away or the loop runs again, and once
// more when it stops again.
func TestALoopThatRunsNoMoreStandsInTheInbox(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		bound(k)
		run := func(everyMs int64) {
			k.Helper()
			in := links.LeaseIn{Project: "demo", Holder: "a", EveryMs: everyMs, ForMs: everyMs, Ran: true}
			if mine, err := k.Links.Lease(coretest.Ann, in); err != nil || !mine {
				k.Fatal(mine, err)
			}
			k.Pass(10 * time.Millisecond)
		}
		items := func(want int) []inbox.Item {
			k.Helper()
			out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
			k.Must(err)
			if len(out.Items) != want {
				k.Fatalf("%d items, want %d: %+v", len(out.Items), want, out.Items)
			}
			return out.Items
		}
		items(0)
		run(3_600_000)
		items(0)
		run(1)
		it := items(1)[0]
		if it.Kind != waiting.ItemSyncFailed || it.Task != "demo-1" || it.Since == 0 || !strings.Contains(it.Why, "check that the server is running") {
			k.Errorf("%+v", it)
		}
		_, err := k.Inbox.Ack(coretest.Ann, inbox.AckIn{Slug: "demo", Items: []string{it.ID}})
		k.Must(err)
		items(0)
		run(1)
		if again := items(1)[0]; again.ID == it.ID {
			k.Errorf("%s was put away", again.ID)
		}
		run(3_600_000)
		items(0)
	})
}
