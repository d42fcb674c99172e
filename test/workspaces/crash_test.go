package workspaces

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// killer is a git that counts its calls and kills its caller before or after the nth call, or during it: then git itself
// is killed too, wherever it is.
const killer = `#!/bin/sh
n=$(($(cat "$KILL_COUNT") + 1))
echo "$n" > "$KILL_COUNT"
if [ "$n" = "$KILL_AT" ] && [ "$KILL_WHEN" = before ]; then kill -9 "$PPID"; exit 1; fi
if [ "$n" = "$KILL_AT" ] && [ "$KILL_WHEN" = during ]; then
	"$KILL_GIT" "$@" &
	kill -9 "$PPID"
	kill -9 $!
	exit 1
fi
"$KILL_GIT" "$@"
code=$?
if [ "$n" = "$KILL_AT" ] && [ "$KILL_WHEN" = after ]; then kill -9 "$PPID"; fi
exit $code
`

// killing returns the environment of a command that is killed at a call of git, and a function that counts the calls so
// far.
func killing(w *world, at int, when string) (env []string, calls func() int) {
	w.t.Helper()
	git := w.gitIn(w.dir, "--exec-path") + "/git"
	bin := w.t.TempDir()
	must(w.t, os.WriteFile(filepath.Join(bin, "git"), []byte(killer), 0o755))
	count := filepath.Join(bin, "count")
	must(w.t, os.WriteFile(count, []byte("0\n"), 0o644))
	env = []string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), "KILL_GIT=" + git, "KILL_COUNT=" + count, "KILL_WHEN=" + when, fmt.Sprintf("KILL_AT=%d", at),
	}
	return env, func() int {
		text, err := os.ReadFile(count)
		must(w.t, err)
		n := 0
		_, err = fmt.Sscan(string(text), &n)
		must(w.t, err)
		return n
	}
}

// long reports whether the tests may take their time.
var long = os.Getenv("TASKER_TEST_LONG") != ""

// moments lists when a call of git is killed.
var moments = []string{"before", "during", "after"}

// points kills a command before, during and after the calls of git that it makes, each in a world of its own: in the long
// form at all of them, which must be at least want, else at a few that are spread evenly between the first and the last.
func points(t *testing.T, want int, prepare func(w *world), args []string, check func(t *testing.T, w *world)) {
	t.Helper()
	whole := newWorld(t)
	prepare(whole)
	env, calls := killing(whole, 0, "never")
	if out, err := whole.try(env, args...); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	all := len(moments) * calls()
	if all < want {
		t.Fatalf("%v can be killed at %d points, and not at %d", args, all, want)
	}
	few := 5
	if long {
		few = all
	}
	for i := range few {
		point := i * (all - 1) / (few - 1)
		at, when := 1+point/len(moments), moments[point%len(moments)]
		t.Run(fmt.Sprintf("%s call %d", when, at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			prepare(w)
			env, _ := killing(w, at, when)
			if out, err := w.try(env, args...); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("the command was not killed: %v\n%s", err, out)
			}
			check(t, w)
		})
	}
}

// spotless fails if anything of a workspace is left.
func spotless(t *testing.T, w *world, branch bool) {
	t.Helper()
	if list := answer[[]listed](w, "workspace", "list"); len(list) != 0 {
		t.Errorf("a record is left: %+v", list)
	}
	if trees := w.git("worktree", "list"); strings.Count(trees, "\n") != 0 {
		t.Errorf("work trees are left: %s", trees)
	}
	if entries, err := os.ReadDir(filepath.Join(w.dir, ".worktrees")); err == nil && len(entries) > 0 {
		t.Errorf("directories are left: %v", entries)
	}
	if !branch {
		if out := w.git("branch", "--list", "tasker/*"); out != "" {
			t.Errorf("a branch is left: %s", out)
		}
	}
	if out := w.git("status", "--porcelain"); out != "" {
		t.Errorf("the repository has changed: %s", out)
	}
}

// oneTask makes a task in a repository that has a remote.
func oneTask(w *world) {
	w.remote()
	w.run("add", "Build a cart")
}

