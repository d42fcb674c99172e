package core_test

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"tasker/internal/app/records"
	"tasker/internal/bundle"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/core/admin"
	"tasker/internal/core/planning"
	"tasker/internal/core/reading"
	"tasker/internal/core/services"
	"tasker/internal/core/work"
	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/dbtest"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// kit is the operations over a fresh database, under a policy that a test may change.
type kit struct {
	*testing.T
	s      *services.Set
	policy task.Policy
	// actorIn is who an actor counts as in a project; nil: who it is anywhere.
	actorIn func(*task.Project, task.Actor) task.Actor
	clock   *atomic.Int64 // microseconds; nil where the database has a clock of its own
	config  string        // a configuration file for demo, of which Effective tells; Policy is the kit's own
}

// each runs a test on both databases.
func each(t *testing.T, fn func(k *kit)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, path string) {
		k := &kit{T: t}
		kept := store.NewStore(k.engine(path))
		t.Cleanup(func() {
			if err := kept.Close(); err != nil {
				t.Error(err)
			}
		})
		k.s = services.New(core.Env{Store: records.Store{Store: kept}, Settings: fixed{k}, Binary: "0.0.0-test", Config: 1})
		fn(k)
	})
}

func (k *kit) engine(path string) (e db.Engine) {
	var err error
	if strings.Contains(path, "://") {
		e, err = postgres.Open(path, db.Setup{Migrations: store.Schema()})
	} else {
		k.clock = new(atomic.Int64)
		k.clock.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
		e, err = sqlite.Open(path, db.Setup{Migrations: store.Schema(),
			World: db.World{Clock: db.ClockFunc(func() time.Time { return time.UnixMicro(k.clock.Load()) })}})
	}
	if err != nil {
		k.Fatal(err)
	}
	return e
}

// fixed answers the kit's own policy, with the gates that the database holds.
type fixed struct{ k *kit }

func (f fixed) Policy(p *task.Project) (task.Policy, error) {
	pol := f.k.policy
	pol.Gates = maps.Clone(pol.Gates)
	for name, kinds := range p.Gates {
		if pol.Gates == nil {
			pol.Gates = map[string][]string{}
		}
		pol.Gates[name] = kinds
	}
	return pol, nil
}

func (f fixed) Effective(p *task.Project) (*config.Effective, error) {
	files := fstest.MapFS{}
	if f.k.config != "" {
		files["repo/"+config.FileName] = &fstest.MapFile{Data: []byte(f.k.config)}
	}
	loaded, err := config.Load(config.Options{Dir: "/repo", Files: rooted{files}})
	if err != nil {
		return nil, err
	}
	return loaded.For(p.Slug, nil)
}

// rooted is a file system whose paths are absolute.
type rooted struct{ files fstest.MapFS }

func (r rooted) Stat(name string) (fs.FileInfo, error) { return r.files.Stat(name[1:]) }
func (r rooted) ReadFile(name string) ([]byte, error)  { return r.files.ReadFile(name[1:]) }

func (f fixed) Actors(*task.Project) ([]task.Actor, error) { return nil, nil }

func (f fixed) ActorIn(p *task.Project, a task.Actor) (task.Actor, error) {
	if f.k.actorIn != nil {
		return f.k.actorIn(p, a), nil
	}
	return a, nil
}

func (f fixed) Actor(name string) (task.Actor, error) { return task.Actor{Name: name}, nil }

// pass lets time go by: the clock is set on, or waited for where it is the database's.
func (k *kit) pass(d time.Duration) {
	k.Helper()
	if k.clock != nil {
		k.clock.Add(d.Microseconds())
		return
	}
	start := k.now()
	for k.now() < start.Add(d.Milliseconds()) {
	}
}

func (k *kit) now() (now task.Time) {
	k.must(k.s.Store.Read(context.Background(), func(tx *core.ReadTx) error { now = tx.Now(); return nil }))
	return now
}

// bot, bee and ann are actors; ann is a person with the role lead.
var (
	bot = agent("bot")
	bee = agent("bee")
	ann = human("ann", "lead")
	bob = human("bob")
)

func agent(name string) context.Context {
	return as(task.Actor{Name: name, Declared: true})
}

func human(name string, roles ...string) context.Context {
	return as(task.Actor{Name: name, Human: true, Declared: true, Roles: roles})
}

func as(a task.Actor) context.Context {
	return core.WithCaller(context.Background(), core.Caller{Actor: a, How: "test", Via: task.Via{Face: "cli"}, Project: "demo"})
}

// under is a context with an idempotency key.
func under(ctx context.Context, path, key, digest string) context.Context {
	c := core.CallerOf(ctx)
	c.Idem = &core.Idem{Key: query.IdemKey{Actor: c.Actor.Full(), Path: path, Key: key}, Digest: digest}
	return core.WithCaller(ctx, c)
}

func (k *kit) must(err error) {
	k.Helper()
	if err != nil {
		e := fault.Of(err)
		k.Fatalf("%s %v (%s)", e.Message, e.Missing, e.Hint)
	}
}

