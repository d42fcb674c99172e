package scale

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/views/reading"
)

// analyze gives a planner fresh statistics; SQLite has none.
func analyze(t *testing.T, path string) {
	t.Helper()
	execute(t, path, "ANALYZE")
}

// execute runs a statement on PostgreSQL; on SQLite it does nothing.
func execute(t *testing.T, path, sql string) {
	t.Helper()
	if !strings.HasPrefix(path, "postgres") {
		return
	}
	c, err := pgx.Connect(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Exec(ctx, sql)
	if err = errors.Join(err, c.Close(ctx)); err != nil {
		t.Fatal(err)
	}
}

// TestAQuietProjectDoesNotPayForABusyOne reads the log of a project, and events of a kind that does not occur, next to
// very many events of another project, with statistics that would tempt a planner to walk the log by id.
func TestAQuietProjectDoesNotPayForABusyOne(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db string) {
		s := open(t, db)
		m := metered(s)
		local := op.NewLocal(services.New(core.Env{Store: m.Store, Settings: &fixed{}}).All()...)
		build(t, s, "quiet", 4, shape{})
		n := size(8_000, 20_000)
		build(t, s, "busy", n, shape{})
		analyze(t, db)
		past, far, few := int64(0), int64(n/2), 20
		late, err := op.Events.Do(ctx, local, reading.EventsIn{Project: "busy", Limit: new(1)})
		if err != nil {
			t.Fatal(err)
		}
		now := late[0].At.String()
		for name, in := range map[string]reading.EventsIn{
			"the newest":                {Project: "quiet"},
			"past an id":                {Project: "quiet", SinceID: &past},
			"far in a log":              {Project: "busy", SinceID: &far, Limit: &few},
			"of a rare kind":            {Project: "busy", Kind: "override.forced"},
			"of a rare kind past an id": {Project: "busy", Kind: "override.forced", SinceID: &far},
			"by nobody":                 {Project: "busy", By: "a nobody"},
			"by nobody past an id":      {Project: "busy", By: "a nobody", SinceID: &far},
			"quiet and rare":            {Project: "quiet", Kind: "override.forced"},

			"since":                     {Project: "busy", Since: "2100-01-01T00:00:00Z"},
			"since, of all":             {Since: "2100-01-01T00:00:00Z"},
			"since, of a quiet one":     {Project: "quiet", Since: now},
			"since, of a kind":          {Project: "busy", Since: "2100-01-01T00:00:00Z", Kind: "task.created"},
			"since, of a rare kind":     {Project: "busy", Since: "2000-01-01T00:00:00Z", Kind: "override.forced"},
			"since, by somebody":        {Project: "busy", Since: "2100-01-01T00:00:00Z", By: "maker"},
			"since, of a task":          {Task: "busy-1", Since: "2100-01-01T00:00:00Z"},
			"since, by, of a task":      {Task: "busy-1", Since: "2100-01-01T00:00:00Z", By: "maker"},
			"since, by, of a kind":      {Project: "busy", Since: "2100-01-01T00:00:00Z", Kind: "task.created", By: "maker"},
			"since, by, of every log":   {Since: "2100-01-01T00:00:00Z", By: "maker"},
			"before":                    {Project: "busy", BeforeID: &late[0].ID},
			"before, of a quiet one":    {Project: "quiet", BeforeID: &late[0].ID},
			"before, of a rare kind":    {Project: "busy", BeforeID: &late[0].ID, Kind: "override.forced"},
			"before, by nobody":         {Project: "busy", BeforeID: &late[0].ID, By: "nobody"},
			"before, of another's task": {Task: "quiet-1", BeforeID: &late[0].ID},
		} {
			m.cost = cost{}
			if _, err := op.Events.Do(ctx, local, in); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if m.visited > 3000 || m.statements > 11 { // steps of a machine on SQLite, rows on PostgreSQL; one asks where the log begins
				t.Errorf("events, %s: %+v", name, m.cost)
			}
		}
	})
}
