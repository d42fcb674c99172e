package workspaces

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostile lists file names that could trip up shells, terminals and git's own options.
var hostile = []string{"-rf", "$(touch x)", "a\nb", `quote"'`, "здесь и там", "--force", "*.go", "\x1b[31mred"}

func TestWorkspacesOfOddRepositories(t *testing.T) {
	for name, fn := range map[string]func(t *testing.T, w *world){
		"a clone with a bare remote":   withRemote,
		"a shallow clone":              shallow,
		"a repository with submodules": submodules,
		"within another work tree":     nested,
		"hostile names":                hostileNames,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.git("config", "protocol.file.allow", "always")
			w.run("add", "Build a cart", "--quiet")
			fn(t, w)
		})
	}
}

// closes commits in a workspace, closes it by force, and checks that no commit and no uncommitted file is lost.
func closes(t *testing.T, w *world, at listed) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(at.Path, "committed"), []byte("c"), 0o644))
	w.gitIn(at.Path, "add", "committed")
	w.gitIn(at.Path, "commit", "--quiet", "-m", "work")
	must(t, os.WriteFile(filepath.Join(at.Path, "new"), []byte("n"), 0o644))
	if out, err := w.try(nil, "workspace", "close", at.Task); err == nil {
		t.Fatalf("a work tree with a new file was closed: %s", out)
	}
	w.run("workspace", "close", at.Task, "--force")
	if _, err := os.Lstat(at.Path); err == nil {
		t.Error("the work tree is still there")
	}
	if got := w.git("show", at.Branch+":committed"); got != "c" {
		t.Errorf("the branch has %q", got)
	}
	if got := w.git("show", "refs/tasker/closed/"+at.Task+"/1:new"); got != "n" {
		t.Errorf("the ref has %q", got)
	}
}

