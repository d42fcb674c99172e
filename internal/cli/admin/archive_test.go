package admin

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestOnlyAbandonedArchivesAreRemoved of a directory in which one prune was killed, another writes, and other files lie.
func TestOnlyAbandonedArchivesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	killed, err := newArchive(filepath.Join(dir, "a.jsonl"), "a.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(killed.tmp.Name())
	if err := killed.tmp.Close(); err != nil { // as its process ends
		t.Fatal(err)
	}
	for _, other := range []string{".tasker-events-", ".tasker-events-1.txt", "tasker-events-1", ".tasker-backup-1"} {
		if err := os.WriteFile(filepath.Join(dir, other), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".tasker-events-2"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".tasker-events-1.txt", filepath.Join(dir, ".tasker-events-3")); err != nil {
		t.Fatal(err)
	}
	writing, err := newArchive(filepath.Join(dir, "b.jsonl"), "b.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if removed := sweepArchives(dir); !slices.Equal(removed, []string{name}) {
		t.Errorf("removed %v, want %s", removed, name)
	}
	if removed := sweepArchives(dir); len(removed) > 0 {
		t.Errorf("removed %v the second time", removed)
	}
	writing.discard()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 6 {
		t.Errorf("%v are left (%v)", left, err)
	}
}
