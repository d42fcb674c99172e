package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/git/worktree"
)

// repo is a repository with helpers. Its path has spaces and letters of other alphabets.
type repo struct {
	*worktree.Repo
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	r := &repo{t: t, dir: filepath.Join(t.TempDir(), "a répo, здесь")}
	must(t, os.MkdirAll(r.dir, 0o755))
	r.git("init", "--quiet", "--initial-branch=main")
	r.name()
	r.write("README", "one\n")
	r.save("first")
	return r.found()
}

func (r *repo) found() *repo {
	r.t.Helper()
	var err error
	if r.Repo, err = worktree.Find(r.t.Context(), r.dir); err != nil || r.Repo == nil {
		r.t.Fatalf("Find: %v, %v", r.Repo, err)
	}
	return r
}

func (r *repo) name() {
	r.git("config", "user.name", "Test")
	r.git("config", "user.email", "test@example.org")
	r.git("config", "protocol.file.allow", "always")
}

func (r *repo) in(dir string) *repo { return &repo{r.Repo, r.t, dir} }

func (r *repo) git(args ...string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	must(r.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(r.t, os.WriteFile(path, []byte(text), 0o644))
}

func (r *repo) save(message string) string {
	r.t.Helper()
	r.git("add", "--all", ".")
	r.git("commit", "--quiet", "-m", message)
	return r.git("rev-parse", "HEAD")
}

// add makes a work tree on a branch from main.
func (r *repo) add(branch string) *repo {
	r.t.Helper()
	path := filepath.Join(r.dir, ".worktrees", strings.ReplaceAll(branch, "/", "-"))
	err := r.Add(r.t.Context(), path, branch, r.git("rev-parse", "main"))
	must(r.t, err)
	return r.in(path)
}

func (r *repo) look(path, base string) worktree.Seen {
	r.t.Helper()
	s, err := r.Look(r.t.Context(), path, base, true)
	must(r.t, err)
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || fault.Of(err).Kind == fault.Internal {
		t.Errorf("%v, want a refusal with %q", err, want)
	}
}

func TestTheRepositoryIsFoundFromAnyOfItsDirectories(t *testing.T) {
	r := newRepo(t)
	w := r.add("tasker/x-1")
	w.write("deep/er/file", "")
	t.Setenv("GIT_DIR", "/nowhere") // as in a hook
	t.Setenv("GIT_INDEX_FILE", "/nowhere/index")
	for _, dir := range []string{r.dir, w.dir, filepath.Join(w.dir, "deep", "er")} {
		got, err := worktree.Find(t.Context(), dir)
		if err != nil || got == nil || got.Root != r.Root {
			t.Errorf("%s: %+v, %v", dir, got, err)
		}
	}
	if got, err := worktree.Find(t.Context(), t.TempDir()); err != nil || got != nil {
		t.Errorf("outside: %v, %v", got, err)
	}
}

func TestAWorkTreeIsMadeOnceAndRemovedWhole(t *testing.T) {
	r := newRepo(t)
	ctx := t.Context()
	path := filepath.Join(r.dir, ".worktrees", "x-1")
	main := r.git("rev-parse", "main")
	must(t, r.Add(ctx, path, "tasker/x-1", main))
	r.in(path).write("README", "changed\n")
	must(t, r.Add(ctx, path, "tasker/x-1", main))
	if s := r.look(path, main); !slices.Equal(s.Changed, []string{"README"}) {
		t.Errorf("the second time changed something: %+v", s)
	}
	refused(t, r.Add(ctx, path+"-other", "tasker/x-1", main), "is checked out in "+path)
	refused(t, r.Add(ctx, path, "tasker/x-2", main), "already exists")
	must(t, r.Remove(ctx, path))
	if _, err := os.Lstat(path); err == nil {
		t.Error("the work tree is still there")
	}
	if trees, err := r.Trees(ctx); err != nil || len(trees) != 1 {
		t.Errorf("git knows %+v, %v", trees, err)
	}
	if c, err := r.Commit(ctx, "tasker/x-1"); err != nil || c != main {
		t.Errorf("the branch is at %q, %v", c, err)
	}
	must(t, r.Add(ctx, path, "tasker/x-1", "unused")) // the branch is there
	if at := r.in(path).git("rev-parse", "HEAD"); at != main {
		t.Errorf("on the branch that is there: %s", at)
	}
}

func TestWhatACrashLeftHalfMadeIsRemoved(t *testing.T) {
	for name, breaks := range map[string]func(r *repo, path string){
		"no directory":          func(_ *repo, path string) { _ = os.RemoveAll(path) },
		"no pointer in it":      func(_ *repo, path string) { _ = os.Remove(filepath.Join(path, ".git")) },
		"no record":             func(r *repo, _ string) { _ = os.RemoveAll(filepath.Join(r.dir, ".git", "worktrees", "x-1")) },
		"locked while made":     func(r *repo, _ string) { r.git("worktree", "lock", "--reason", "initializing", ".worktrees/x-1") },
		"a record without HEAD": func(r *repo, _ string) { _ = os.Remove(filepath.Join(r.dir, ".git", "worktrees", "x-1", "HEAD")) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			path := filepath.Join(r.dir, ".worktrees", "x-1")
			err := r.Add(t.Context(), path, "tasker/x-1", "main")
			must(t, err)
			breaks(r, path)
			must(t, r.Remove(t.Context(), path))
			must(t, r.DropBranch(t.Context(), "tasker/x-1", r.git("rev-parse", "main")))
			if c, err := r.Commit(t.Context(), "tasker/x-1"); err != nil || c != "" {
				t.Errorf("the branch is at %q, %v", c, err)
			}
			must(t, r.Add(t.Context(), path, "tasker/x-1", "main"))
		})
	}
}