func TestOpeningKilledAnywhereIsUndone(t *testing.T) {
	points(t, 15, oneTask, []string{"workspace", "open", "shop-1"}, func(t *testing.T, w *world) {
		got := answer[pruned](w, "workspace", "prune")
		if len(got.Kept) == 1 && strings.Contains(got.Kept[0].Why, "ignored: made.log") { // killed after the step, before it was recorded
			w.run("workspace", "close", "shop-1", "--force")
		}
		if list := answer[[]listed](w, "workspace", "list"); len(list) == 1 && list[0].State == "open" { // killed after everything was done
			w.run("workspace", "close", "shop-1")
			w.git("branch", "--quiet", "-D", list[0].Branch)
		}
		spotless(t, w, false)
		w.run("workspace", "open", "shop-1")
	})
}

func TestOpeningAgainFinishesWhatWasKilled(t *testing.T) {
	points(t, 15, oneTask, []string{"workspace", "open", "shop-1"}, func(t *testing.T, w *world) {
		got := answer[listed](w, "workspace", "open", "shop-1")
		if _, err := os.Stat(filepath.Join(got.Path, "made.log")); err != nil || got.State != "open" || len(got.Ports) != 1 {
			t.Errorf("%+v: %v", got, err)
		}
		if out := w.gitIn(got.Path, "status", "--porcelain", "--branch"); out != "## "+got.Branch {
			t.Errorf("the work tree's status is %s", out)
		}
	})
}

func TestClosingKilledAnywhereLosesNothing(t *testing.T) {
	prepare := func(w *world) {
		oneTask(w)
		w.run("workspace", "open", "shop-1")
		w.write(".worktrees/shop-1/committed", "c")
		w.gitIn(filepath.Join(w.dir, ".worktrees", "shop-1"), "add", "committed")
		w.gitIn(filepath.Join(w.dir, ".worktrees", "shop-1"), "commit", "--quiet", "-m", "work")
		w.write(".worktrees/shop-1/README", "changed\n")
		w.write(".worktrees/shop-1/deep/new", "new")
	}
	points(t, 60, prepare, []string{"workspace", "close", "shop-1", "--force"}, func(t *testing.T, w *world) {
		w.run("workspace", "prune")
		if list := answer[[]listed](w, "workspace", "list"); len(list) == 1 { // killed before anything was done
			for name, want := range map[string]string{"README": "changed\n", "deep/new": "new", "committed": "c"} {
				if text, err := os.ReadFile(filepath.Join(list[0].Path, name)); err != nil || string(text) != want {
					t.Errorf("%s is %q, %v", name, text, err)
				}
			}
			w.run("workspace", "close", "shop-1", "--force")
		}
		spotless(t, w, true)
		refs := strings.Fields(w.git("for-each-ref", "--format=%(refname)", "refs/tasker/closed"))
		if len(refs) == 0 {
			t.Fatal("no ref stores the work")
		}
		for name, want := range map[string]string{"README": "changed", "deep/new": "new", "committed": "c"} {
			if got := w.git("show", refs[len(refs)-1]+":"+name); got != want {
				t.Errorf("%s is %q", name, got)
			}
		}
		if got := w.git("show", "tasker/shop-1-build-a-cart:committed"); got != "c" {
			t.Errorf("the branch has %q", got)
		}
	})
}

// pruned is the answer of a prune.
type pruned struct {
	Removed []string `json:"removed"`
	Kept    []struct {
		Task string `json:"task"`
		Path string `json:"path"`
		Why  string `json:"why"`
	} `json:"kept"`
}

// kept fails unless a prune keeps the one workspace for a reason, and leaves a file in it as it was.
func kept(t *testing.T, w *world, why, file, text string) {
	t.Helper()
	for _, args := range [][]string{{"workspace", "prune", "--dry-run"}, {"workspace", "prune"}} {
		got := answer[pruned](w, args...)
		if len(got.Removed) != 0 || len(got.Kept) != 1 || !strings.Contains(got.Kept[0].Why, why) {
			t.Fatalf("the answer to %v is %+v, which does not say %s", args, got, why)
		}
		if have, err := os.ReadFile(filepath.Join(got.Kept[0].Path, file)); err != nil || string(have) != text {
			t.Fatalf("after %v, %s is %q: %v", args, file, have, err)
		}
	}
}

