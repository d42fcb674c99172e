package faults

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tasker/internal/testkit/dbtest"
)

// told is what an agent tells its hooks, in one object for all events.
const told = `{"session_id": "s1", "cwd": ".", "reason": "other", "error": "rate_limit", "tool_input": {"file_path": "b.go"}}`

// soon is how long a hook may take on a busy machine; it gives up after 250 ms of its own.
const soon = 10 * time.Second

// hooked runs a hook as an agent with a session does, and returns what it printed.
func (w *world) hooked(stdin io.Reader, change func(*syscall.SysProcAttr), event string, env ...string) (out, complaint string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	cmd := w.command(ctx, "", "hook", event, "--agent", "claude")
	cmd.Env = append(append(cmd.Env, "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s1"), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if change != nil {
		change(cmd.SysProcAttr)
	}
	cmd.WaitDelay = time.Second // the agent keeps its end of standard input open
	var said, wrong bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &said, &wrong
	err = cmd.Run()
	if err == nil {
		err = ctx.Err()
	}
	return said.String(), wrong.String(), err
}

// execute changes the SQLite file beside the program.
func (w *world) execute(sql string) {
	w.Helper()
	c, err := sqlite.OpenConn(w.db, sqlite.OpenReadWrite)
	w.must(err)
	defer func() { w.must(c.Close()) }()
	w.must(sqlitex.ExecuteScript(c, sql, nil))
}

// Whatever is wrong on our side, and whatever an agent tells: each hook ends soon, with success, and complains of nothing. Where
// the database can be read, it may answer.
func TestNoHookStandsInTheWayOfAnAgent(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	for name, c := range map[string]struct {
		breaks func(w *world)
		lowers bool   // runs without the rights of root
		tells  string // in place of what an agent tells
		env    []string
		reads  bool // the database can be read
	}{
		"nothing is wrong":       {reads: true},
		"no database":            {breaks: func(w *world) { w.must(os.RemoveAll(filepath.Dir(w.db))) }},
		"another's file":         {breaks: func(w *world) { w.must(os.WriteFile(w.db, []byte(strings.Repeat("no database ", 1000)), 0o600)) }},
		"a database in use":      {breaks: func(w *world) { w.hold("somebody else") }, reads: true},
		"a newer database":       {breaks: func(w *world) { w.execute("UPDATE turn SET schema_version = 9999; PRAGMA user_version = 9999") }},
		"a read-only database":   {breaks: func(w *world) { w.must(os.Chmod(w.db, 0o444)); w.must(os.Chmod(filepath.Dir(w.db), 0o555)) }, lowers: true, reads: true},
		"an unreadable database": {breaks: func(w *world) { w.must(os.Chmod(w.db, 0)) }, lowers: true},
		"no server":              {env: []string{"TASKER_DB=", "TASKER_URL=http://127.0.0.1:1"}},
		"a server that hangs":    {env: []string{"TASKER_DB=", "TASKER_URL=http://" + silent.Addr().String()}},
		"an unfit configuration": {breaks: func(w *world) { w.must(os.WriteFile(filepath.Join(w.dir, ".tasker.json"), []byte("{"), 0o600)) }},
		"garbage":                {tells: "not JSON {"},
		"bytes":                  {tells: "\x00\xff\xfe"},
		"another form":           {tells: `{"session_id": [1], "tool_input": 7, "reason": {}, "cwd": null}`, reads: true},
		"a list":                 {tells: `[1]`, reads: true},
		"far too much":           {tells: `{"session_id": "s1", "x": "` + strings.Repeat("y", 2<<20) + `"}`},
		"nothing, and no end":    {tells: "-", reads: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, dbtest.SQLite(t))
			w.apply(`{"project": "demo", "tasks": [{"key": "a", "title": "A"}, {"key": "b", "title": "B", "touches": ["b.go"]}]}`)
			claim := w.command(t.Context(), "", "claim", "demo-1", "--quiet")
			claim.Env = append(claim.Env, "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s1")
			w.must(claim.Run())
			w.tasker("bee", "claim", "demo-2", "--quiet")
			var lower func(*syscall.SysProcAttr)
			if c.lowers {
				w.must(os.Mkdir(filepath.Join(w.dir, "state"), 0o777))
				lower = w.lower
				lower(&syscall.SysProcAttr{}) // before the rights are taken
				info, err := os.Stat(filepath.Dir(w.db))
				w.must(err)
				t.Cleanup(func() { w.must(os.Chmod(filepath.Dir(w.db), info.Mode())) })
			}
			if c.breaks != nil {
				c.breaks(w)
			}
			for _, event := range []string{"start", "beat", "edit", "stop", "limit", "end"} {
				var stdin io.Reader = strings.NewReader(told)
				switch {
				case c.tells == "-":
					r, open, err := os.Pipe()
					w.must(err)
					defer func() { _, _ = r.Close(), open.Close() }()
					stdin = r
				case c.tells != "":
					stdin = strings.NewReader(c.tells)
				}
				out, complaint, err := w.hooked(stdin, lower, event, c.env...)
				if err != nil || complaint != "" || out != "" && !c.reads {
					t.Errorf("hook %s: %v\n%s%s", event, err, out, complaint)
				}
			}
		})
	}
}
