package scale

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/work"
)

// leased makes half of the tasks held under a lease of two hours; few leases are half over, and nobody may hold the other
// tasks.
var leased = shape{arrange: func(i, n int, t *task.Task) {
	const lease = 2 * 60 * 60 * 1000
	if i >= n/2 {
		t.MayExecute = []string{"nobody"}
		return
	}
	end := t.CreatedAt.Add(lease - int64(i)) // milliseconds
	if i%(n/20) == 0 {
		end = t.CreatedAt.Add(lease/4 + int64(i))
	}
	t.Status, t.Fence = task.InProgress, 1
	t.Claim = &task.Claim{
		Actor:     fmt.Sprint("other", i%7),
		Fence:     1,
		Version:   1,
		ClaimedAt: end.Add(-lease),
		RenewedAt: end.Add(-lease),
		ExpiresAt: end,
		LeaseMs:   lease,
	}
}}

// TestWhatWaitsIsFoundAmongAllThatIsHeld reads what has stalled, and when the next lease ends, while half of all tasks
// are held: in a small and a large project in one database, with and without statistics.
func TestWhatWaitsIsFoundAmongAllThatIsHeld(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		s := open(t, db)
		m := metered(s)
		local := op.NewLocal(services.New(core.Env{Store: m.Store, Settings: &fixed{}}).All()...)
		build(t, s, "few", 800, leased)
		build(t, s, "many", size(8_000, 100_000), leased)
		build(t, s, "quiet", 40, leased)
		limit := int64(8_000) // steps of a machine
		if strings.HasPrefix(db, "postgres") {
			limit = 600 // rows
		}
		for _, statistics := range []string{"without statistics", "with statistics"} {
			for _, slug := range []string{"few", "many", "quiet"} {
				for name, fn := range map[string]func() error{
					"the inbox": func() error {
						got, err := op.Inbox.Do(ctx, local, inbox.InboxIn{Slug: slug, All: true})
						if err == nil && (got.Total != 10 || got.Items[0].Kind != waiting.ItemStalled) {
							return fmt.Errorf("%d items", got.Total)
						}
						return err
					},
					"the idle preview": func() error {
						got, err := op.Peek.Do(ctx, local, work.PeekIn{Project: slug})
						if err == nil && (got.Idle == nil || got.Idle.NextExpiry == 0) {
							return fmt.Errorf("idle: %+v", got.Idle)
						}
						return err
					},
				} {
					for i := range 7 { // PostgreSQL plans a prepared statement for good after some
						m.cost = cost{}
						if err := fn(); err != nil {
							t.Fatalf("%s of %s: %v", name, slug, err)
						}
						if i == 0 || i == 6 {
							t.Logf("%s of %s, %s: %+v", name, slug, statistics, m.cost)
						}
						if m.visited > limit {
							t.Errorf("%s of %s, %s: %+v", name, slug, statistics, m.cost)
						}
					}
				}
			}
			analyze(t, db)
		}
	})
}
