package scale

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"tasker/internal/core"
	"tasker/internal/dbtest"
	"tasker/internal/op"
)

// TestAQuietProjectDoesNotPayForABusyOne reads the log of a project, and events of a kind that there is none of, beside
// 20,000 events of another project, with the statistics that would tempt a planner to walk the log by id.
func TestAQuietProjectDoesNotPayForABusyOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		s := open(t, db)
		m := &meter{Store: s}
		local := op.Local{Services: &core.Services{Store: m, Settings: &fixed{}}}
		build(t, s, "quiet", 4, shape{})
		build(t, s, "busy", 20_000, shape{})
		if strings.HasPrefix(db, "postgres") {
			c, err := pgx.Connect(context.Background(), db)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Exec(context.Background(), "ANALYZE")
			if err = errors.Join(err, c.Close(context.Background())); err != nil {
				t.Fatal(err)
			}
		}
		past, far, few := int64(0), int64(10_000), 20
		for name, in := range map[string]core.EventsIn{
			"the newest":     {Project: "quiet"},
			"past an id":     {Project: "quiet", SinceID: &past},
			"far in a log":   {Project: "busy", SinceID: &far, Limit: &few},
			"of a rare kind": {Project: "busy", Kind: "override.forced"},
			"quiet and rare": {Project: "quiet", Kind: "override.forced"},
		} {
			m.cost = cost{}
			if _, err := op.Events.Do(ctx, local, in); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if m.visited > 2000 { // steps of a machine on SQLite, rows on PostgreSQL
				t.Errorf("events, %s: visited %d", name, m.visited)
			}
		}
	})
}
