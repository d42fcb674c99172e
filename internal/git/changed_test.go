package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"tasker/internal/git"
	"tasker/internal/git/worktree"
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

// Whoever commits and then claims the next task does both within a second, and the commit is no work on that task.
func TestACommitInTheSecondBeforeAClaimIsNotItsWork(t *testing.T) {
	r := newRepo(t)
	found, err := git.Find(t.Context(), r.dir)
	if err != nil || found == nil {
		t.Fatalf("Find: %v, %v", found, err)
	}
	claimed := time.Now().Add(time.Hour)
	t.Setenv("GIT_COMMITTER_DATE", claimed.Format(time.RFC3339))
	r.write("before.txt", "1")
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "before")
	if files, err := found.Changed(t.Context(), claimed, 10); err != nil || len(files) > 0 {
		t.Errorf("a commit from before: %q, %v", files, err)
	}
	r.git("gc", "--quiet") // then nobody can tell any more
	if files, err := found.Changed(t.Context(), claimed, 10); err != nil || len(files) != 1 {
		t.Errorf("a commit that was packed: %q, %v", files, err)
	}
}

// What a merge, a pull or a rebase brings was made by somebody else. It is not the worker's, however new it is.
func TestOnlyCommitsThatWereMadeHereCount(t *testing.T) {
	r := newRepo(t)
	r.write("first.txt", "1")
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "first")
	dir := filepath.Join(t.TempDir(), "theirs")
	r.git("worktree", "add", "--quiet", "-b", "theirs", dir)
	theirs := repo{t, dir}
	commit := func(in repo, file string) {
		t.Helper()
		in.write(file, file)
		in.git("add", ".")
		in.git("commit", "--quiet", "-m", file)
	}
	claimed := time.Now()
	changed := func(what string, want ...string) {
		t.Helper()
		found, err := git.Find(t.Context(), r.dir)
		if err != nil || found == nil {
			t.Fatalf("Find: %v, %v", found, err)
		}
		there, err := worktree.Find(t.Context(), r.dir)
		if err != nil || there == nil {
			t.Fatalf("Find: %v, %v", there, err)
		}
		files, err := found.Changed(t.Context(), claimed, 100)
		since, err2 := there.ChangedSince(t.Context(), r.dir, claimed)
		if err != nil || err2 != nil || !slices.Equal(files, want) || !slices.Equal(since.Files, want) {
			t.Errorf("%s: %q and %q, want %q (%v, %v)", what, files, since.Files, want, err, err2)
		}
	}
	r.git("commit", "--quiet", "--amend", "--allow-empty", "-m", "first, in the second of the claim")
	changed("amended in the second of the claim", "first.txt")
	claimed = claimed.Add(2 * time.Second)
	t.Setenv("GIT_COMMITTER_DATE", claimed.Add(time.Second).Format(time.RFC3339))
	commit(theirs, "forward.txt")
	r.git("rebase", "--quiet", "theirs")
	changed("after a rebase that only brings theirs")
	r.git("reset", "--quiet", "--hard", "theirs")
	changed("after a forward")
	commit(r, "own.txt")
	commit(theirs, "merged.txt")
	r.git("merge", "--quiet", "--no-edit", "theirs")
	changed("after a merge", "own.txt")
	commit(theirs, "rebased.txt")
	r.git("reset", "--quiet", "--hard", "HEAD^1")
	r.git("rebase", "--quiet", "theirs")
	changed("after a rebase", "own.txt")
	commit(theirs, "picked.txt")
	r.git("cherry-pick", "--allow-empty", "theirs")
	changed("after a pick", "own.txt", "picked.txt")
	r.git("reset", "--quiet", "--hard", "HEAD^")
	changed("what is no longer in the history", "own.txt")
	if err := os.RemoveAll(filepath.Join(r.dir, ".git", "logs")); err != nil {
		t.Fatal(err)
	}
	commit(theirs, "again.txt")
	r.git("-c", "core.logAllRefUpdates=false", "merge", "--quiet", "--no-edit", "--no-ff", "theirs")
	if err := os.RemoveAll(filepath.Join(r.dir, ".git", "logs")); err != nil {
		t.Fatal(err)
	}
	changed("without a log of what was made here", "forward.txt", "merged.txt", "own.txt", "rebased.txt")
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
