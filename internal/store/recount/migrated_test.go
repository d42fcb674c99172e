package recount_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// row is a task of an old database: its parent, what it depends on, and whether it is closed.
type row struct {
	n, parent int64
	deps      []int64
	done      bool
}

var rows = []row{
	{n: 1},                                            // an epic, ready as long as its part waits
	{n: 2, parent: 1, deps: []int64{3}},               // its part
	{n: 3},                                            // ready
	{n: 4},                                            // has a child that waits for it
	{n: 5, parent: 4, deps: []int64{4}},               // which is not a part
	{n: 6},                                            // was held back by its child, which is in a circle with it
	{n: 7, parent: 6, deps: []int64{8}},               // through a closed task
	{n: 8, deps: []int64{6}, done: true},              //
	{n: 9, parent: 3, done: true},                     // closed: nothing waits for it
	{n: 10}, {n: 11, parent: 10}, {n: 12, parent: 11}, // epics in epics
}

func TestADatabaseFromBeforeThereWerePartsIsRecounted(t *testing.T) {
	t.Parallel()
	dbtest.EachEmpty(t, func(t *testing.T, path string) {
		schema := store.Schema()
		before := slices.IndexFunc(schema, func(m db.Migration) bool { return strings.HasSuffix(m.Name, "_parts.sql") })
		conn := db.New(storetest.Engine(t, path, db.Setup{Migrations: schema[:before]}), db.Hooks{})
		err := conn.Write(t.Context(), db.Request{Alone: true}, func(turn *db.Turn) error {
			if err := fill(turn, 3, "demo", rows); err != nil {
				return err
			}
			return fill(turn, 4, "stays", slices.Concat(rows[:5], rows[8:])) // nothing becomes ready here: its order stays
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		s := storetest.Open(t, path, nil)
		if _, _, err := s.DB().Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, s, "demo", "[demo-3 demo-4 demo-6 demo-7 demo-12]", "[demo-5 demo-7]")
		check(t, s, "stays", "[stays-3 stays-4 stays-12]", "[stays-5]")
	})
}

// fill writes the rows as they were stored then: live children, the frontier of one order, the ready tasks by route.
func fill(turn *db.Turn, project int64, slug string, old []row) error {
	key := func(n int64) int64 { return project<<32 | n }
	status, done := map[int64]string{}, 0
	for _, o := range old {
		status[o.n] = "open"
		if o.done {
			status[o.n] = "done"
			done++
		}
	}
	exec := func(sql string, args ...any) error { return turn.Exec(1, sql, args...) }
	if err := exec(`INSERT INTO project (id, slug, name, vision, gates, settings, archived, next_n, graph_version, n_open, n_in_progress, n_in_review, n_done,
		n_cancelled, n_ready, n_held, n_blocked, created_at, updated_at) VALUES ($1, $2, '', '', '', '', 0, 13, 1, $3, 0, 0, $4, 0, 4, 0, 2, 5, 5)`,
		project, slug, len(old)-done, done); err != nil {
		return err
	}
	openDeps := func(i int) (open int) {
		for _, d := range old[i].deps {
			if status[d] == "open" {
				open++
			}
		}
		return open
	}
	if err := exec(`INSERT INTO policy (id, project, keys) VALUES ($1, $1, 'severity,priority,due,age')`, project); err != nil {
		return err
	}
	if err := exec(`INSERT INTO route (id, project, autonomy, may_execute) VALUES ($1, $1, '', '')`, project); err != nil {
		return err
	}
	ready := 0
	for i, o := range old {
		children, live := 0, 0
		for k, c := range old {
			if c.parent == o.n && !c.done {
				children++
				if openDeps(k) == 0 {
					live++
				}
			}
		}
		var parent any
		if o.parent > 0 {
			parent = key(o.parent)
		}
		if err := exec(`INSERT INTO task (id, project, key, title, parent, status, priority, severity, due, gate, autonomy, preferred_actor, may_execute, touches,
			criteria, links, sprint, rank, open_deps, open_children, live_children, questions, notes, evidences, approvals, has_body, attempts, version,
			approval_epoch, doc_status, recorded, created_by, created_at, updated_at, closed_by, closed_at, fence, fence_ended, claim_version, claimed_at,
			renewed_at, expires_at, lease_ms, has_deps) VALUES ($1, $10, $2, 'T', $3, $4, 2, 0, '', '', '', '', '', '', '', '', '', '', $5, $6, $7, 0, 0, 0, 0, 0, 0,
			1, 0, '', 0, 'ann', 5, 5, '', $8, 0, 0, 0, 0, 0, 0, 0, $9)`, key(o.n), fmt.Sprint(slug, "-", o.n), parent, status[o.n], openDeps(i), children, live,
			map[bool]int{true: 5}[o.done], len(o.deps) > 0, project); err != nil {
			return err
		}
		route := int64(-2)
		if openDeps(i) == 0 && live == 0 {
			route = project
		}
		if !o.done {
			if route > 0 {
				ready++
			}
			order, err := task.NewOrder([]task.SelectKey{"severity", "priority", "due", "age"})
			if err != nil {
				return err
			}
			k1, k2 := order.SortKey(&task.Task{ID: task.MakeID(slug, o.n), Priority: 2, CreatedAt: 5})
			if err := exec(`INSERT INTO frontier (policy, route, k1, pref, k2, task) VALUES ($5, $1, $2, '', $3, $4)`, route, k1, k2, key(o.n), project); err != nil {
				return err
			}
		}
	}
	for _, o := range old {
		for _, d := range o.deps {
			if err := exec(`INSERT INTO dep (task, on_task) VALUES ($1, $2)`, key(o.n), key(d)); err != nil {
				return err
			}
		}
	}
	if err := exec(`INSERT INTO tally (project, what, at, n) VALUES ($1, 'route', $1, $2)`, project, ready); err != nil {
		return err
	}
	return exec(`INSERT INTO tally (project, what, at, n) VALUES ($1, 'closed', 0, $2)`, project, done)
}

func check(t *testing.T, s *store.Store, slug, wantReady, wantCircled string) {
	t.Helper()
	err := s.Read(context.Background(), func(r *store.Tx) error {
		found, _, err := recount.Recount(r, slug)
		if err != nil {
			return err
		}
		for _, f := range found {
			if !strings.HasSuffix(f.What, "that search finds") { // these were not written
				t.Errorf("a recount finds %+v", f)
			}
		}
		all, _, _, err := r.List(query.List{Project: slug})
		if err != nil {
			return err
		}
		var ready, circled []task.ID
		for _, one := range all {
			if one.Ready() {
				ready = append(ready, one.ID)
			}
			if one.InCircle {
				circled = append(circled, one.ID)
			}
		}
		if fmt.Sprint(ready) != wantReady || fmt.Sprint(circled) != wantCircled {
			t.Errorf("ready are %v, in circles %v", ready, circled)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
