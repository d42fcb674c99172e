package faults

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tasker/internal/testkit/dbtest"
)

// hidden returns the files of a directory that commands create while they are not done.
func hidden(t *testing.T, dir string) []string {
	t.Helper()
	out, err := filepath.Glob(filepath.Join(dir, ".tasker-*"))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A killed restore leaves the file behind that it was writing, and the next restore removes it. A file that a running
// restore is still writing stays.
func TestARestoreTakesAwayWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t, dbtest.SQLite(t))
	w.apply(plain(1))
	backup := filepath.Join(w.dir, "whole.tar")
	w.tasker("ann", "backup", backup)
	into, pipe := t.TempDir(), filepath.Join(t.TempDir(), "pipe")
	w.must(syscall.Mkfifo(pipe, 0o600))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := w.command(ctx, "ann", "restore", pipe, "--db", filepath.Join(into, "never.db"))
	w.must(cmd.Start())
	end, err := os.OpenFile(pipe, os.O_RDWR, 0) // which does not block
	w.must(err)
	defer func() { _ = end.Close() }()
	content, err := os.ReadFile(backup)
	w.must(err)
	if _, err = end.Write(content[:len(content)-1]); err != nil || len(content) < 1<<18 { // more than a pipe holds, so it is being read
		t.Fatalf("%d bytes: %v", len(content), err)
	}
	w.tasker("ann", "restore", backup, "--db", filepath.Join(into, "first.db"))
	if left := hidden(t, into); len(left) != 1 {
		t.Errorf("next to a restore that is under way %v are left", left)
	}
	w.must(cmd.Process.Kill())
	_ = cmd.Wait()
	w.tasker("ann", "restore", backup, "--db", filepath.Join(into, "second.db"))
	if left := hidden(t, into); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// A backup and an export that are killed before their file gets its name leave it behind, and the next one removes it.
func TestABackupTakesAwayWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	each(t, func(w *world) {
		w.apply(plain(1))
		into := t.TempDir()
		for call, args := range map[string][]string{"linkat": {"backup", filepath.Join(into, "b.tar")}, "renameat": {"export", "--all", "-o", filepath.Join(into, "e.json")}} {
			if !w.killedAt(1, call, args...) || len(hidden(t, into)) == 0 {
				t.Fatalf("%s was not killed, or left nothing", args[0])
			}
			w.tasker("ann", args...)
			if left := hidden(t, into); len(left) > 0 {
				t.Errorf("after %s %v are left", args[0], left)
			}
		}
	})
}
