package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/git"
)

// repo is a repository with helpers.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) repo {
	t.Helper()
	r := repo{t, t.TempDir()}
	r.git("init", "--quiet", "--initial-branch=main")
	r.git("config", "user.name", "Test")
	r.git("config", "user.email", "test@example.org")
	return r
}

func (r repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r repo) state(dir string) git.State {
	r.t.Helper()
	found, err := git.Find(r.t.Context(), dir)
	if err != nil || found == nil {
		r.t.Fatalf("Find: %v, %v", found, err)
	}
	s, err := found.State(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestTheTreeIsReadWithoutTouchingTheRepository(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "one\n")
	r.write("dir/b.txt", "two\n")
	r.write(".gitignore", "*.log\n")
	if s := r.state(r.dir); s.Commit != "" || s.Tree == "" || !s.Dirty {
		t.Errorf("before the first commit: %+v", s)
	}
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "first")
	clean := r.state(filepath.Join(r.dir, "dir"))
	if want := r.git("rev-parse", "HEAD^{tree}"); clean.Tree != want || clean.Dirty || clean.Commit != r.git("rev-parse", "HEAD") {
		t.Errorf("committed: %+v, and git says %s", clean, want)
	}

	r.write("ignored.log", "x")
	if s := r.state(r.dir); s != clean {
		t.Errorf("an ignored file changes the state: %+v", s)
	}
	r.write("a.txt", "changed\n")
	r.write("new.txt", "three\n")
	index, objects := r.git("ls-files", "--stage"), r.git("count-objects")
	dirty := r.state(r.dir)
	if !dirty.Dirty || dirty.Tree == clean.Tree || dirty.Commit != clean.Commit {
		t.Errorf("changed: %+v", dirty)
	}
	if r.git("ls-files", "--stage") != index || r.git("count-objects") != objects || r.git("status", "--porcelain") != "M a.txt\n?? new.txt" {
		t.Errorf("something was written: %s, %s, %s", r.git("ls-files", "--stage"), r.git("count-objects"), r.git("status", "--porcelain"))
	}
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "second")
	if s := r.state(r.dir); s.Tree != dirty.Tree || s.Dirty {
		t.Errorf("after a commit of the same files: %+v, before: %+v", s, dirty)
	}
	r.git("rm", "--quiet", "new.txt")
	if s := r.state(r.dir); s.Tree == dirty.Tree {
		t.Error("the removal of a file does not change the tree")
	}
}

func TestHistoryKnowsTheTreesOfEveryCommit(t *testing.T) {
	r := newRepo(t)
	found, err := git.Find(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if has, err := found.History(t.Context()); err != nil || has("x") {
		t.Errorf("nothing is committed, and History finds x, or fails: %v", err)
	}
	var trees []string
	for _, text := range []string{"one", "two"} {
		r.write("a.txt", text)
		r.git("add", ".")
		r.git("commit", "--quiet", "-m", text)
		trees = append(trees, r.git("rev-parse", "HEAD^{tree}"))
	}
	has, err := found.History(t.Context())
	if err != nil || !has(trees[0]) || !has(trees[1]) || has(r.git("rev-parse", "HEAD")) {
		t.Errorf("the history is not %v: %v", trees, err)
	}
	r.git("checkout", "--quiet", "--orphan", "elsewhere")
	if has, err = found.History(t.Context()); err != nil || !has(trees[1]) {
		t.Errorf("what another branch has is not found before the first commit: %v", err)
	}
	r.git("commit", "--quiet", "--allow-empty", "-m", "three")
	if has, err = found.History(t.Context()); err != nil || !has(trees[0]) {
		t.Errorf("what only another branch has is not found: %v", err)
	}
}

func TestOutsideARepositoryThereIsNone(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	if r, err := git.Find(t.Context(), dir); r != nil || err != nil {
		t.Errorf("Find: %v, %v", r, err)
	}
	t.Setenv("PATH", "")
	if r, err := git.Find(t.Context(), dir); r != nil || err != nil {
		t.Errorf("without git: %v, %v", r, err)
	}
}

// TestAChangeWithinTheSecondOfTheIndexIsSeen makes the change that git itself calls racy: a file
// with the length and time that the index has for it, and an index no younger than the file.
func TestAChangeWithinTheSecondOfTheIndexIsSeen(t *testing.T) {
	r := newRepo(t)
	r.git("config", "core.trustCtime", "false") // the only time that cannot be set
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	at := func(name string) {
		if err := os.Chtimes(filepath.Join(r.dir, name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	r.write("a.txt", "one\n")
	at("a.txt")
	r.git("add", "a.txt")
	at(".git/index")
	before := r.state(r.dir)
	r.write("a.txt", "two\n")
	at("a.txt")
	if after := r.state(r.dir); after.Tree == before.Tree {
		t.Errorf("the tree is %s before and after the change", after.Tree)
	}
}

func TestASplitIndexIsLookedAt(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n")
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "one")
	whole := r.state(r.dir)
	r.git("update-index", "--split-index")
	if split := r.state(r.dir); split != whole || split.Dirty {
		t.Errorf("split, the state is %+v, and was %+v", split, whole)
	}
}