func TestRecordsOfOtherWorkTreesStay(t *testing.T) {
	r := newRepo(t)
	away := r.add("tasker/x-1")
	here := r.add("tasker/x-2")
	must(t, os.Rename(away.dir, away.dir+"-unmounted"))
	must(t, r.Remove(t.Context(), here.dir))
	must(t, os.Rename(away.dir+"-unmounted", away.dir))
	if s := r.look(away.dir, "main"); s.Branch != "tasker/x-1" {
		t.Errorf("it is %+v", s)
	}
}

func TestABranchWithWorkOnItIsNotDropped(t *testing.T) {
	r := newRepo(t)
	w := r.add("tasker/x-1")
	from := r.git("rev-parse", "main")
	w.write("a", "a")
	now := w.save("work")
	must(t, r.Remove(t.Context(), w.dir))
	must(t, r.DropBranch(t.Context(), "tasker/x-1", from))
	if c, err := r.Commit(t.Context(), "tasker/x-1"); err != nil || c != now {
		t.Errorf("the branch is at %q, %v", c, err)
	}
}

func TestTheBaseIsTheRemotesWhereItAnswers(t *testing.T) {
	origin := newRepo(t)
	r := &repo{t: t, dir: filepath.Join(t.TempDir(), "clone")}
	origin.git("clone", "--quiet", "--depth=1", "file://"+origin.dir, r.dir)
	r.name()
	r.found()
	origin.write("b", "b")
	second := origin.save("second")
	base, silent, err := r.Base(t.Context(), "")
	if err != nil || silent != "" || base.Name != "origin/main" || base.Commit != second {
		t.Errorf("%+v, %v, %v", base, silent, err)
	}
	if base, _, err = r.Base(t.Context(), "main"); err != nil || base.Name != "origin/main" {
		t.Errorf("by its name: %+v, %v", base, err)
	}
	r.git("branch", "local")
	if base, _, err = r.Base(t.Context(), "local"); err != nil || base.Name != "local" || base.Remote != "" {
		t.Errorf("a local one: %+v, %v", base, err)
	}
	must(t, os.Rename(origin.dir, origin.dir+"-gone"))
	if base, silent, err = r.Base(t.Context(), ""); err != nil || silent != "origin" || base.Commit != second {
		t.Errorf("unreachable: %+v, %v, %v", base, silent, err)
	}
	_, _, err = r.Base(t.Context(), "nosuch")
	refused(t, err, `branch.base "nosuch" is not a branch`)
	_, _, err = r.Base(t.Context(), "--upload-pack=x")
	refused(t, err, "is not the name of a branch")
}

func TestARepositoryWithoutACommitHasNoBase(t *testing.T) {
	r := &repo{t: t, dir: t.TempDir()}
	r.git("init", "--quiet")
	r.found()
	_, _, err := r.Base(t.Context(), "")
	refused(t, err, "has no commit yet")
}

