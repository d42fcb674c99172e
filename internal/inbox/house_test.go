package inbox_test

import (
	"context"
	"strings"
	"testing"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
)

// houseRules requires two approvals and a verification for everything that passes the gate ship.
var houseRules = task.Policy{
	Gates: map[string][]string{"ship": nil},
	ReviewPolicy: map[string][]task.Requirement{"ship": {
		{Role: "lead", Reason: "it ships"}, {Role: "lead", Reason: "it is loud"}, {Actor: "bob", Kind: task.KindVerification},
	}},
}

// eachHouse runs a test on both databases, under the rules above and with named actors.
func eachHouse(t *testing.T, fn func(k *coretest.Kit)) {
	t.Helper()
	coretest.Each(t, func(k *coretest.Kit) {
		k.Policy = houseRules
		k.ActorIn = func(_ *task.Project, a task.Actor) task.Actor {
			for _, ctx := range []context.Context{coretest.Ann, coretest.Bob, coretest.Bot} {
				if known := core.CallerOf(ctx).Actor; known.Name == a.Name {
					return known
				}
			}
			return a
		}
		fn(k)
	})
}

// apply applies a plan with the given tasks.
func apply(k *coretest.Kit, slug string, tasks ...string) {
	k.Helper()
	k.Apply(`{"project": "` + slug + `", "tasks": [` + strings.Join(tasks, ",") + `]}`)
}

// inboxOf returns the ids of the caller's items.
func inboxOf(ctx context.Context, k *coretest.Kit) (ids []string) {
	k.Helper()
	out, err := k.Inbox.Inbox(ctx, inbox.InboxIn{Slug: "demo"})
	k.Must(err)
	for _, it := range out.Items {
		ids = append(ids, it.ID)
	}
	return ids
}
