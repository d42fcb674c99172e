package unfinished

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func created(t *testing.T, dir string, kind Kind) *File {
	t.Helper()
	f, err := Create(dir, kind)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func put(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The directory holds files of a killed process, of one that still works, and unrelated ones.
func TestOnlyWhatIsAbandonedIsRemoved(t *testing.T) {
	dir := t.TempDir()
	killed := created(t, dir, Events)
	put(t, killed.Name()+"-journal", killed.Name()+".db-wal")
	if err := killed.Close(); err != nil { // as its process ends
		t.Fatal(err)
	}
	for _, other := range []string{".tasker-events-", ".tasker-events-1.txt", "tasker-events-1", ".tasker-other-1", ".tasker-restore-7-mine"} {
		put(t, filepath.Join(dir, other))
	}
	put(t, filepath.Join(dir, ".tasker-restore-5-turn")) // all that an earlier one left
	if err := os.Mkdir(filepath.Join(dir, ".tasker-events-2"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".tasker-events-1.txt", filepath.Join(dir, ".tasker-events-3")); err != nil {
		t.Fatal(err)
	}
	working := created(t, dir, Restore)
	put(t, working.Name()+"-wal", working.Name()+".db")
	name := filepath.Base(killed.Name())
	want := []string{".tasker-restore-5-turn", name, name + "-journal", name + ".db-wal"}
	removed := Sweep(dir)
	slices.Sort(removed)
	slices.Sort(want)
	if !slices.Equal(removed, want) {
		t.Errorf("removed %v, want %v", removed, want)
	}
	if removed := Sweep(dir); len(removed) > 0 {
		t.Errorf("removed %v the second time", removed)
	}
	working.Discard()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 7 {
		t.Errorf("%v are left (%v)", left, err)
	}
}

func TestAFileGetsItsNameOnceItIsWhole(t *testing.T) {
	dir := t.TempDir()
	f := created(t, dir, Export)
	if _, err := f.WriteString("all"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "there")
	put(t, path)
	if err := f.Rename(path); err != nil {
		t.Fatal(err)
	}
	f.Discard()
	text, err := os.ReadFile(path)
	if left, _ := os.ReadDir(dir); err != nil || string(text) != "all" || len(left) != 1 {
		t.Errorf("%q, %v, and in the directory %v", text, err, left)
	}
}

func TestANamelessFileIsNowhere(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f, err := Nameless(Pull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if _, err := f.WriteString("all"); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("found it at %v (%v)", left, err)
	}
}
