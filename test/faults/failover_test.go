package faults

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/testkit/dbtest"
)

// recipe returns the blocks of a language in docs/recipes/team.md.
func (w *world) recipe(language string) (out []string) {
	w.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "recipes", "team.md"))
	w.must(err)
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

// both returns the URL of two servers, of which the one that may be written to is used.
func both(w *world, primary, standby string) string {
	w.Helper()
	one, err := url.Parse(primary)
	w.must(err)
	two, err := url.Parse(standby)
	w.must(err)
	return strings.Replace(primary, one.Host, one.Host+","+two.Host, 1) + "&target_session_attrs=read-write"
}

// typed runs the statements of a block.
func (w *world) typed(url, block string) {
	w.Helper()
	for statement := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
		dbtest.Exec(w.T, url, statement)
	}
}

// TestTheRecipeOfTwoDatabaseNodesIsFollowed types the part of the recipe about a second node: with synchronous replication
// nothing that was acknowledged is lost when the primary is gone, and the server goes on by itself.
func TestTheRecipeOfTwoDatabaseNodesIsFollowed(t *testing.T) {
	t.Parallel()
	primary, standby := dbtest.Pair(t)
	w := newWorld(t, primary.URL)
	sql := w.recipe("sql")
	if len(sql) != 3 {
		t.Fatalf("the recipe has %d blocks of SQL, want those of the primary, of what to check, and of the promotion", len(sql))
	}
	w.apply(plain(1))
	w.typed(primary.URL, sql[0])
	e := w.engine()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		var state []string
		w.query(e, strings.TrimSuffix(strings.TrimSpace(sql[1]), ";"), func(r db.Row) { state = append(state, r.Text(1)) })
		if len(state) == 1 && state[0] == "quorum" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the standby is %q, and the recipe says quorum", state)
		}
	}
	urls := w.recipe("text")
	given, ok := strings.CutPrefix(strings.TrimSpace(strings.Join(urls, "")), "TASKER_DB=")
	if !ok || !strings.Contains(given, "@db1,db2/") {
		t.Fatalf("the recipe's URL is %q", urls)
	}
	of, err := url.Parse(both(w, primary.URL, standby.URL))
	w.must(err)
	w.db = strings.NewReplacer("tasker@db1,db2", of.User.String()+"@"+of.Host, "verify-full", "disable").Replace(given)
	s := w.serve("bot")
	s.isReady()
	for i := range 5 {
		s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": fmt.Sprint("acknowledged ", i)}, nil)
	}
	w.must(primary.Stop())
	w.typed(standby.URL, sql[2])
	s.isReady()
	s.post(who{}, "/v1/tasks/demo-1/notes", object{"text": "after the failover"}, nil)
	var shown struct {
		Notes []struct {
			Text string `json:"text"`
		} `json:"notes"`
	}
	s.get("/v1/tasks/demo-1", &shown)
	if len(shown.Notes) != 6 {
		t.Errorf("there are %d notes, want the 5 that were acknowledged and the one after: %+v", len(shown.Notes), shown.Notes)
	}
	s.stop()
}

// TestAStandbyWithoutTheNewestWritesIsAccepted promotes an asynchronous standby that had stopped receiving: what was
// acknowledged after that is gone. That is an outage, although the server is a primary and its log grows, until a person
// accepts it.
func TestAStandbyWithoutTheNewestWritesIsAccepted(t *testing.T) {
	if os.Getenv("TASKER_TEST_LONG") == "" {
		t.Log("with TASKER_TEST_LONG; what a server answers is tested without a standby too (rewound_test.go)")
		return
	}
	t.Parallel()
	primary, standby := dbtest.Pair(t)
	w := newWorld(t, both(&world{T: t}, primary.URL, standby.URL))
	w.apply(plain(2))
	a, b := w.serve("bot", "env", "XDG_STATE_HOME="+t.TempDir()), w.serve("bot", "env", "XDG_STATE_HOME="+t.TempDir())
	var claim struct {
		Fence int64 `json:"fence"`
	}
	a.post(who{}, "/v1/tasks/demo-1/claim", object{}, &claim)
	a.post(who{}, "/v1/tasks/demo-1/release", object{}, nil)
	on := *w
	on.db = primary.URL
	look := on.engine()
	kept := w.newest(look)
	var at string
	w.query(look, `SELECT pg_current_wal_lsn()::text`, func(r db.Row) { at = r.Text(0) })
	dbtest.Exec(t, standby.URL, `DO $$ BEGIN WHILE pg_last_wal_replay_lsn() < '`+at+`'::pg_lsn LOOP PERFORM pg_sleep(0.01); END LOOP; END $$`,
		`ALTER SYSTEM SET primary_conninfo = ''`, `SELECT pg_reload_conf()`,
		`DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_wal_receiver) LOOP PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.01); END LOOP; END $$`)
	for range 2 {
		a.post(who{}, "/v1/tasks/demo-1/claim", object{}, &claim)
		a.post(who{}, "/v1/tasks/demo-1/release", object{}, nil)
	}
	last := w.newest(look)
	b.isReady()
	w.must(primary.Stop())
	dbtest.Exec(t, standby.URL, `SELECT pg_promote()`)
	said := fmt.Sprintf("events %d to %d are gone", kept+1, last)
	for i, s := range []*server{a, b} {
		if text := s.notReady(); !strings.Contains(text, said) && !strings.Contains(text, "cannot be reached") {
			t.Errorf("readiness of server %d says %s", i, text)
		}
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			got, err := s.call(who{}, "/v1/tasks/demo-2/notes", object{"text": "lost"})
			if err == nil && got.status == 503 && strings.Contains(string(got.body), said) {
				break
			}
			if time.Now().After(end) || err == nil && got.status != 503 {
				t.Fatalf("a write of server %d was answered with %d: %s, %v", i, got.status, got.body, err)
			}
		}
	}
	var out gone
	w.must(reply{body: w.tasker("ann", "db", "accept", "--yes", "--json")}.into(&out))
	if out.Lost.From != kept+1 || out.Lost.To != last || out.FirstEvent <= last || out.Generation < 2 {
		t.Errorf("accepted: %+v, want what follows %d to %d", out, kept, last)
	}
	was := claim.Fence
	for i, s := range []*server{a, b} {
		s.isReady()
		if got, err := s.call(who{}, fmt.Sprintf("/v1/events?since_id=%d", last), nil); err != nil || got.status != 410 {
			t.Errorf("events after %d of server %d are answered with %d: %s, %v", last, i, got.status, got.body, err)
		}
	}
	b.post(who{}, "/v1/tasks/demo-1/claim", object{}, &claim)
	if claim.Fence <= was {
		t.Errorf("the fence is %d, and was %d before", claim.Fence, was)
	}
	a.stop()
	b.stop()
}
