package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// somebody is a user without rights to other users' files. If the tests run as root, programs run as this user.
const somebody = 65534

// lower makes the world's programs run without root's rights: root may read and write everything.
func (w *world) lower(s *syscall.SysProcAttr) {
	w.Helper()
	if os.Getuid() != 0 {
		return
	}
	s.Credential = &syscall.Credential{Uid: somebody, Gid: somebody}
	for _, dir := range []string{w.dir, filepath.Dir(w.db)} {
		w.must(filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, somebody, somebody)
		}))
		for up := filepath.Dir(dir); up != os.TempDir() && len(up) > 1; up = filepath.Dir(up) {
			w.must(os.Chmod(up, 0o755))
		}
	}
	around, err := os.Stat(filepath.Dir(tasker))
	w.must(err)
	w.must(os.Chmod(filepath.Dir(tasker), around.Mode()|0o055)) // it may be a directory that others use
}

// A missing or lost right of a server on its database is an outage: writes get 503, and readiness says so until the right
// is back. Files that were open before can still be written, as far as the system allows.
func TestALostRightIsAnOutage(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]struct {
		dir, early, open bool // of the directory; before the start; what is open can still be written
		mode             os.FileMode
	}{
		"the file may not be written at the start":  {early: true, mode: 0o400},
		"the file may not be written any more":      {open: true, mode: 0o400},
		"the directory may not be written any more": {dir: true, open: true, mode: 0o500},
		"the directory may not be entered any more": {dir: true, mode: 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, dbtest.SQLite(t))
			w.apply(plain(2))
			path := w.db
			if lost.dir {
				path = filepath.Dir(w.db)
			}
			info, err := os.Stat(path)
			w.must(err)
			take := func() { w.must(os.Chmod(path, lost.mode)) }
			back := func() { w.must(os.Chmod(path, info.Mode())) }
			t.Cleanup(back)
			if lost.early {
				take()
			}
			s := w.serveAs(w.lower, "bot")
			take()
			got, err := s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "lost"})
			w.must(err)
			switch {
			case lost.open && got.ok():
				s.isReady() // which a write triggers
			case got.status != 503:
				t.Errorf("a note was answered with %d: %s", got.status, got.body)
			default:
				s.notReady()
			}
			back()
			s.isReady()
			got, err = s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "back"})
			w.must(err)
			if !got.ok() {
				t.Errorf("with the right back, a note was answered with %d: %s", got.status, got.body)
			}
			s.stop()
		})
	}
}

// TestAnAgentsSandboxKeepsItFromWriting has a command in an agent's shell that may read the database and its directory, and
// write neither: it reads, and a write is refused in words that name the sandbox, what to allow, and no other database.
func TestAnAgentsSandboxKeepsItFromWriting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(plain(2))
	dir := filepath.Dir(w.db)
	run := func(shell string, args ...string) (said string, code int) {
		cmd := exec.Command(tasker, args...)
		cmd.Dir, cmd.Env, cmd.SysProcAttr = w.dir, append(os.Environ(), "TASKER_DB="+w.db, "TASKER_ACTOR=bot", "HOME="+w.dir, shell), &syscall.SysProcAttr{}
		w.lower(cmd.SysProcAttr)
		for path, mode := range map[string]os.FileMode{w.db: 0o400, dir: 0o500} {
			info, err := os.Stat(path)
			w.must(err)
			w.must(os.Chmod(path, mode))
			defer func() { w.must(os.Chmod(path, info.Mode())) }()
		}
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, args := range [][]string{{"list", "-p", "demo"}, {"show", "demo-1"}, {"prime", "--short"}, {"next", "-p", "demo"}} {
		if said, code := run("CODEX_SANDBOX=seatbelt", args...); code != 0 || !strings.Contains(said, "demo") {
			t.Errorf("tasker %v: exit code %d: %s", args, code, said)
		}
	}
	said, code := run("CODEX_SANDBOX=seatbelt", "note", "demo-1", "hello")
	for _, want := range []string{"the sandbox of codex, in whose shell this runs, keeps it from writing the database", "ask your person to allow the directory " + dir} {
		if code != 3 || !strings.Contains(said, want) || strings.Contains(said, "TASKER_DB") || strings.Contains(said, "another path") {
			t.Errorf("a note: exit code %d, without %q: %s", code, want, said)
		}
	}
	if said, code := run("LANG=C", "note", "demo-1", "hello"); code == 0 || strings.Contains(said, "sandbox") {
		t.Errorf("a person's note: exit code %d: %s", code, said)
	}
	// What is in a log that cannot be read with its index is not left out in silence.
	s := w.serveAs(w.lower, "bot")
	_, err := s.call(who{}, "/v1/tasks/demo-1/notes", object{"text": "in the log"})
	w.must(err)
	if said, code := run("CODEX_SANDBOX=seatbelt", "show", "demo-1", "--json"); code != 0 || !strings.Contains(said, "in the log") {
		t.Errorf("beside a server: exit code %d: %s", code, said)
	}
	s.stop()
}
