package workspaces

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// served is a server with the tasks of two machines, which have nothing else in common but the remote of their repository.
type served struct {
	*world
	url string
}

// serve starts a server in a directory of its own, which acts as bot.
func serve(t *testing.T) *served {
	t.Helper()
	w := newWorld(t)
	w.write(".tasker.json", `{"version": 1, "project": "shop", "actors": [{"name": "alice", "kind": "human"}, {"name": "bot", "kind": "agent"}]}`)
	w.run("apply", "-f", w.plan(), "--quiet", "--actor", "alice")
	w.remote()
	cmd := exec.CommandContext(t.Context(), binary, "serve", "--port", "0")
	cmd.Dir, cmd.Env = w.dir, append(w.env, "TASKER_ACTOR=bot")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at := strings.Index(lines.Text(), "http://"); at >= 0 {
			url, _, _ := strings.Cut(lines.Text()[at:], " ")
			go func() {
				for lines.Scan() { // so that the server never waits to print
				}
			}()
			return &served{w, strings.TrimRight(url, "/")}
		}
	}
	t.Fatal("the server said no address")
	return nil
}

// plan writes a plan and returns its file.
func (w *world) plan() string {
	path := filepath.Join(filepath.Dir(w.dir), "plan.json")
	must(w.t, os.WriteFile(path, []byte(`{"project": "shop", "tasks": [{"key": "cart", "title": "Build a cart"}, {"key": "pay", "title": "Pay"}, {"key": "ship", "title": "Ship"}]}`), 0o644))
	return path
}

// machine returns a clone of the repository in a home of its own, whose commands reach the tasks through the server alone.
func (s *served) machine(instance string, ports int) *world {
	s.t.Helper()
	home := s.t.TempDir()
	m := &world{t: s.t, dir: filepath.Join(home, "clone")}
	m.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TASKER_URL=" + s.url, "TASKER_ACTOR=bot/" + instance, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.org", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.org",
	}
	s.git("clone", "--quiet", filepath.Join(filepath.Dir(s.dir), "the remote.git"), m.dir)
	m.write(".tasker.json", fmt.Sprintf(`{"version": 1, "project": "shop", "actors": [{"name": "alice", "kind": "human"}, {"name": "bot", "kind": "agent"}],
	"workspace": {"strategy": "worktree", "ports": {"range": [%d, %d]}, "setup": [{"name": "touch", "run": "touch made.log; test ! -e ../../fail"}],
	"teardown": [{"name": "sweep", "run": "touch ../../swept"}]}}`, ports, ports+9))
	return m
}

