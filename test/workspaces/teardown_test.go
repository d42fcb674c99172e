package workspaces

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tearing has two steps before a workspace is removed. Each records that it began and that it ended, and kills the
// program at one of these points once.
const tearing = `{"version": 1, "project": "shop", "actors": [{"name": "alice", "kind": "human", "default": true}],
	"workspace": {"strategy": "worktree", "setup": [{"name": "touch", "run": "touch made.log"}], "teardown": [
		{"name": "one", "run": "step=one; . \"$HOME/step\""}, {"name": "two", "run": "step=two; . \"$HOME/step\""}]}}`

const stepScript = `did() {
	echo "$1" >> "$HOME/did"
	if [ -e "$HOME/kill $1" ]; then rm "$HOME/kill $1"; kill -9 "$PPID"; fi
}
did "$step begins"
did "$step ends"
`

// torn makes a workspace with work in it: a commit and, if forced, a change and a new file.
func torn(t *testing.T, forced bool) (w *world, tree string) {
	t.Helper()
	w = newWorld(t)
	w.write(".tasker.json", tearing)
	w.write("../step", stepScript)
	w.git("commit", "--quiet", "--all", "-m", "teardown")
	w.run("add", "Build a cart", "--quiet")
	tree = answer[listed](w, "workspace", "open", "shop-1").Path
	w.gitIn(tree, "commit", "--quiet", "--allow-empty", "-m", "work")
	if forced {
		must(t, os.WriteFile(filepath.Join(tree, "README"), []byte("changed\n"), 0o644))
		must(t, os.WriteFile(filepath.Join(tree, "new"), []byte("new"), 0o644))
	}
	return w, tree
}

// closing returns the arguments of the command that is killed.
func closing(forced bool) []string {
	if forced {
		return []string{"workspace", "close", "shop-1", "--force"}
	}
	return []string{"workspace", "close", "shop-1"}
}

// stored returns the contents of a file in the refs of closed workspaces, newest last, and how many refs there are.
func stored(w *world, name string) (texts []string, refs int) {
	w.t.Helper()
	for ref := range strings.FieldsSeq(w.git("for-each-ref", "--sort=refname", "--format=%(refname)", "refs/tasker/closed")) {
		refs++
		if w.git("ls-tree", "--name-only", ref, "--", name) != "" {
			texts = append(texts, w.git("show", ref+":"+name))
		}
	}
	return texts, refs
}

// If the program is killed within a step of the teardown, the next one runs the rest of it, and checks again what the
// workspace holds.
func TestTeardownKilledAnywhereIsFinished(t *testing.T) {
	for _, forced := range []bool{false, true} {
		for i, at := range []string{"one begins", "one ends", "two begins", "two ends"} {
			if !long && (i == 0 || i == 3 || forced != (i == 2)) {
				continue // a step that is not over, of each form of close
			}
			t.Run(fmt.Sprintf("%s forced %t", at, forced), func(t *testing.T) {
				t.Parallel()
				w, tree := torn(t, forced)
				w.write("../kill "+at, "")
				if out, err := w.try(nil, closing(forced)...); err == nil || !strings.Contains(err.Error(), "killed") {
					t.Fatalf("the command was not killed: %v\n%s", err, out)
				}
				must(t, os.WriteFile(filepath.Join(tree, "since.log"), []byte("since"), 0o644)) // ignored
				w.run("workspace", "prune")
				did, err := os.ReadFile(filepath.Join(filepath.Dir(w.dir), "did"))
				if must(t, err); !strings.Contains(string(did), "one ends") || !strings.HasSuffix(string(did), "two ends\n") {
					t.Errorf("the teardown did\n%s", did)
				}
				if !forced { // nobody said that ignored files may go
					list := answer[[]listed](w, "workspace", "list")
					text, err := os.ReadFile(filepath.Join(tree, "since.log"))
					if err != nil || string(text) != "since" || len(list) != 1 || list[0].State != "open" {
						t.Fatalf("since.log is %q, %v; the workspaces are %+v", text, err, list)
					}
					must(t, os.Remove(filepath.Join(tree, "since.log")))
					w.run("workspace", "close", "shop-1")
				}
				spotless(t, w, true)
				changed, refs := stored(w, "README")
				if forced && (refs != 1 || changed[0] != "changed") || !forced && refs != 0 {
					t.Errorf("%d refs store %q", refs, changed)
				}
			})
		}
	}
}

