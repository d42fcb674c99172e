// Package coretest gives tests the operations of the core over a fresh database, with a policy and actors that the test
// chooses.
package coretest

import (
	"crypto/rand"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tasker/internal/app/services"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/sync/forge"
	"tasker/internal/sync/jira"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// Kit is a test with every service over a database of its own.
type Kit struct {
	*testing.T
	*services.Set
	DB string // the path or the URL of the database
	// Policy applies in every project, together with the gates in the database. A test may change it at any time.
	Policy task.Policy
	// ActorIn returns who an actor counts as in a project; nil means that everybody is who they claim to be.
	ActorIn func(*task.Project, task.Actor) task.Actor
	// ConfigFile is the configuration file of the project demo. Effective reads it; Policy does not come from it.
	ConfigFile string

	clock *atomic.Int64 // microseconds; nil if the database has a clock of its own
}

// names has the words that Jira and code hosts use for their records.
var names = merge.Names{Tracker: jira.Names, Issues: forge.IssueNames, Requests: forge.RequestNames, Branches: forge.BranchNames}

// Each runs a test on both databases in parallel: PostgreSQL does its work in another process.
func Each(t *testing.T, fn func(k *Kit)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, path string) {
		t.Parallel()
		fn(newKit(t, path))
	})
}

// Rule is Each for a rule that Go decides from a few records, wherever they come from: it runs on SQLite, and in `make
// test-long` on both databases. What has SQL of its own, or depends on order, locks or time, is for Each.
func Rule(t *testing.T, fn func(k *Kit)) {
	t.Helper()
	if os.Getenv("TASKER_TEST_LONG") != "" {
		Each(t, fn)
		return
	}
	fn(newKit(t, dbtest.SQLite(t)))
}

// EachAlone is Each for a test that measures this process: it runs the two one after the other.
func EachAlone(t *testing.T, fn func(k *Kit)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, path string) { fn(newKit(t, path)) })
}

func newKit(t *testing.T, path string) *Kit {
	t.Helper()
	k := &Kit{T: t, DB: path}
	st := store.NewStore(k.open(path))
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	k.Set = services.New(core.Env{Store: st, Settings: given{k}, Binary: "0.0.0-test", Config: 1, Names: names})
	t.Cleanup(k.checkEvents)
	return k
}

// Open returns the services over a database, with the configuration that current returns, set up as in the program; nil
// declares nothing. Closing their Store closes them.
func Open(path string, current func() *config.Loaded) (*services.Set, error) {
	return Clocked(path, db.World{}, current)
}

// Clocked is Open with a clock: SQLite takes the time from it, PostgreSQL has its own.
func Clocked(path string, world db.World, current func() *config.Loaded) (*services.Set, error) {
	e, err := engine(path, world)
	if err != nil {
		return nil, err
	}
	return services.New(core.Env{Store: store.NewStore(e), Settings: policy.Settings(current), Schema: len(store.Schema()), Config: 1, Random: rand.Reader, Names: names}), nil
}

// engine opens the engine of a path or a postgres:// URL.
func engine(path string, world db.World) (db.Engine, error) {
	setup := db.Setup{Migrations: store.Schema(), World: world}
	if strings.Contains(path, "://") {
		return postgres.Open(path, setup)
	}
	return sqlite.Open(path, setup)
}

func (k *Kit) open(path string) db.Engine {
	var world db.World
	if !strings.Contains(path, "://") {
		storetest.Prepare(k.T, path)
		k.clock = new(atomic.Int64)
		k.clock.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMicro())
		world.Clock = db.ClockFunc(func() time.Time { return time.UnixMicro(k.clock.Load()) })
	}
	e, err := engine(path, world)
	if err != nil {
		k.Fatal(err)
	}
	return e
}

// Pass lets time pass. It advances SQLite's clock, and waits for PostgreSQL's own, so only a short time.
func (k *Kit) Pass(d time.Duration) {
	k.Helper()
	if k.clock != nil {
		k.clock.Add(d.Microseconds())
		return
	}
	if d > 5*time.Second {
		k.Fatalf("PostgreSQL's clock cannot be set, and the test would wait for %s", d)
	}
	end := k.Now().Add(d.Milliseconds())
	for left := d; left > 0; left = time.Duration(end-k.Now()) * time.Microsecond {
		time.Sleep(left)
	}
}

// Now returns the time of a fresh snapshot.
func (k *Kit) Now() (now task.Time) {
	k.Helper()
	k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) error { now = tx.Now(); return nil }))
	return now
}

// Must ends the test if err is not nil.
func (k *Kit) Must(err error) {
	k.Helper()
	if err != nil {
		e := fault.Of(err)
		k.Fatalf("%s %v (%s)", e.Message, e.Missing, e.Hint)
	}
}

// Refusal holds the parts of an expected error. It is not an error itself, so that a test may ignore it.
type Refusal fault.Error

// Refused checks that err is of a kind, and that its message or the list of what is missing contains the words.
func (k *Kit) Refused(err error, kind fault.Kind, words ...string) *Refusal {
	k.Helper()
	if err == nil {
		k.Fatalf("no error, want a refusal with %q", words)
	}
	e := fault.Of(err)
	if e.Kind != kind {
		k.Fatalf("%q is of kind %d, want %d", e.Message, e.Kind, kind)
	}
	text := e.Message + "\n" + strings.Join(e.Missing, "\n")
	for _, w := range words {
		if !strings.Contains(text, w) {
			k.Errorf("%q does not contain %q", text, w)
		}
	}
	return (*Refusal)(e)
}
