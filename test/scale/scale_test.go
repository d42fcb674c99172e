// Package scale shows that the work of an operation depends on what it answers, not on what is stored: the statements it
// sends, and the data they visit, are the same at 1,000 tasks and at 100,000.
package scale

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"tasker/internal/app/services"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// meter counts what passes through a store.
type meter struct {
	*store.Store
	cost
}

// cost is what an operation did: statements sent, rows returned or changed, and data visited (steps of the virtual
// machine on SQLite, rows read on PostgreSQL).
type cost struct{ statements, rows, visited int64 }

// metered returns a meter of a store.
func metered(s *store.Store) *meter {
	m := &meter{Store: s}
	s.Observe(func(context.Context, bool) store.Observed { return store.Observed{During: m.count} })
	return m
}

func (m *meter) count(c db.Conn, fn func() error) error {
	from, err := c.Visited()
	if err != nil {
		return err
	}
	stats := *c.Stats()
	if err := fn(); err != nil {
		return err
	}
	if err := c.Flush(); err != nil { // its writes may still be queued
		return err
	}
	m.statements += c.Stats().Statements - stats.Statements
	m.rows += c.Stats().Rows - stats.Rows
	to, err := c.Visited()
	m.visited += to - from
	return err
}

// nowhere has no files.
type nowhere struct{}

func (nowhere) Stat(string) (fs.FileInfo, error) { return nil, fs.ErrNotExist }
func (nowhere) ReadFile(string) ([]byte, error)  { return nil, fs.ErrNotExist }

// fixed is a policy for every project.
type fixed struct{ policy task.Policy }

func (f *fixed) Policy(*task.Project) (task.Policy, error)  { return f.policy, nil }
func (f *fixed) Actors(*task.Project) ([]task.Actor, error) { return nil, nil }
func (f *fixed) Effective(p *task.Project) (*config.Effective, error) {
	loaded, err := config.Load(config.Options{Dir: "/", Files: nowhere{}})
	if err != nil {
		return nil, err
	}
	return loaded.For(p.Slug, nil)
}
func (f *fixed) Actor(name string) (task.Actor, error)                     { return task.Actor{Name: name}, nil }
func (f *fixed) ActorIn(_ *task.Project, a task.Actor) (task.Actor, error) { return a, nil }
func (f *fixed) FileDir(string) string                                     { return "" }

// shape is how the tasks of a project are arranged.
type shape struct {
	name    string
	policy  task.Policy
	arrange func(i, n int, t *task.Task)
}

const ready = 400 // tasks at the end that are ready for the caller, whatever the size

// shapes are the arrangements that a selection must not pay for.
var shapes = []shape{
	{name: "ready tasks sort last", arrange: func(i, n int, t *task.Task) {
		if i < n-ready {
			t.Priority, t.MayExecute = 0, []string{"nobody"}
		}
	}},
	{name: "most are held, half of them by the caller", arrange: func(i, n int, t *task.Task) {
		if i < n/2 {
			t.Status, t.Priority = task.InProgress, 0
			t.Fence, t.Claim = 1, &task.Claim{Actor: []string{"other", caller}[i%2], Fence: 1, Version: 1, ClaimedAt: 1, LeaseMs: 0}
		}
	}},
	{name: "most are held under leases", arrange: func(i, n int, t *task.Task) {
		if i < n/2 {
			t.Status, t.Priority = task.InProgress, 0
			lease := task.Time(7_200_000_000)
			t.Fence, t.Claim = 1, &task.Claim{
				Actor:     "other",
				Fence:     1,
				Version:   1,
				ClaimedAt: t.CreatedAt,
				ExpiresAt: t.CreatedAt + lease,
				LeaseMs:   int64(lease) / 1000,
			}
		}
	}},
	{name: "most ahead are not for the caller", arrange: func(i, n int, t *task.Task) {
		if i < n/2 {
			t.Autonomy, t.Priority = task.Opt(task.HumanOnly), 0
		}
	}},
	{name: "by age", policy: task.Policy{Selection: []task.SelectKey{task.ByAge}}},
	{name: "by rank and due", policy: task.Policy{Selection: []task.SelectKey{task.ByRank, task.ByDue}}},
	{name: "by due", policy: task.Policy{Selection: []task.SelectKey{task.ByDue, task.ByPriority}}, arrange: func(i, _ int, t *task.Task) {
		if i < ready { // each its own day; the rest has none, and comes last
			t.Due = task.Opt(time.Date(2027, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly))
		}
	}},
	{name: "a preferred actor", arrange: func(i, n int, t *task.Task) {
		switch {
		case i%3 == 0:
			t.PreferredActor = "somebody"
		case i > n-ready:
			t.PreferredActor = "bot"
		}
	}},
	{name: "the project prefers", policy: task.Policy{PreferredActor: "somebody"}},
}

