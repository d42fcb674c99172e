package child_test

import (
	"slices"
	"strings"
	"testing"

	"tasker/internal/child/purpose"
)

// ours are all of our credentials.
var ours = []string{
	"TASKER_SESSION=s", "TASKER_TOKEN=t", "TASKER_WEBHOOK_SECRET=w", "TASKER_TRACKER_TOKEN=j", "TASKER_CODE_HOST_TOKEN=c", "TASKER_CODE_HOST_SECRET=h",
}

// kept returns what a process keeps of an environment.
func kept(p purpose.Purpose, env ...string) string { return strings.Join(p.Environment(env), " ") }

func TestOnlyAWorkerIsGivenWhatReachesOurData(t *testing.T) {
	env := slices.Concat([]string{"HOME=/h", "TASKER_TASK=demo-1"}, ours, []string{"TASKER_DB=postgres://me:pw@db/x", "TASKER_URL=http://s"})
	for _, p := range purpose.All {
		want := "HOME=/h TASKER_TASK=demo-1 TASKER_URL=http://s"
		if p == purpose.Worker {
			want = "HOME=/h TASKER_TASK=demo-1 TASKER_SESSION=s TASKER_URL=http://s"
		}
		before := slices.Clone(env)
		if got := kept(p, env...); got != want || !slices.Equal(env, before) {
			t.Errorf("%s is given %q, and not %q", p, got, want)
		}
	}
}

func TestAWorkerHasOneWayToOurData(t *testing.T) {
	const db, url = "TASKER_DB=postgres://me:pw@db/x", "TASKER_URL=http://s"
	for want, env := range map[string][]string{
		"TASKER_SESSION=s " + url:              {"TASKER_SESSION=s", "TASKER_TOKEN=t", db, url},
		"TASKER_TOKEN=t " + url:                {"TASKER_TOKEN=t", db, url},
		"TASKER_SESSION= TASKER_TOKEN=t":       {"TASKER_SESSION=", "TASKER_TOKEN=t"},
		db + " " + url:                         {db, url},
		"TASKER_SESSION=s " + db:               {"TASKER_SESSION=s", "TASKER_TOKEN=t", db}, // no server: the session is of no use
		"TASKER_SESSION=s TASKER_DB=/a " + url: {"TASKER_SESSION=s", "TASKER_DB=/a", url},
		"TASKER_URL= " + db:                    {"TASKER_URL=", db},
	} {
		if got := kept(purpose.Worker, env...); got != want {
			t.Errorf("of %q a worker is given %q, and not %q", env, got, want)
		}
	}
}

func TestTheAddressOfADatabaseIsKeptWithoutAPassword(t *testing.T) {
	for db, keeps := range map[string]bool{
		"": true, "/a/b.db": true, "postgres://db/x": true, "postgres://me@db/x": true, "host=db user=me": true,
		"postgres://me:pw@db/x": false, "postgres://db/x?password=pw": false, "postgres://db/x?sslpassword=pw": false,
		"postgres://me:pw@db:no": false, "host=db password=pw": false, "PASSWORD = 'pw' host=db": false, "host=%zz password=pw": false,
	} {
		for _, p := range purpose.All {
			if got := kept(p, "TASKER_DB="+db) != ""; got != (keeps || p == purpose.Worker) {
				t.Errorf("%s: %q is kept: %v", p, db, got)
			}
		}
	}
}
