package browser_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tasker/test/shop"
)

// plan returns a plan document of n tasks in a dozen areas, the first third of it done.
func plan(t *testing.T, slug string, n int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 2))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	areas := []string{
		"Storage",
		"HTTP API",
		"Command line",
		"Web view",
		"Search",
		"Sync",
		"Notifications",
		"Security",
		"Docs",
		"Release",
		"Billing",
		"Onboarding",
	}
	var tasks []map[string]any
	for i, a := range areas {
		tasks = append(tasks, map[string]any{"key": fmt.Sprintf("area-%d", i), "title": a, "body": "Everything about it.\n\nIn two paragraphs."})
	}
	rest := n - len(areas)
	for i := range rest {
		task := map[string]any{
			"key": fmt.Sprintf("t%d", i), "parent": fmt.Sprintf("area-%d", i*len(areas)/rest), "priority": r.IntN(4),
			"title": pick("Add", "Fix", "Design", "Measure", "Test", "Document", "Harden", "Trace") + " " +
				pick(
					"claim leases",
					"the ready frontier",
					"idempotency keys",
					"graph layout",
					"the event stream",
					"the sign-in page",
					"retries",
					"the audit log",
				),
			"criteria": []string{"It works on both databases", "It is documented"}[:r.IntN(3)],
		}
		deps := map[string]bool{}
		var list []string
		for range r.IntN(3) {
			if i == 0 {
				continue
			}
			if d := fmt.Sprintf("t%d", max(0, i-1-r.IntN(12))); !deps[d] {
				deps[d] = true
				list = append(list, d)
			}
		}
		task["deps"] = list
		if i < rest/3 {
			task["status"] = pick("done", "done", "done", "done", "cancelled")
			task["evidence"] = []map[string]any{{"kind": "test", "value": "https://ci.example/run/" + fmt.Sprint(i)}}
		}
		if r.IntN(4) == 0 {
			task["touches"] = []string{pick("internal/store/**", "internal/web/**", "docs/**")}
		}
		if r.IntN(9) == 0 {
			task["severity"] = 1 + r.IntN(4)
			task["due"] = "2031-02-03"
		}
		tasks = append(tasks, task)
	}
	out, err := json.Marshal(
		map[string]any{"project": slug, "name": "Atlas", "vision": "One service for plans that people and agents work through together.", "tasks": tasks},
	)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// once fills one database, and gives each server a copy of it.
func once(name string, fill func(*server)) func(t *testing.T) func(*server) {
	var made sync.Once
	var dir, actor string
	return func(t *testing.T) func(*server) {
		return func(s *server) {
			t.Helper()
			made.Do(func() {
				first := &server{t: t, dir: filepath.Join(scratch, name)}
				if err := os.Mkdir(first.dir, 0o755); err != nil {
					t.Fatal(err)
				}
				fill(first)
				dir, actor = first.dir, first.actor
			})
			if dir == "" {
				t.Fatalf("%s was not made: the first test that asked for it says why", name)
			}
			if err := os.CopyFS(s.dir, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			s.actor = actor
		}
	}
}

// atlas fills a server with a plan of 300 tasks that people and agents are working on.
var atlas = once("atlas", func(s *server) {
	s.feed("ada", plan(s.t, "atlas", 300), "apply", "-f", "-")
	for _, actor := range []string{"claude/1", "claude/2", "codex"} {
		for range 3 {
			s.run(actor, "next", "--claim", "-p", "atlas")
		}
	}
	held := s.held("codex")
	s.run("codex", "note", held, "Half of it is there.\nThe rest tomorrow.")
	s.run("codex", "evidence", held, "--kind", "test", "--value", "all green")
	s.run("codex", "review", held)
})

// shopped fills a server with the plan "shop", for alice.
var shopped = once("shop", func(s *server) {
	s.actor = "alice"
	s.write(".tasker.json", shop.Config)
	if _, err := shop.Write(s.t.Context(), filepath.Join(s.dir, "tasker.db"), time.Now()); err != nil {
		s.t.Fatal(err)
	}
})

// held returns a task that an actor holds.
func (s *server) held(actor string) string {
	s.t.Helper()
	var out struct {
		Tasks []struct{ ID string } `json:"tasks"`
	}
	if err := json.Unmarshal([]byte(s.run(actor, "list", "-p", "atlas", "--held-by", actor, "--json")), &out); err != nil || len(out.Tasks) == 0 {
		s.t.Fatalf("%s holds nothing: %v", actor, err)
	}
	return out.Tasks[0].ID
}

// next returns the task that would be handed out.
func (s *server) next() string {
	s.t.Helper()
	var out struct {
		Task struct{ ID string } `json:"task"`
	}
	if err := json.Unmarshal([]byte(s.run("ada", "next", "-p", "atlas", "--json")), &out); err != nil || out.Task.ID == "" {
		s.t.Fatalf("nothing is next: %v", err)
	}
	return out.Task.ID
}