func TestBranchesAreMergedWithoutAWorkTree(t *testing.T) {
	r := newRepo(t)
	ctx := t.Context()
	main := r.git("rev-parse", "main")
	for branch, file := range map[string]string{"one": "a", "two": "b", "three": "a"} {
		w := r.add(branch)
		w.write(file, branch)
		w.save(branch)
	}
	first, conflict, err := r.Merged(ctx, main, r.git("rev-parse", "one"), "Merge one")
	if err != nil || conflict != nil {
		t.Fatalf("%+v, %v", conflict, err)
	}
	both, conflict, err := r.Merged(ctx, first, r.git("rev-parse", "two"), "Merge two")
	if err != nil || conflict != nil {
		t.Fatalf("%+v, %v", conflict, err)
	}
	if got := r.git("ls-tree", "--name-only", both); got != "README\na\nb" {
		t.Errorf("the merge has the files %q", got)
	}
	if again, _, err := r.Merged(ctx, both, r.git("rev-parse", "one"), "Merge one"); err != nil || again != both {
		t.Errorf("again: %s, %v", again, err)
	}
	stays, conflict, err := r.Merged(ctx, both, r.git("rev-parse", "three"), "Merge three")
	if err != nil || stays != both || !slices.Equal(conflict, []string{"a"}) {
		t.Errorf("%s, %+v, %v", stays, conflict, err)
	}
	if got := r.git("status", "--porcelain", "--untracked-files=no"); got != "" {
		t.Errorf("the work tree changed: %q", got)
	}
	w := r.add("four")
	w.write("own", "own")
	own := w.save("own")
	next, _, err := r.Merged(ctx, own, r.git("rev-parse", "one"), "Merge one")
	must(t, err)
	must(t, r.Forward(ctx, w.dir, next))
	if got := w.git("ls-files"); got != "README\na\nown" {
		t.Errorf("after a fast-forward the files are %q", got)
	}
	w.write("a", "changed here")
	r.in(filepath.Join(r.dir, ".worktrees", "one")).write("a", "changed there")
	r.in(filepath.Join(r.dir, ".worktrees", "one")).save("more")
	next, _, err = r.Merged(ctx, next, r.git("rev-parse", "one"), "Merge one")
	must(t, err)
	refused(t, r.Forward(ctx, w.dir, next), "cannot be brought up to date")
	if text, err := os.ReadFile(filepath.Join(w.dir, "a")); err != nil || string(text) != "changed here" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestNobodyNeedsANameForAMerge(t *testing.T) {
	r := newRepo(t)
	w := r.add("one")
	w.write("a", "a")
	w.save("one")
	r.git("config", "--unset", "user.name")
	r.git("config", "--unset", "user.email")
	r.git("config", "user.useConfigOnly", "true")
	r.git("config", "commit.gpgSign", "true")
	t.Setenv("HOME", t.TempDir())
	main := r.git("rev-parse", "main")
	r.write("b", "b")
	r.git("add", ".")
	if _, conflict, err := r.Merged(t.Context(), main, r.git("rev-parse", "one"), "Merge one"); err != nil || conflict != nil {
		t.Errorf("%+v, %v", conflict, err)
	}
}

func TestWhatAWorkTreeHoldsIsSeen(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "*.log\nbuild/\n")
	r.save("ignore")
	main := r.git("rev-parse", "main")
	w := r.add("tasker/x-1")
	if s := r.look(w.dir, main); s.Dirty() || s.Ahead != 0 || s.Behind != 0 || !s.Landed || s.Branch != "tasker/x-1" || s.Commit != main {
		t.Errorf("fresh: %+v", s)
	}
	w.write("README", "two\n")
	w.write("new file\nwith a line", "x")
	w.write("dir/one", "1")
	w.write("a.log", "x")
	w.write("build/out", "x")
	s := r.look(w.dir, main)
	if !slices.Equal(s.Changed, []string{"README"}) || !slices.Equal(s.Untracked, []string{"dir/", "new file\nwith a line"}) ||
		!slices.Equal(s.Ignored, []string{"a.log", "build/"}) || !s.Dirty() {
		t.Errorf("dirty: %+v", s)
	}
	w.save("work")
	r.write("c", "c")
	r.save("elsewhere")
	if s = r.look(w.dir, r.git("rev-parse", "main")); s.Dirty() || s.Ahead != 1 || s.Behind != 1 || s.Landed {
		t.Errorf("committed: %+v", s)
	}
	r.git("init", "--quiet", filepath.Join(w.dir, "vendor", "nested"))
	w.in(filepath.Join(w.dir, "vendor", "nested")).write("f", "f")
	if s = r.look(w.dir, main); !slices.Equal(s.Nested, []string{"vendor/"}) || !s.Dirty() {
		t.Errorf("nested: %+v", s)
	}
}

func TestChangesWithinSubmodulesAreSeen(t *testing.T) {
	sub := newRepo(t)
	r := newRepo(t)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.dir, "sub")
	r.save("with a submodule")
	w := r.add("tasker/x-1")
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	if s := r.look(w.dir, "main"); s.Dirty() {
		t.Errorf("fresh: %+v", s)
	}
	w.write("sub/README", "changed\n")
	if s := r.look(w.dir, "main"); !slices.Equal(s.Nested, []string{"sub/"}) {
		t.Errorf("changed: %+v", s)
	}
	must(t, r.Remove(t.Context(), w.dir))
}