// Two machines work on the tasks of one server: each keeps the record of its work trees, and the server says who may.
func TestWorkspacesThroughAServer(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a, b := s.machine("a", 25000), s.machine("b", 25000)
	mine := answer[listed](a, "workspace", "open", "cart", "--claim")
	if mine.Task != "shop-1" || mine.Branch != "tasker/shop-1-build-a-cart" || mine.Path != filepath.Join(a.dir, ".worktrees", "shop-1") {
		t.Errorf("opened %+v", mine)
	}
	theirs := answer[listed](b, "workspace", "open", "pay", "--claim")
	if theirs.Task != "shop-2" || !strings.HasPrefix(theirs.Path, b.dir) {
		t.Errorf("opened %+v", theirs)
	}
	for _, m := range []struct {
		*world
		has string
	}{{a, "shop-1"}, {b, "shop-2"}} {
		list := answer[[]listed](m.world, "workspace", "list")
		if len(list) != 1 || list[0].Task != m.has || list[0].State != "open" {
			t.Errorf("the machine with %s lists %+v", m.has, list)
		}
	}
	if got := a.run("workspace", "exec", "shop-1", "--", "sh", "-c", "pwd; echo $TASKER_TASK $TASKER_FENCE $TASKER_PORT"); got != mine.Path+"\nshop-1 1 25000\n" {
		t.Errorf("exec printed %q", got)
	}
	inside := *a
	inside.dir = mine.Path
	if got := inside.run("workspace", "path"); got != mine.Path+"\n" {
		t.Errorf("without an id, path is %q", got)
	}

	// who may is the server's to say, with the rules of a local database
	for _, args := range [][]string{{"open", "shop-1"}, {"exec", "shop-1", "--", "true"}, {"close", "shop-1", "--force"}} {
		if out, err := a.try([]string{"TASKER_ACTOR=bot/b"}, append([]string{"workspace"}, args...)...); err == nil || !strings.Contains(out, "shop-1 is held by bot/a") {
			t.Errorf("%v as another: %v %s", args, err, out)
		}
	}
	a.run("release", "shop-1", "--quiet")
	a.run("claim", "shop-1", "--quiet")
	if out, err := a.try(nil, "workspace", "exec", "shop-1", "--fence", "1", "--", "true"); err == nil || !strings.Contains(out, "claimed again since fence 1") {
		t.Errorf("under an old fence: %v %s", err, out)
	}

	// what a database logs, the server has as notes of the holder
	notes := s.run("show", "shop-1", "--json")
	for _, said := range []string{"ran the step touch of its setup", "opened a workspace in " + mine.Path} {
		if !strings.Contains(notes, said) {
			t.Errorf("no note says %q: %s", said, notes)
		}
	}

	// work that is nowhere else stays, and a closed task's clean work tree is cleared away
	must(t, os.WriteFile(filepath.Join(mine.Path, "new"), []byte("n"), 0o644))
	if out, err := a.try(nil, "workspace", "close", "shop-1"); err == nil || !strings.Contains(out, "new: new") {
		t.Errorf("closed over work: %v %s", err, out)
	}
	if out := a.run("workspace", "close", "shop-1", "--force", "--json"); !strings.Contains(out, "refs/tasker/closed/shop-1/1") {
		t.Errorf("closed: %s", out)
	}
	if _, err := os.Stat(filepath.Join(a.dir, "swept")); err != nil {
		t.Errorf("the teardown did not run: %v", err)
	}
	if list := answer[[]listed](a, "workspace", "list"); len(list) != 0 {
		t.Errorf("after the close: %+v", list)
	}
	b.run("done", "shop-2", "--quiet")
	if out := b.run("workspace", "prune"); !strings.Contains(out, "Removed the workspace of shop-2") {
		t.Errorf("prune: %s", out)
	}

	// a setup that fails is undone, and its claim given back
	a.write("fail", "")
	if out, err := a.try(nil, "workspace", "open", "shop-3", "--claim"); err == nil || !strings.Contains(out, `the step "touch" ended with exit code 1`) {
		t.Errorf("a failing setup: %v %s", err, out)
	}
	if out := s.run("show", "shop-3", "--json"); !strings.Contains(out, `"claim":null`) {
		t.Errorf("after it: %s", out)
	}
	if list := answer[[]listed](a, "workspace", "list"); len(list) != 0 {
		t.Errorf("after it: %+v", list)
	}
	must(t, filepath.WalkDir(filepath.Join(filepath.Dir(a.dir), ".local"), func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.Contains(path, "records") {
			if info, err := d.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("others may read %s: %v %v", path, info.Mode(), err)
			}
		}
		return err
	}))
}

// A runner gives each task of a server a work tree on its own machine.
func TestARunnerThroughAServerHasWorkspaces(t *testing.T) {
	t.Parallel()
	s := serve(t)
	a := s.machine("", 25100)
	a.env = append(a.env, "TASKER_ACTOR=bot")
	out := a.run("run", "--workspace", "--until-empty", "--", "sh", "-c", `echo "$TASKER_TASK in $PWD" > "of $TASKER_TASK"; git add .; git commit -qm work; git push -q origin HEAD; test "$PWD" = "$TASKER_WORKSPACE"`)
	for _, id := range []string{"shop-1", "shop-2", "shop-3"} {
		if _, err := os.Stat(filepath.Join(a.dir, ".worktrees", id)); err != nil {
			t.Errorf("%s has no work tree: %v\n%s", id, err, out)
		}
	}
	if list := answer[[]listed](a, "workspace", "list"); len(list) != 3 {
		t.Errorf("the list is %+v", list)
	}
	if out := s.run("show", "shop-1", "--json"); !strings.Contains(out, `"of shop-1"`) || strings.Contains(out, `"of shop-2"`) {
		t.Errorf("the files that were changed in its work tree are not recorded: %s", out)
	}
	if out := a.run("workspace", "prune"); strings.Count(out, "Removed") != 3 {
		t.Errorf("prune: %s", out)
	}
}
