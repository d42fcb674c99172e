//go:build linux

package workspaces

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What tasker started ends with it, however it ends.
func TestWhatTaskerStartedEndsWithIt(t *testing.T) {
	w := newWorld(t)
	w.run("add", "One")
	w.run("add", "Two")
	w.run("workspace", "open", "shop-1")
	line := filepath.Join(w.t.TempDir(), "line")
	must(t, syscall.Mkfifo(line, 0o600))
	group := "exec 3>" + line + "; sleep 1000 & wait" // the sleep holds it too
	w.write(".tasker.json", strings.Replace(settings, "touch made.log", group, 1))
	w.git("commit", "--quiet", "-am", "a step that takes its time")
	slow := filepath.Join(t.TempDir(), "git")
	must(t, os.WriteFile(slow, []byte("#!/bin/sh\nexec sleep 1000 3>"+line+"\n"), 0o755))
	for name, c := range map[string]struct {
		args []string
		env  []string
	}{
		"a step":        {args: []string{"workspace", "open", "shop-2"}},
		"a proof":       {args: []string{"prove", "shop-1", "--kind", "test", "--", "sh", "-c", group}},
		"a worker":      {args: []string{"run", "--", "sh", "-c", group}},
		"in workspaces": {args: []string{"workspace", "exec", "shop-1", "--", "sh", "-c", "exec sleep 1000 3>" + line}},
		"git":           {args: []string{"workspace", "show", "shop-1"}, env: []string{"PATH=" + filepath.Dir(slow) + ":" + os.Getenv("PATH")}},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT} {
			t.Run(name+"/"+sig.String(), func(t *testing.T) {
				cmd := exec.CommandContext(t.Context(), binary, c.args...)
				cmd.Dir, cmd.Env = w.dir, append(append([]string{}, w.env...), c.env...)
				cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // no terminal sends the signal to anybody else
				must(t, cmd.Start())
				f, err := os.Open(line) // waits for the command that it starts
				must(t, err)
				defer func() { must(t, f.Close()) }()
				must(t, cmd.Process.Signal(sig))
				must(t, f.SetReadDeadline(time.Now().Add(20*time.Second)))
				if _, err := io.ReadAll(f); err != nil { // ends when nobody holds it any more
					t.Errorf("what it started still runs: %v", err)
				}
				_ = cmd.Wait() // the exit status does not matter here
			})
		}
	}
}