func withRemote(t *testing.T, w *world) {
	w.remote()
	bare := filepath.Join(filepath.Dir(w.dir), "the remote.git")
	other := filepath.Join(filepath.Dir(w.dir), "other")
	w.git("clone", "--quiet", bare, other)
	must(t, os.WriteFile(filepath.Join(other, "theirs"), []byte("t"), 0o644))
	w.gitIn(other, "add", "theirs")
	w.gitIn(other, "commit", "--quiet", "-m", "theirs")
	w.gitIn(other, "push", "--quiet")
	at := answer[listed](w, "workspace", "open", "shop-1")
	if _, err := os.Stat(filepath.Join(at.Path, "theirs")); err != nil {
		t.Errorf("it is not based on what the remote has: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(at.Path, "ours"), []byte("o"), 0o644))
	w.gitIn(at.Path, "add", "ours")
	w.gitIn(at.Path, "commit", "--quiet", "-m", "ours")
	if out, err := w.try(nil, "workspace", "close", "shop-1"); err == nil || !strings.Contains(out, "1 commit of "+at.Branch+" that no remote has") {
		t.Errorf("unpushed: %v %s", err, out)
	}
	w.gitIn(at.Path, "push", "--quiet", "origin", at.Branch)
	w.run("workspace", "close", "shop-1")
	must(t, os.RemoveAll(bare)) // a remote that does not answer
	if out := w.run("workspace", "open", "shop-1", "--json"); !strings.Contains(out, "the remote origin did not answer") {
		t.Errorf("no warning: %s", out)
	}
}

func shallow(t *testing.T, w *world) {
	w.write("README", "second\n")
	w.git("commit", "--quiet", "-am", "second")
	clone := filepath.Join(filepath.Dir(w.dir), "shallow")
	w.git("clone", "--quiet", "--depth=1", "file://"+strings.ReplaceAll(w.dir, " ", "%20"), clone)
	w.dir = clone
	closes(t, w, answer[listed](w, "workspace", "open", "shop-1"))
}

func submodules(t *testing.T, w *world) {
	part := filepath.Join(filepath.Dir(w.dir), "part")
	w.git("clone", "--quiet", ".", part)
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "lib")
	w.git("commit", "--quiet", "-m", "a part")
	at := answer[listed](w, "workspace", "open", "shop-1")
	w.gitIn(at.Path, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	must(t, os.WriteFile(filepath.Join(at.Path, "lib", "mine"), []byte("m"), 0o644))
	for _, args := range [][]string{{"workspace", "close", "shop-1"}, {"workspace", "close", "shop-1", "--force"}} {
		if out, err := w.try(nil, args...); err == nil || !strings.Contains(out, "lib/") { // no commit of ours can contain it
			t.Errorf("%v: %v %s", args, err, out)
		}
	}
	if text, err := os.ReadFile(filepath.Join(at.Path, "lib", "mine")); err != nil || string(text) != "m" {
		t.Errorf("%q %v", text, err)
	}
	must(t, os.Remove(filepath.Join(at.Path, "lib", "mine")))
	closes(t, w, at)
}

// nested opens a workspace from within another: both are work trees of the same repository, and neither is inside the
// other.
func nested(t *testing.T, w *world) {
	w.run("add", "Pay", "--quiet")
	outer := answer[listed](w, "workspace", "open", "shop-1")
	root := w.dir
	w.dir = outer.Path
	inner := answer[listed](w, "workspace", "open", "shop-2")
	if filepath.Dir(inner.Path) != filepath.Dir(outer.Path) {
		t.Errorf("%s is not next to %s", inner.Path, outer.Path)
	}
	w.dir = inner.Path
	w.run("workspace", "close", "shop-1")
	w.dir = root
	closes(t, w, inner)
}

func hostileNames(t *testing.T, w *world) {
	base := "release/$(touch${IFS}x);é-&|"
	w.git("switch", "--quiet", "-c", base)
	w.run("edit", "shop-1", "--title", "--upload-pack=$(touch x) ../../etc; rm -rf ~ \n@{-1}", "--quiet")
	at := answer[listed](w, "workspace", "open", "shop-1")
	if strings.ContainsAny(at.Branch, " ;$()~@{\n") || strings.Contains(at.Branch, "..") || strings.HasPrefix(at.Branch, "-") {
		t.Errorf("the branch is %q", at.Branch)
	}
	for _, name := range hostile {
		must(t, os.WriteFile(filepath.Join(at.Path, name), []byte("text of "+name), 0o644))
	}
	out, err := w.try(nil, "workspace", "close", "shop-1")
	if err == nil || strings.Contains(out, "\x1b[31m") {
		t.Errorf("%v %q", err, out)
	}
	w.run("workspace", "close", "shop-1", "--force")
	for _, name := range hostile {
		if got := w.git("show", "refs/tasker/closed/shop-1/1:"+name); got != "text of "+name {
			t.Errorf("%q is %q", name, got)
		}
	}
	for _, dir := range []string{w.dir, at.Path, filepath.Dir(w.dir)} {
		if _, err := os.Lstat(filepath.Join(dir, "x")); err == nil {
			t.Errorf("a name was run by a shell in %s", dir)
		}
	}
}

// A work tree that git left unreadable is not removed, and the answer says so.
func TestAnUnreadableWorkTreeStays(t *testing.T) {
	w := newWorld(t)
	w.run("add", "Build a cart", "--quiet")
	at := answer[listed](w, "workspace", "open", "shop-1")
	must(t, os.WriteFile(filepath.Join(at.Path, ".git"), []byte("gitdir: /nowhere\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(at.Path, "mine"), []byte("m"), 0o644))
	for _, args := range [][]string{{"workspace", "close", "shop-1"}, {"workspace", "close", "shop-1", "--force"}} {
		if out, err := w.try(nil, args...); err == nil {
			t.Errorf("%v: %s", args, out)
		}
	}
	w.run("add", "Paint it", "--quiet")
	w.run("workspace", "open", "shop-2", "--quiet")
	w.run("cancel", "shop-1", "--quiet")
	w.run("cancel", "shop-2", "--quiet")
	if got := answer[pruned](w, "workspace", "prune"); len(got.Removed) != 1 || len(got.Kept) != 1 || got.Kept[0].Task != "shop-1" { // the other one is removed
		t.Errorf("the answer to prune is %+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(at.Path, "mine")); err != nil || string(text) != "m" {
		t.Errorf("the file is lost: %q %v", text, err)
	}
	if list := answer[[]listed](w, "workspace", "list"); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}

func TestAPruneBesideAnOpenTakesNothingFromIt(t *testing.T) {
	w := newWorld(t)
	const n = 4
	for range n {
		w.run("add", "Task", "--quiet")
	}
	faults := make(chan string, 3*n)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range n {
			if out, err := w.try(nil, "workspace", "prune", "--quiet"); err != nil {
				faults <- "prune: " + err.Error() + ": " + out
			}
		}
	}()
	for i := range n {
		id := "shop-" + string(rune('1'+i))
		if out, err := w.try(nil, "workspace", "open", id, "--quiet"); err != nil {
			faults <- "open: " + err.Error() + ": " + out
		}
	}
	<-done
	close(faults)
	for f := range faults {
		t.Error(f)
	}
	list := answer[[]listed](w, "workspace", "list")
	if len(list) != n {
		t.Errorf("%d are open: %+v", len(list), list)
	}
	for _, one := range list {
		if _, err := os.Stat(filepath.Join(one.Path, "made.log")); err != nil || one.State != "open" {
			t.Errorf("%+v: %v", one, err)
		}
	}
}

func TestARefreshBringsTheBaseAndWhatATaskBuildsOn(t *testing.T) {
	w := newWorld(t)
	w.run("add", "Build a cart", "--quiet")
	w.run("add", "Pay", "--dep", "shop-1", "--quiet")
	cart := answer[listed](w, "workspace", "open", "shop-1")
	pay := answer[listed](w, "workspace", "open", "shop-2")
	commit := func(dir, name, text string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		w.gitIn(dir, "add", name)
		w.gitIn(dir, "commit", "--quiet", "-m", name)
	}
	commit(cart.Path, "cart", "c")
	commit(w.dir, "moved", "m")
	w.run("done", "shop-1", "--quiet")
	type shown struct {
		Base     string   `json:"base"`
		Warnings []string `json:"warnings"`
	}
	got := answer[shown](w, "workspace", "refresh", "shop-2")
	for _, name := range []string{"cart", "moved"} {
		if _, err := os.Stat(filepath.Join(pay.Path, name)); err != nil {
			t.Error(err)
		}
	}
	if got.Base != "main + shop-1 (not landed)" || len(got.Warnings) != 0 {
		t.Errorf("%+v", got)
	}
	// conflicting commits are left out, and named; the branch stays
	commit(pay.Path, "README", "ours\n")
	commit(w.dir, "README", "theirs\n")
	before := w.gitIn(pay.Path, "rev-parse", "HEAD")
	got = answer[shown](w, "workspace", "refresh", "shop-2")
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "README") || w.gitIn(pay.Path, "rev-parse", "HEAD") != before {
		t.Errorf("%+v", got)
	}
	if text, err := os.ReadFile(filepath.Join(pay.Path, "README")); err != nil || string(text) != "ours\n" {
		t.Errorf("%q %v", text, err)
	}
}

// TestAWorkspaceWithoutWhatItsTaskBuildsOnIsNotMade has two dependencies that are done, not landed, and conflict.
func TestAWorkspaceWithoutWhatItsTaskBuildsOnIsNotMade(t *testing.T) {
	w := newWorld(t)
	w.run("add", "Cart", "--quiet")
	w.run("add", "Tax", "--quiet")
	w.run("add", "Ship", "--quiet")
	w.run("add", "Pay", "--dep", "shop-1", "--dep", "shop-3", "--dep", "shop-2", "--quiet")
	for id, file := range map[string]string{"shop-1": "total.go", "shop-2": "total.go", "shop-3": "ship.go"} {
		at := answer[listed](w, "workspace", "open", id)
		must(t, os.WriteFile(filepath.Join(at.Path, file), []byte(id+"\n"), 0o644))
		w.gitIn(at.Path, "add", file)
		w.gitIn(at.Path, "commit", "--quiet", "-m", id)
		w.run("done", id, "--quiet")
	}
	said, err := w.try(nil, "workspace", "open", "shop-4")
	if err == nil {
		t.Errorf("a workspace was made: %s", said)
	}
	for _, part := range []string{"shop-2 (tasker/shop-2-tax)", "shop-1 (tasker/shop-1-cart)", "conflict in total.go, and shop-4 builds on both", "tasker workspace open shop-4 --base-only"} {
		if !strings.Contains(said, part) {
			t.Errorf("the refusal does not say %q: %s", part, said)
		}
	}
	if branches := w.gitIn(w.dir, "branch", "--list", "tasker/shop-4*"); branches != "" {
		t.Errorf("a branch was made: %s", branches)
	}
	pay := answer[listed](w, "workspace", "open", "shop-4", "--base-only")
	if entries, err := filepath.Glob(filepath.Join(pay.Path, "*.go")); err != nil || len(entries) != 0 {
		t.Errorf("%q %v", entries, err)
	}
}

// TestAReviewerSeesWhatABranchChanges reads the difference of a task's branch: in its workspace, made by hand, and of a task
// without one.
func TestAReviewerSeesWhatABranchChanges(t *testing.T) {
	w := newWorld(t)
	w.run("add", "Cart", "--touches", "cart.go", "--criterion", "It adds up", "--quiet")
	w.run("add", "Tax", "--quiet")
	at := answer[listed](w, "workspace", "open", "shop-1")
	for name, text := range map[string]string{"cart.go": "a\nb\n", "other.go": "c\n", "image": "\x00\x01"} {
		must(t, os.WriteFile(filepath.Join(at.Path, name), []byte(text), 0o644))
	}
	w.gitIn(at.Path, "add", ".")
	w.gitIn(at.Path, "commit", "--quiet", "-m", "cart")
	must(t, os.WriteFile(filepath.Join(at.Path, "later.go"), nil, 0o644))
	w.write("moved", "the base goes on\n")
	w.git("add", "moved")
	w.git("commit", "--quiet", "-m", "moved")
	for _, args := range [][]string{{"review", "shop-1", "--check", "1"}, {"return", "shop-1", "--because", "no test"}, {"review", "shop-1"}} {
		w.run(append(args, "--quiet")...)
	}
	type shown struct {
		Base, Head string
		Files      []struct {
			Path           string
			Added, Removed *int
			Outside        bool
		}
		Criteria []struct{ Rests string }
		Rounds   []struct{ Why string }
		Settle   []string
		Warnings []string
	}
	got := answer[shown](w, "diff", "shop-1")
	var files []string
	for _, f := range got.Files {
		counts := "?"
		if f.Added != nil {
			counts = fmt.Sprintf("+%d-%d", *f.Added, *f.Removed)
		}
		files = append(files, fmt.Sprint(f.Path, counts, f.Outside))
	}
	if want := []string{"cart.go+2-0false", "image?true", "other.go+1-0true"}; !slices.Equal(files, want) {
		t.Errorf("the files are %q, want %q", files, want)
	}
	if got.Head != w.gitIn(at.Path, "rev-parse", "HEAD") || got.Base != w.gitIn(at.Path, "rev-parse", "HEAD~1") {
		t.Errorf("it compares %s with %s", got.Head, got.Base)
	}
	if len(got.Rounds) != 1 || got.Rounds[0].Why != "no test" || len(got.Criteria) != 1 || got.Criteria[0].Rests != "nothing" {
		t.Errorf("%+v", got)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "in no commit") {
		t.Errorf("the warnings are %q", got.Warnings)
	}
	text := w.run("diff", "shop-1")
	if !strings.Contains(text, "other.go  outside its touches") || !strings.HasSuffix(text, "+c\n") || strings.Contains(text, "the base goes on") {
		t.Errorf("it prints %s", text)
	}
	if said, err := w.try(nil, "diff", "shop-2"); err == nil || !strings.Contains(said, "no branch of shop-2 is here: tasker/shop-2-tax") {
		t.Errorf("%v: %s", err, said)
	}
	w.git("branch", "tasker/shop-2-tax", at.Branch) // made by hand
	if got := answer[shown](w, "diff", "shop-2"); len(got.Files) != 3 {
		t.Errorf("%+v", got)
	}
	apart := w.git("commit-tree", "HEAD^{tree}", "-m", "apart")
	w.git("branch", "--force", "tasker/shop-2-tax", apart)
	if said, err := w.try(nil, "diff", "shop-2"); err == nil || !strings.Contains(said, "tasker/shop-2-tax and main have no commit in common") {
		t.Errorf("%v: %s", err, said)
	}
	must(t, os.Rename(filepath.Join(w.dir, ".git"), filepath.Join(w.dir, "git.away")))
	if said, err := w.try(nil, "diff", "shop-2"); err == nil || !strings.Contains(said, "is in no git repository, so there is no branch of shop-2 to look at") {
		t.Errorf("%v: %s", err, said)
	}
}