func TestUnpushedCommitsAreCountedWhereThereIsARemote(t *testing.T) {
	origin := newRepo(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	origin.git("clone", "--quiet", "--bare", origin.dir, bare)
	r := &repo{t: t, dir: filepath.Join(t.TempDir(), "clone")}
	origin.git("clone", "--quiet", bare, r.dir)
	r.name()
	r.found()
	w := r.add("tasker/x-1")
	w.write("a", "a")
	w.save("a")
	if s := r.look(w.dir, "origin/main"); s.Unpushed != 1 {
		t.Errorf("%+v", s)
	}
	w.git("push", "--quiet", "origin", "HEAD")
	if s := r.look(w.dir, "origin/main"); s.Unpushed != 0 || s.Landed {
		t.Errorf("pushed: %+v", s)
	}
	o := origin.add("tasker/x-1")
	o.write("a", "a")
	if s := origin.look(o.dir, "main"); s.Unpushed != 0 {
		t.Errorf("without a remote: %+v", s)
	}
}

func TestWorkHasLandedByCommitChangeOrContent(t *testing.T) {
	for name, land := range map[string]func(r *repo){
		"merged":        func(r *repo) { r.git("merge", "--quiet", "--no-ff", "-m", "merge", "work") },
		"cherry-picked": func(r *repo) { r.git("cherry-pick", "work~1", "work") },
		"squashed":      func(r *repo) { r.git("merge", "--quiet", "--squash", "work"); r.save("squashed") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			w := r.add("work")
			w.write("a", "1\n")
			w.save("one")
			w.write("a", "1\n2\n")
			w.save("two")
			r.write("b", "b")
			r.save("meanwhile")
			if r.look(w.dir, "main").Landed {
				t.Error("Landed is true before the merge")
			}
			land(r)
			r.write("c", "c")
			r.save("later")
			if !r.look(w.dir, "main").Landed {
				t.Error("Landed is false after the merge")
			}
			w.write("a", "3\n")
			w.save("three")
			if r.look(w.dir, "main").Landed {
				t.Error("Landed is true although there are new commits")
			}
		})
	}
}

func TestWhatIsClosedByForceIsStored(t *testing.T) {
	r := newRepo(t)
	w := r.add("tasker/x-1")
	w.write("README", "changed\n")
	w.write("new/file", "new")
	w.git("add", "new")
	w.write("untracked", "u")
	before, index := w.git("status", "--porcelain"), w.git("ls-files", "--stage")
	ref, err := r.Keep(t.Context(), w.dir, "x-1")
	if err != nil || ref != "refs/tasker/closed/x-1/1" {
		t.Fatalf("%s, %v", ref, err)
	}
	if again, err := r.Keep(t.Context(), w.dir, "x-1"); err != nil || again != "refs/tasker/closed/x-1/2" {
		t.Errorf("again: %s, %v", again, err)
	}
	if w.git("status", "--porcelain") != before || w.git("ls-files", "--stage") != index {
		t.Error("storing it changed the work tree or its index")
	}
	must(t, r.Remove(t.Context(), w.dir))
	for file, want := range map[string]string{"README": "changed", "new/file": "new", "untracked": "u"} {
		if got := r.git("show", ref+":"+file); got != want {
			t.Errorf("%s is %q", file, got)
		}
	}
}

func TestFilesOfOursAreExcludedOnce(t *testing.T) {
	r := newRepo(t)
	exclude := filepath.Join(r.dir, ".git", "info", "exclude")
	must(t, os.WriteFile(exclude, []byte("# mine"), 0o644))
	for range 2 {
		must(t, r.Exclude(worktree.Pattern(".worktrees/"), worktree.Pattern("odd [name] *?")))
	}
	text, err := os.ReadFile(exclude)
	if err != nil || string(text) != "# mine\n/.worktrees/\n/odd\\ \\[name]\\ \\*\\?\n" {
		t.Errorf("%q, %v", text, err)
	}
	r.write("odd [name] *?", "")
	r.write("odd n", "")
	r.write(".worktrees/a", "")
	if s := r.look(r.dir, ""); !slices.Equal(s.Untracked, []string{"odd n"}) {
		t.Errorf("%+v", s)
	}
}

func TestSwitchingLosesNothing(t *testing.T) {
	r := newRepo(t)
	main := r.git("rev-parse", "main")
	must(t, r.Switch(t.Context(), r.dir, "tasker/x-1", main))
	r.write("README", "two\n")
	r.save("two")
	r.write("README", "three\n")
	refused(t, r.Switch(t.Context(), r.dir, "main", main), "cannot switch to main")
	r.git("checkout", "--quiet", "README")
	must(t, r.Switch(t.Context(), r.dir, "main", main))
	if got := r.git("symbolic-ref", "--short", "HEAD"); got != "main" {
		t.Errorf("HEAD is on %s", got)
	}
}