// remover is a git that removes only a part of the work tree that it should remove, and kills its caller.
const remover = `#!/bin/sh
for arg; do
	if [ "$arg" = remove ]; then
		for tree; do :; done
		rm "$tree/$KILL_PART"
		kill -9 "$PPID"
		exit 1
	fi
done
exec "$KILL_GIT" "$@"
`

// A half removed work tree is removed completely. Files that somebody has added since keep it, and are stored first if
// that is allowed.
func TestRemovalKilledHalfwayIsFinished(t *testing.T) {
	for _, forced := range []bool{false, true} {
		for _, part := range []string{"README", ".gitignore", ".git"} {
			if !long && (part == ".gitignore" || forced != (part == "README")) {
				continue
			}
			t.Run(fmt.Sprintf("%s forced %t", part, forced), func(t *testing.T) {
				t.Parallel()
				w, tree := torn(t, forced)
				bin := t.TempDir()
				must(t, os.WriteFile(filepath.Join(bin, "git"), []byte(remover), 0o755))
				env := []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "KILL_GIT=" + w.git("--exec-path") + "/git", "KILL_PART=" + part}
				if out, err := w.try(env, closing(forced)...); err == nil || !strings.Contains(err.Error(), "killed") {
					t.Fatalf("the command was not killed: %v\n%s", err, out)
				}
				must(t, os.WriteFile(filepath.Join(tree, "since"), []byte("since"), 0o644))
				kept(t, w, "was left half removed, and holds work that is nowhere else; new: since", "since", "since")
				w.run("workspace", "close", "shop-1", "--force")
				spotless(t, w, true)
				texts, refs := stored(w, "since")
				want := map[bool]int{true: 1}[forced] + 1
				if refs != want || len(texts) != 1 || texts[0] != "since" {
					t.Errorf("%d refs in place of %d; what came since is %q", refs, want, texts)
				}
				if changed, _ := stored(w, "new"); forced && (len(changed) == 0 || changed[0] != "new") {
					t.Errorf("what was new is stored as %q", changed)
				}
				if got := w.git("log", "--format=%s", "-1", "tasker/shop-1-build-a-cart"); got != "work" {
					t.Errorf("the branch is at %q", got)
				}
			})
		}
	}
}

// A workspace is torn down with the configuration of its own repository, wherever somebody runs the cleanup.
func TestAnotherRepositorysTeardownIsNotRun(t *testing.T) {
	t.Parallel()
	w, tree := torn(t, false)
	other := *w
	other.dir = filepath.Join(filepath.Dir(w.dir), "other")
	other.write(".tasker.json", strings.Replace(tearing, "shop", "other", 1))
	other.git("init", "--quiet", "--initial-branch=main")
	w.run("done", "shop-1", "--force", "--note", "n", "--quiet")
	for _, args := range [][]string{{"workspace", "close", "shop-1"}, {"workspace", "exec", "shop-1", "--", "true"}} {
		if out, err := other.try(nil, args...); err == nil || !strings.Contains(out, "belongs to another repository, whose configuration applies to it: "+w.dir) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	if out := other.run("workspace", "prune"); !strings.Contains(out, "shop-1 stays") {
		t.Errorf("prune says %s", out)
	}
	if _, err := os.Stat(filepath.Join(tree, "README")); err != nil {
		t.Error(err)
	}
	if did, err := os.ReadFile(filepath.Join(filepath.Dir(w.dir), "did")); err == nil {
		t.Errorf("the teardown did %s", did)
	}
}
