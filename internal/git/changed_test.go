package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"tasker/internal/git"
)

func TestWhatIsChangedIsUncommittedOrCommittedSince(t *testing.T) {
	r := newRepo(t)
	changed := func(since time.Time, limit int) string {
		t.Helper()
		found, err := git.Find(t.Context(), r.dir)
		if err != nil || found == nil {
			t.Fatalf("Find: %v, %v", found, err)
		}
		files, err := found.Changed(t.Context(), since, limit)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%q", files)
	}
	r.write("new ü.txt", "1")
	if got := changed(time.Time{}, 10); got != `["new ü.txt"]` {
		t.Errorf("before the first commit: %s", got)
	}
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "first")
	r.write("lib/a.txt", "1")
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "second")
	r.write("lib/b.txt", "1")
	r.write("new ü.txt", "2")
	if got := changed(time.Now().Add(-time.Hour), 10); got != `["lib/a.txt" "lib/b.txt" "new ü.txt"]` {
		t.Errorf("of the last hour: %s", got)
	}
	r.git("rm", "--quiet", "--cached", "lib/a.txt")
	if err := os.Remove(filepath.Join(r.dir, "lib/a.txt")); err != nil {
		t.Fatal(err)
	}
	if got := changed(time.Now().Add(time.Hour), 10); got != `["lib/a.txt"]` {
		t.Errorf("what was new or edited before: %s", got)
	}
	r.git("reset", "--quiet", "--hard")
	r.write("lib/b.txt", "1")
	r.write("new ü.txt", "2")
	old := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(filepath.Join(r.dir, "lib/b.txt"), old, old); err != nil {
		t.Fatal(err)
	}
	if got := changed(time.Now().Add(-time.Hour), 10); runtime.GOOS != "windows" && got != `["lib/a.txt" "lib/b.txt" "new ü.txt"]` {
		t.Errorf("an old file that was brought here: %s", got)
	}
	if got := changed(time.Now().Add(-time.Hour), 1); got != `["lib/a.txt"]` {
		t.Errorf("the first: %s", got)
	}
}

func TestWhatDiffersFromATreeIsNamedWhereItIsKnown(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "1")
	r.write("b ü.txt", "1")
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "first")
	found, err := git.Find(t.Context(), r.dir)
	if err != nil || found == nil {
		t.Fatalf("Find: %v, %v", found, err)
	}
	committed, err := found.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.write("b ü.txt", "2")
	dirty, err := found.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.write("a.txt", "2")
	r.write("c.txt", "1")
	now, differ, err := found.Compare(t.Context(), []string{committed.Tree, dirty.Tree, "--output=x", "HEAD"}, 2)
	if err != nil || now.Tree == dirty.Tree || fmt.Sprintf("%q", differ) != fmt.Sprintf("%q", map[string][]string{committed.Tree: {"a.txt", "b ü.txt"}}) {
		t.Errorf("compared: %+v, %q, %v", now, differ, err)
	}
}