// killedInAStep returns a world where opening a workspace was killed in its setup.
func killedInAStep(t *testing.T, more ...string) *world {
	t.Helper()
	w := newWorld(t)
	w.write(".tasker.json", strings.Replace(settings, "touch made.log", "kill -9 $PPID; sleep 1", 1))
	w.run("add", "Build a cart")
	if out, err := w.try(nil, append([]string{"workspace", "open", "shop-1"}, more...)...); err == nil {
		t.Fatalf("the command was not killed: %s", out)
	}
	return w
}

// Files added to a work tree that a crash left half made stay there until somebody says that they may go: then they are
// stored.
func TestWorkThatWasDoneAfterACrashStays(t *testing.T) {
	t.Parallel()
	w := killedInAStep(t, "--claim", "--actor", "bot")
	w.write(".worktrees/shop-1/mine", "mine")
	kept(t, w, "was left half made, and holds work that is nowhere else; new: mine", "mine", "mine")
	if out, err := w.try(nil, "workspace", "close", "shop-1"); err == nil || !strings.Contains(out, "new: mine") {
		t.Errorf("close says %v\n%s", err, out)
	}
	if out := w.git("for-each-ref", "refs/tasker"); out != "" {
		t.Errorf("something was stored: %s", out)
	}
	got := answer[struct {
		Removed  bool     `json:"removed"`
		Branch   *string  `json:"branch"`
		Warnings []string `json:"warnings"`
	}](w, "workspace", "close", "shop-1", "--force")
	if !got.Removed || got.Branch != nil || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "refs/tasker/closed/shop-1/1") {
		t.Errorf("the answer to the forced close is %+v", got)
	}
	if got := w.git("show", "refs/tasker/closed/shop-1/1:mine"); got != "mine" {
		t.Errorf("the stored file is %q", got)
	}
	w.write(".tasker.json", settings)
	spotless(t, w, false)
}

// crashedLate returns a world in which the second step of the setup was killed; the first made an ignored file.
func crashedLate(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.write(".tasker.json", strings.Replace(settings, `"touch made.log"}`, `"touch made.log"}, {"name": "die", "run": "kill -9 $PPID; sleep 1"}`, 1))
	w.run("add", "Build a cart")
	if out, err := w.try(nil, "workspace", "open", "shop-1"); err == nil {
		t.Fatalf("the command was not killed: %s", out)
	}
	return w
}

// What a finished step of the setup has made goes with a half-made work tree; an ignored file that somebody put there since
// does not.
func TestIgnoredFilesThatWerePutThereAfterACrashStay(t *testing.T) {
	t.Parallel()
	w := crashedLate(t)
	w.write(".worktrees/shop-1/mine.log", "mine")
	kept(t, w, "was left half made, and holds work that is nowhere else; ignored: mine.log", "mine.log", "mine")
	if out, err := w.try(nil, "workspace", "close", "shop-1"); err == nil || !strings.Contains(out, "ignored: mine.log") {
		t.Errorf("close says %v\n%s", err, out)
	}
	w.write(".tasker.json", settings)
	got := answer[struct {
		State    string   `json:"state"`
		Warnings []string `json:"warnings"`
	}](w, "workspace", "open", "shop-1")
	aside := filepath.Join(w.dir, ".worktrees", "shop-1.left")
	if got.State != "open" || len(got.Warnings) != 1 || got.Warnings[0] != "ignored files were moved to "+aside+": mine.log" {
		t.Errorf("%+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(aside, "mine.log")); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q: %v", text, err)
	}

	w = crashedLate(t)
	w.run("workspace", "prune")
	w.write(".tasker.json", settings)
	spotless(t, w, false)
}

