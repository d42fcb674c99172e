package browser_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// house is the configuration of a project that people and agents share.
const house = `{"version": 1, "project": "atlas",
	"actors": [{"name": "ada", "kind": "human", "roles": ["lead"], "default": true}, {"name": "claude", "kind": "agent"}, {"name": "codex", "kind": "agent"}],
	"gates": {"code": ["test"]}, "agentDefaults": {"lease": "7d"},
	"execution": {"reviewPolicy": {"code": [{"role": "lead", "kind": "approval", "reason": "a lead reads what others will build on"}]}}}`

// lived fills a server with a plan of 300 tasks that has a history of two weeks: work was claimed, proved, sent back and
// closed, and is in progress.
func lived(t *testing.T) func(*server) {
	return func(s *server) {
		s.write(".tasker.json", house)
		s.feed("ada", plan(t, "atlas", 276), "apply", "-f", "-")
		s.later(9 * 24 * time.Hour)
		work := func(actor string, n int, then func(id string)) {
			for range n {
				s.run(actor, "next", "--claim", "-p", "atlas", "--lease", "7d")
				s.later(37 * time.Minute)
			}
			for range n {
				id := s.held(actor)
				s.later(83 * time.Minute)
				then(id)
			}
		}
		finish := func(actor string) func(string) {
			return func(id string) { s.run(actor, "done", id, "--force", "--note", "Both databases agree.") }
		}
		work("claude/1", 3, finish("ada"))
		s.later(11 * time.Hour)
		work("codex", 2, finish("ada"))
		s.feed("ada", more(24), "apply", "-f", "-")
		s.later(19 * time.Hour)
		work("claude/2", 3, finish("ada"))
		work("codex", 1, func(id string) { s.run("codex", "release", id, "--note", "Needs the schema first.") })
		s.later(8 * time.Hour)
		work("claude/1", 2, finish("ada"))
		for _, actor := range []string{"claude/1", "claude/2", "codex", "claude/1"} {
			s.run(actor, "next", "--claim", "-p", "atlas", "--lease", "7d")
			s.later(52 * time.Minute)
		}
		s.run("codex", "review", s.held("codex"), "--note", "Ready to be read.")
		s.story()
		s.actor = "ada"
		s.later(6 * time.Minute)
		// The order of selection depends on age, so tasks are aged once nobody selects any more: to the age of their first
		// event.
		s.sql(`UPDATE task SET created_at = coalesce((SELECT min(at) FROM event WHERE event.task = task.id), created_at)`)
		s.run("ada", "doctor", "--fix") // the counts by day
	}
}

// write writes a file into the directory of a server.
func (s *server) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// more returns a plan of n tasks that were added later.
func more(n int) string {
	var tasks []string
	for i := range n {
		tasks = append(
			tasks,
			fmt.Sprintf(`{"key": "x%d", "title": "Try case %d of the import", "parent": "area-%d", "deps": ["t%d"]}`, i, i+1, (180+3*i)*12/264, 180+3*i),
		)
	}
	return `{"project": "atlas", "tasks": [` + strings.Join(tasks, ",") + `]}`
}

// story gives one task everything that a task can have.
func (s *server) story() {
	s.feed(
		"ada",
		`{"project": "atlas", "tasks": [{"key": "story", "title": "Let a lease that ran out free its task at once", "parent": "area-0", "priority": 0, "severity": 2,
		"gate": "code", "deps": ["t30", "t31"], "touches": ["internal/store/**"], "due": "2031-02-03",
		"body": "A worker that dies keeps its task until the lease ends.\n\n`+
			`From that moment every read shows the task as open, swept or not, and the next select may hand it out.",
		"criteria": ["A lapsed claim is shown as open by every read", "The sweep writes one event for each", "A clock that jumps back revives nothing"],
		"links": [{"kind": "doc", "ref": "docs/leases.md", "note": "the rules"}]}]}`,
		"apply",
		"-f",
		"-",
	)
	const id = "atlas-301"
	s.run("claude/3", "claim", id, "--lease", "1d")
	s.later(48 * time.Minute)
	s.run("claude/3", "check", id, "1")
	s.run("claude/3", "note", id, "Reads compute the lapse themselves now.\nThe sweep is next.")
	s.run("claude/3", "decide", id, "Lapse in the read, not in a timer", "--because", "A timer that is late shows a claim that nobody holds.")
	s.run("claude/3", "ask", id, "Should the sweep be bounded per turn?", "--to", "ada")
	s.run("claude/3", "evidence", id, "--kind", "measurement", "--value", "12 µs a read")
}

// later makes everything in the database older, except the tasks themselves and the tallies of days, as if time had
// passed. Nothing else may have the database open.
func (s *server) later(by time.Duration) {
	s.t.Helper()
	if s.clocks == nil {
		s.sql(`SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
			WHERE m.type = 'table' AND c.type = 'BIGINT' AND (c.name = 'at' OR c.name LIKE '%\_at' ESCAPE '\')
			AND m.name <> 'tally' AND NOT (m.name = 'task' AND c.name = 'created_at')`)
		if len(s.clocks) < 10 {
			s.t.Fatalf("the database tells time in %v", s.clocks)
		}
	}
	var all strings.Builder
	for _, c := range s.clocks {
		fmt.Fprintf(&all, "UPDATE %q SET %q = %q - %d WHERE %q > 0;\n", c[0], c[1], c[1], by.Microseconds(), c[1])
	}
	s.sql(all.String())
}

// sql runs statements on the database; a SELECT collects the columns that hold times into clocks.
func (s *server) sql(text string) {
	s.t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(s.dir, "tasker.db"), sqlite.OpenReadWrite)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if strings.HasPrefix(text, "SELECT") {
		err = sqlitex.ExecuteTransient(conn, text, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
			s.clocks = append(s.clocks, [2]string{row.ColumnText(0), row.ColumnText(1)})
			return nil
		}})
	} else {
		err = sqlitex.ExecuteScript(conn, text, nil)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}