// caller is the actor whose operations are measured.
const caller = "bot"

var ctx = core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: caller}})

// build makes a project of n tasks, half of them waiting, with 1.5 dependencies per task.
func build(t *testing.T, s *store.Store, slug string, n int, sh shape) {
	t.Helper()
	err := s.Write(context.Background(), task.By{Actor: task.Actor{Name: "maker"}}, func(w *store.Tx) error {
		return w.CreateProject(&task.Project{Slug: slug})
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Write(context.Background(), task.By{Actor: task.Actor{Name: "maker"}, Alone: true}, func(w *store.Tx) error {
		list := make([]task.NewTask, n)
		for i := range list {
			k := &task.Task{
				Key: fmt.Sprint("k", i), Title: fmt.Sprint("The task ", i), Status: task.Open, Priority: 2, Version: 1, CreatedBy: "maker",
				CreatedAt: w.Now(), UpdatedAt: w.Now(), Criteria: []task.Criterion{{Index: 1, Text: "it works"}},
			}
			if sh.arrange != nil {
				sh.arrange(i, n, k)
			}
			list[i] = task.NewTask{Task: k, Event: task.Draft{Kind: task.TaskCreated}}
			// A third in the middle waits for four or five tasks of the sixth before it, none of which is claimed here.
			if i > n/3 && i < 2*n/3 && k.Claim == nil {
				for d := range 4 + i%2 {
					list[i].NewDeps = append(list[i].NewDeps, n/6+(i*7+d*13)%(n/6))
				}
			}
		}
		return w.CreateTasks(slug, list)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// size returns how many tasks to build: what grows with their number already shows at a few of them, in less time.
func size(short, long int) int {
	if os.Getenv("TASKER_TEST_LONG") != "" {
		return long
	}
	return short
}

func open(t *testing.T, path string) *store.Store {
	var e db.Engine
	var err error
	if strings.HasPrefix(path, "postgres") {
		e, err = postgres.Open(path, db.Setup{Migrations: store.Schema()})
	} else {
		e, err = sqlite.Open(path, db.Setup{Migrations: store.Schema()})
	}
	if err != nil {
		t.Fatal(err)
	}
	s := store.NewStore(e)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Read(ctx, func(*store.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	calm(t, path)
	return s
}

// calm keeps PostgreSQL's autovacuum away. Vacuumed rows are read from an index only and not counted as visited, so the
// count would depend on when it ran.
func calm(t *testing.T, path string) {
	t.Helper()
	execute(t, path, `DO $$ DECLARE name text; BEGIN
		FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
			EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = false)', name);
		END LOOP;
	END $$`)
}

// operations returns the operations to measure, each on tasks of its own. Their caller listens for news, as on every face.
func operations(t *testing.T, s *services.Set, m *meter, slug string) map[string]cost {
	out := map[string]cost{}
	measure := func(name string, fn func() error) {
		t.Helper()
		if err := fn(); err != nil { // statements are prepared, and the data is in memory
			t.Fatalf("%s: %v", name, err)
		}
		// The minimum of three: PostgreSQL replans a statement when its statistics have changed, and reads rows for that.
		for i := range 3 {
			m.cost = cost{}
			if err := fn(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if i == 0 || m.visited < out[name].visited {
				out[name] = m.cost
			}
		}
	}
	local := op.NewLocal(s.All()...)
	ctx := core.Listens(ctx)
	var begun int64
	if err := m.Read(ctx, func(tx *store.Tx) error { begun = tx.LastEvent(); return nil }); err != nil {
		t.Fatal(err)
	}
	fifty := 50
	var held []task.ID
	measure("select and claim", func() error {
		got, err := op.Next.Do(ctx, local, work.NextIn{Project: slug})
		if err == nil && got.Task == nil {
			return fmt.Errorf("nothing to claim in %s: %+v", slug, got.Idle)
		}
		if err == nil {
			held = append(held, got.Task.ID)
		}
		return err
	})
	measure("claim", func() error {
		got, err := op.Ready.Do(ctx, local, reading.ReadyIn{Slug: slug, Limit: &fifty})
		if err != nil {
			return err
		}
		for i := len(got.Tasks) - 1; i >= 0; i-- {
			if k := got.Tasks[i]; k.Autonomy == "" && len(k.MayExecute) == 0 {
				m.cost = cost{}
				_, err = op.Claim.Do(ctx, local, work.ClaimIn{Task: string(k.ID)})
				return err
			}
		}
		m.cost = cost{}
		return nil
	})
	i := 0
	measure("transition", func() error {
		i++
		_, err := op.Move.Do(ctx, local, work.MoveIn{Task: string(held[i-1]), To: "in_review"})
		return err
	})
	measure("ready", func() error {
		_, err := op.Ready.Do(ctx, local, reading.ReadyIn{Slug: slug, Limit: &fifty})
		return err
	})
	measure("preview", func() error {
		_, err := op.Peek.Do(ctx, local, work.PeekIn{Project: slug})
		return err
	})
	measure("board", func() error {
		_, err := op.Board.Do(ctx, local, reading.BoardIn{Slug: slug, Limit: &fifty})
		return err
	})
	measure("note", func() error {
		_, err := op.Note.Do(ctx, local, work.NoteIn{Task: string(held[0]), Text: "so far"})
		return err
	})
	measure("board as it was", func() error {
		_, err := op.Board.Do(ctx, local, reading.BoardIn{Slug: slug, Limit: &fifty, At: &begun})
		return err
	})
	measure("list as it was", func() error {
		_, err := op.List.Do(ctx, local, reading.ListIn{Project: slug, Limit: &fifty, At: &begun})
		return err
	})
	measure("task as it was", func() error {
		_, err := op.Show.Do(ctx, local, reading.ShowIn{Task: string(held[0]), At: &begun})
		return err
	})
	measure("overview as it was", func() error {
		_, err := op.ProjectOverview.Do(ctx, local, inbox.ProjectOverviewIn{Slug: slug, At: &begun})
		return err
	})
	return out
}

func TestOperationsDoTheSameAtAnySize(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		for i, sh := range shapes {
			t.Run(sh.name, func(t *testing.T) {
				s := open(t, path)
				m := metered(s)
				svc := services.New(core.Env{Store: m.Store, Settings: &fixed{sh.policy}})
				costs := make([]map[string]cost, 2)
				for j, n := range []int{2 * ready, size(2_500, 100_000)} {
					slug := fmt.Sprintf("p%d-%d", i, n)
					build(t, s, slug, n, sh)
					costs[j] = operations(t, svc, m, slug)
				}
				for name, small := range costs[0] {
					large, slack := costs[1][name], int64(0)
					if strings.HasPrefix(name, "board") { // with few tasks some columns end sooner
						slack = small.statements / 4
					}
					if d := large.statements - small.statements; d > slack || -d > slack {
						t.Errorf("%s sent %d statements at few tasks and %d at many", name, small.statements, large.statements)
					}
					if large.visited > small.visited+small.visited/10+20+slack*small.visited/10 {
						t.Errorf("%s visited %d at few tasks and %d at many (%d and %d rows)", name, small.visited, large.visited, small.rows, large.rows)
					}
				}
			})
		}
	})
}

func (f *fixed) FilePolicy(string) ([]byte, string) { return nil, "" }

func (f *fixed) DeclaredSince(string) task.Time { return 0 }

func (f *fixed) Register(*task.Project) (*task.Register, error) { return nil, nil }

func (f *fixed) ByRecord(p *task.Project, a task.Actor) (task.Actor, task.Policy, error) {
	policy, err := f.Policy(p)
	return a, policy, err
}
