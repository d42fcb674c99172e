package workspaces

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// somebody is a user without rights to other users' files: root may read everything.
const somebody = 65534

// giveAway makes somebody the owner of a directory, and lets them reach it and the program.
func giveAway(t *testing.T, dir string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, somebody, somebody)
	}))
	all := filepath.Clean(os.TempDir()) //nolint:usetesting // what lies above the test's own
	for up := dir; up != all && len(up) > 1; up = filepath.Dir(up) {
		must(t, os.Chmod(up, 0o755))
	}
	around, err := os.Stat(filepath.Dir(binary))
	must(t, err)
	must(t, os.Chmod(filepath.Dir(binary), around.Mode()|0o055)) // it may be a directory that others use
}

// asSomebody runs a command without the rights of root, and returns everything it printed.
func asSomebody(w *world, args ...string) (string, error) {
	cmd := exec.CommandContext(w.t.Context(), binary, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: somebody, Gid: somebody}}
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A workspace with an unreadable directory is not removed, not even by force: git would not see what is there.
func TestADirectoryThatMayNotBeReadIsNotRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run("add", "Build a cart", "--quiet")
	at := answer[listed](w, "workspace", "open", "shop-1")
	shut := filepath.Join(at.Path, "shut", "in")
	must(t, os.MkdirAll(shut, 0o755))
	must(t, os.WriteFile(filepath.Join(shut, "work"), []byte("w"), 0o644))
	closes := func(args ...string) (string, error) {
		return asSomebody(w, append([]string{"workspace", "close", "shop-1"}, args...)...)
	}
	if os.Getuid() == 0 {
		giveAway(t, filepath.Dir(w.dir))
	}
	must(t, os.Chmod(shut, 0))
	t.Cleanup(func() { _ = os.Chmod(shut, 0o755) })
	for _, args := range [][]string{nil, {"--force"}} {
		if out, err := closes(args...); err == nil || !strings.Contains(out, "directories that cannot be read") || !strings.Contains(out, "shut/in/") {
			t.Errorf("close %v: %v\n%s", args, err, out)
		}
	}
	must(t, os.Chmod(shut, 0o755))
	if got, err := os.ReadFile(filepath.Join(shut, "work")); err != nil || string(got) != "w" {
		t.Errorf("the file is %q, %v", got, err)
	}
	if out, err := closes("--force"); err != nil {
		t.Errorf("once it may be read: %v\n%s", err, out)
	}
}

// Guidance in an unreadable directory is named, because a worker who follows the guidance does not have all of it.
func TestGuidanceThatMayNotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".tasker.json", `{"version": 1, "project": "shop", "actors": [{"name": "alice", "kind": "human", "default": true}],
		"context": {"track": ["docs/**/*.md", "AGENTS.md"]}}`)
	w.write("docs/open.md", "o")
	w.write("docs/shut/in.md", "s")
	w.run("add", "Build a cart", "--quiet")
	w.run("claim", "shop-1", "--quiet")
	if os.Getuid() == 0 {
		giveAway(t, filepath.Dir(w.dir))
	}
	shut := filepath.Join(w.dir, "docs", "shut")
	must(t, os.Chmod(shut, 0))
	t.Cleanup(func() { _ = os.Chmod(shut, 0o755) })
	out, err := asSomebody(w, "show", "shop-1")
	if err != nil || !strings.Contains(out, "guidance that cannot be read here: docs/shut/") || !strings.Contains(out, "docs/shut/ changed") {
		t.Errorf("%v\n%s", err, out)
	}
	if strings.Contains(out, "in.md removed") {
		t.Errorf("a file that cannot be seen is called removed:\n%s", out)
	}
}
