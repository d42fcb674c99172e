package workspaces

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withFiles is a configuration whose first provider copies a file, and whose second one leaves a mark that it ran.
const withFiles = `{"version": 1, "project": "shop", "actors": [{"name": "alice", "kind": "human", "default": true}],
	"providers": {"files": {"type": "dotenv", "files": [".env", "apps/api/.env"], "options": {"optional": "true"}},
		"mark": {"type": "exec", "run": "touch \"$HOME/ran\""}},
	"workspace": {"strategy": "worktree", "providers": ["files", "mark"]}}`

// A file that a provider copies is hidden from git in its work tree, and a user's own file of that name is hidden
// nowhere.
func TestFilesOfProvidersAreHiddenInTheirWorkTreeAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("../.config/git/ignore", "*.swp\n")
	w.write(".tasker.json", withFiles)
	w.git("commit", "--quiet", "--all", "-m", "providers")
	w.write(".env", "A=1\n")
	w.run("add", "Build a cart", "--quiet")
	w.run("add", "Paint it", "--quiet")
	w.git("worktree", "add", "--quiet", "-b", "own", "../own")
	config := w.git("config", "--local", "--list")
	tree := answer[listed](w, "workspace", "open", "shop-1").Path
	if text, err := os.ReadFile(filepath.Join(tree, ".env")); err != nil || string(text) != "A=1\n" {
		t.Fatalf("%q, %v", text, err)
	}
	w.write("../own/.env", "B=1\n")
	for name, text := range map[string]string{"edit.swp": "", "lib/.env": "mine"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(tree, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644))
	}
	for dir, want := range map[string]string{tree: "?? lib/.env", w.dir: "?? .env", filepath.Join(w.dir, "..", "own"): "?? .env"} {
		if got := w.gitIn(dir, "status", "--porcelain", "--untracked-files=all"); got != want {
			t.Errorf("git shows %q in %s, and should show %q", got, dir, want)
		}
	}
	w.gitIn(tree, "add", "--all")
	if got := w.gitIn(tree, "diff", "--cached", "--name-only"); got != "lib/.env" {
		t.Errorf("all that is added is %q", got)
	}
	w.gitIn(tree, "commit", "--quiet", "-m", "work")
	within := &world{t: t, dir: tree, env: w.env}
	head := w.gitIn(tree, "rev-parse", "--short=12", "HEAD")
	if out := within.run("prove", "shop-1", "--kind", "tests", "--", "true"); !strings.HasSuffix(out, " on commit "+head+"\n") {
		t.Errorf("it was not proved on the commit alone: %s", out)
	}
	must(t, os.Remove(filepath.Join(tree, "edit.swp")))
	w.run("workspace", "close", "shop-1")
	if got := w.git("config", "--local", "--list"); got != config {
		t.Errorf("the configuration was\n%s\nand is\n%s", config, got)
	}
}

// A tracked file cannot be a provider's: that is reported before anything is made or run.
func TestATrackedFileOfAProviderIsRefusedBeforeAnythingIsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".tasker.json", withFiles)
	w.write("apps/api/.env", "A=1\n")
	w.git("add", ".")
	w.git("commit", "--quiet", "-m", "tracked")
	w.run("add", "Build a cart", "--quiet")
	out, err := w.try(nil, "workspace", "open", "shop-1")
	if err == nil || !strings.Contains(out, "a provider writes apps/api/.env, which the repository has under version control") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "..", "ran")); err == nil {
		t.Error("a provider was run")
	}
	spotless(t, w, false)
}

// A work tree that another tool made has its own files: a provider overwrites none of them.
func TestFilesOfAWorkTreeThatIsNotOursStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(".tasker.json", withFiles)
	w.git("commit", "--quiet", "--all", "-m", "providers")
	w.write(".env", "A=1\n")
	w.write("apps/api/.env", "A=2\n")
	w.run("add", "Build a cart", "--quiet")
	w.git("worktree", "add", "--quiet", "-b", "own", "../own")
	w.write("../own/.env", "MINE=1\n")
	own := &world{t: t, dir: filepath.Join(w.dir, "..", "own"), env: w.env}
	got := answer[struct {
		Warnings []string `json:"warnings"`
	}](own, "workspace", "open", "shop-1", "--here")
	if len(got.Warnings) != 1 || !strings.HasSuffix(got.Warnings[0], "differ from what the providers give: .env") {
		t.Errorf("it warns of %q", got.Warnings)
	}
	for name, want := range map[string]string{".env": "MINE=1\n", "apps/api/.env": "A=2\n"} {
		if text, err := os.ReadFile(filepath.Join(own.dir, name)); err != nil || string(text) != want {
			t.Errorf("%s is %q: %v", name, text, err)
		}
	}
	if got := own.git("status", "--porcelain", "--untracked-files=all"); got != "?? .env" {
		t.Errorf("git shows %q", got)
	}
}