// Tasks of two databases can have the same id: neither's lock stops the other, and each has its own log of steps.
func TestTwoDatabasesShareNoLockAndNoLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".tasker.json", strings.Replace(settings, "touch made.log", "echo of $TASKER_TASK in $PWD", 1))
	w.run("add", "Build a cart")
	first := answer[listed](w, "workspace", "open", "shop-1")
	other := newWorld(t)
	// The same state directory, and a database that is no copy of the first.
	other.env = append(other.env, "HOME="+filepath.Dir(w.dir), "TASKER_DB="+filepath.Join(filepath.Dir(other.dir), "own.db"))
	other.run("project", "create", "shop")
	other.run("add", "Build a cart")
	second := answer[listed](other, "workspace", "open", "shop-1")
	for _, c := range []struct {
		w    *world
		path string
		not  string
	}{{w, first.Path, second.Path}, {other, second.Path, first.Path}} {
		log := c.w.run("workspace", "show", "shop-1", "--log")
		if strings.Contains(log, c.not) {
			t.Errorf("the log of %s is the other's:\n%s", c.path, log)
		}
	}
	if files, err := filepath.Glob(filepath.Join(filepath.Dir(w.dir), ".cache", "tasker", "workspaces", "shop-1-*.log")); err != nil || len(files) != 2 {
		t.Errorf("the logs are %q, %v", files, err)
	}
}

// Another agent's half-made work tree must not be pruned even if it is empty.
func TestAPruneRemovesNothingThatAnotherHolds(t *testing.T) {
	t.Parallel()
	w := killedInAStep(t, "--claim", "--actor", "bot/1")
	for _, who := range []string{"other", "bot/2"} {
		got := answer[pruned](w, "workspace", "prune", "--actor", who)
		if len(got.Removed) != 0 || len(got.Kept) != 1 || !strings.Contains(got.Kept[0].Why, "held by bot/1") {
			t.Errorf("for %s the answer is %+v", who, got)
		}
		if _, err := os.Stat(filepath.Join(w.dir, ".worktrees", "shop-1", "README")); err != nil {
			t.Errorf("after a prune by %s: %v", who, err)
		}
	}
	if got := answer[pruned](w, "workspace", "prune", "--actor", "bot/1"); len(got.Removed) != 1 {
		t.Errorf("for its holder the answer is %+v", got)
	}
}

// Opening again recreates it; what was there is stored, and the answer names where.
func TestOpeningAgainStoresWhatLayThere(t *testing.T) {
	t.Parallel()
	w := killedInAStep(t)
	w.write(".worktrees/shop-1/README", "changed\n")
	w.write(".tasker.json", settings)
	got := answer[struct {
		State    string   `json:"state"`
		Warnings []string `json:"warnings"`
	}](w, "workspace", "open", "shop-1")
	if got.State != "open" || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "refs/tasker/closed/shop-1/1") {
		t.Errorf("%+v", got)
	}
	if got := w.git("show", "refs/tasker/closed/shop-1/1:README"); got != "changed" {
		t.Errorf("the stored file is %q", got)
	}
}

// halfway is a git that checks out only a part of a work tree, like one that was killed, and kills its caller.
const halfway = `#!/bin/sh
tree=
for arg; do
	if [ "$arg" = add ]; then tree=.worktrees/shop-1; fi
done
if [ -z "$tree" ]; then exec "$KILL_GIT" "$@"; fi
"$KILL_GIT" worktree add --quiet --no-checkout -b tasker/shop-1-build-a-cart "$tree" main
rm -f .git/worktrees/shop-1/index
cp README "$tree/README"
: > "$tree/.tasker.json"
kill -9 "$PPID"
`

// A work tree in which git was killed holds nobody's work, with missing and with empty files, until somebody adds a file.
func TestAHalfWrittenWorkTreeIsToldFromOneWithWorkInIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run("add", "Build a cart")
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, "git"), []byte(halfway), 0o755))
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "KILL_GIT=" + w.git("--exec-path") + "/git"}
	if out, err := w.try(env, "workspace", "open", "shop-1"); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("the command was not killed: %v\n%s", err, out)
	}
	w.write(".worktrees/shop-1/mine", "mine")
	kept(t, w, "new: mine", "mine", "mine")
	must(t, os.Remove(filepath.Join(w.dir, ".worktrees", "shop-1", ".git"))) // not even that was written
	kept(t, w, "new: mine", "mine", "mine")
	must(t, os.Remove(filepath.Join(w.dir, ".worktrees", "shop-1", "mine")))
	w.write(".worktrees/shop-1/README", "other\n")
	kept(t, w, "changed: README", "README", "other\n")
	w.write(".worktrees/shop-1/README", "hello\n")
	w.run("workspace", "prune")
	spotless(t, w, false)
}