// refused checks that an error is of a kind, and that its message and what is missing have the words in them.
func (k *kit) refused(err error, kind fault.Kind, words ...string) *refusal {
	k.Helper()
	if err == nil {
		k.Fatalf("it passed, and %v was to be refused", words)
	}
	e := fault.Of(err)
	if e.Kind != kind {
		k.Fatalf("%q is of kind %d, not %d", e.Message, e.Kind, kind)
	}
	text := e.Message + "\n" + strings.Join(e.Missing, "\n")
	for _, w := range words {
		if !strings.Contains(text, w) {
			k.Errorf("%q does not say %q", text, w)
		}
	}
	return (*refusal)(e)
}

// refusal is the parts of an error, which is no error any more: a test may leave it.
type refusal fault.Error

// apply applies a plan, as ann.
func (k *kit) apply(doc string) planning.ApplyOut {
	k.Helper()
	out, err := k.applyAs(ann, doc)
	k.must(err)
	return out
}

func (k *kit) applyAs(ctx context.Context, doc string) (planning.ApplyOut, error) {
	k.Helper()
	d, err := plan.Decode([]byte(doc))
	if err != nil {
		return planning.ApplyOut{}, err
	}
	return k.s.Planning.Apply(ctx, planning.ApplyIn{Doc: d})
}

// tasks applies a plan of the project demo with these tasks.
func (k *kit) tasks(defs string) planning.ApplyOut {
	k.Helper()
	return k.apply(`{"project": "demo", "tasks": [` + defs + `]}`)
}

func (k *kit) show(id string) *bundle.Bundle {
	k.Helper()
	b, err := k.s.Reading.Show(ann, reading.ShowIn{Task: id})
	k.must(err)
	return b
}

func (k *kit) task(id string) *task.Task { k.Helper(); return k.show(id).Task }

func (k *kit) claim(ctx context.Context, id string) task.Claim {
	k.Helper()
	c, err := k.s.Work.Claim(ctx, work.ClaimIn{Task: id})
	k.must(err)
	return c
}

func (k *kit) move(ctx context.Context, in work.MoveIn) work.MoveOut {
	k.Helper()
	out, err := k.s.Work.Move(ctx, in)
	k.must(err)
	return out
}

func (k *kit) done(ctx context.Context, id string) work.MoveOut {
	k.Helper()
	return k.move(ctx, work.MoveIn{Task: id, To: "done"})
}

// events gives the kinds of a task's events, oldest first; every task's for "".
func (k *kit) events(id string) []task.Kind {
	k.Helper()
	all, err := k.s.Reading.Events(ann, reading.EventsIn{Task: id, Limit: ptr(1000)})
	k.must(err)
	out := make([]task.Kind, len(all))
	for i, e := range all {
		out[i] = e.Kind
	}
	return out
}

// last gives the newest event of a task, with its payload as text.
func (k *kit) last(id string) (task.Event, string) {
	k.Helper()
	all, err := k.s.Reading.Events(ann, reading.EventsIn{Task: id, Limit: ptr(1)})
	k.must(err)
	if len(all) == 0 {
		k.Fatalf("%s has no event", id)
	}
	return all[0], string(all[0].Payload)
}

// healthy checks that everything maintained equals a recount.
func (k *kit) healthy() {
	k.Helper()
	out, err := k.s.Admin.Doctor(ann, admin.DoctorIn{})
	k.must(err)
	if !out.Healthy {
		k.Errorf("a recount finds %+v", out.Findings)
	}
}

// is compares two values that print alike when they are the same.
func is[T comparable](k *kit, what string, got, want T) {
	k.Helper()
	if got != want {
		k.Errorf("%s is %v, not %v", what, got, want)
	}
}

func same[T comparable](k *kit, what string, got []T, want ...T) {
	k.Helper()
	if !slices.Equal(got, want) {
		k.Errorf("%s are %v, not %v", what, got, want)
	}
}

func says(k *kit, lines []string, words string) {
	k.Helper()
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, words) }) {
		k.Errorf("none of %q says %q", lines, words)
	}
}

func quiet(k *kit, lines []string) {
	k.Helper()
	if len(lines) > 0 {
		k.Errorf("%q was not to be said", lines)
	}
}

func ptr[T any](v T) *T { return &v }

func (k *kit) edit(ctx context.Context, id, edit string) *task.Task {
	k.Helper()
	out, err := k.editAs(ctx, id, edit)
	k.must(err)
	return &out.Task
}

func (k *kit) editAs(ctx context.Context, id, edit string) (*planning.Written, error) {
	k.Helper()
	e, err := plan.DecodeEdit([]byte(edit))
	if err != nil {
		return nil, err
	}
	return k.s.Planning.Edit(ctx, planning.EditIn{Task: id, Edit: e})
}

func (f fixed) FilePolicy(string) ([]byte, string) { return nil, "" }

func (f fixed) ByRecord(p *task.Project, a task.Actor) (task.Actor, task.Policy, error) {
	policy, err := f.Policy(p)
	return a, policy, err
}
