package worktree_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tasker/internal/git/worktree"
)

// The history that was read agrees with git for every commit and every branch.
func TestASurveyTellsWhatGitTells(t *testing.T) {
	r := newRepo(t)
	for _, name := range []string{"ahead", "merged", "squashed", "picked", "merging", "undone"} {
		r.git("switch", "--quiet", "-c", name, "main")
		r.write(name, "1\n")
		r.save(name)
	}
	r.git("switch", "--quiet", "undone")
	r.git("revert", "--no-edit", "HEAD")
	r.git("switch", "--quiet", "main")
	r.write("base", "1\n")
	r.save("base")
	r.git("merge", "--quiet", "--no-ff", "-m", "merge", "merged")
	r.git("merge", "--quiet", "--squash", "squashed")
	r.save("squash")
	r.git("cherry-pick", "picked")
	r.git("switch", "--quiet", "merging")
	r.git("reset", "--quiet", "--hard", "main")
	r.write("merging", "2\n")
	r.git("add", ".")
	r.git("reset", "--quiet", "--hard", r.git("commit-tree", "-p", "main", "-p", "main~1", "-m", "a merge alone", r.git("write-tree")))
	r.git("switch", "--quiet", "main")
	hub := filepath.Join(t.TempDir(), "hub.git")
	r.git("clone", "--quiet", "--bare", ".", hub)
	r.git("remote", "add", "origin", hub)
	r.git("fetch", "--quiet", "origin", "main:refs/remotes/origin/main", "ahead:refs/remotes/origin/ahead")
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	r.write("base", "2\n")
	r.save("here alone")

	ask := func(surveyed bool) (out []any) {
		r.found()
		if surveyed {
			must(t, r.Survey(t.Context()))
		}
		for _, configured := range []string{"", "main", "ahead"} {
			base, err := r.BaseKnown(t.Context(), configured)
			must(t, err)
			out = append(out, base)
		}
		for _, base := range []string{"refs/heads/main", "refs/remotes/origin/main", "refs/heads/ahead"} {
			for commit := range strings.FieldsSeq(r.git("rev-list", "--all")) {
				found, err := r.Locate(t.Context(), worktree.Sought{Commit: commit, Base: base})
				must(t, err)
				out = append(out, found)
			}
			for _, branch := range []string{"main", "ahead", "merged", "merging"} {
				r.git("switch", "--quiet", branch)
				out = append(out, r.look(r.dir, base))
			}
			r.git("switch", "--quiet", "main")
		}
		return out
	}
	asked, known := ask(false), ask(true)
	for i := range asked {
		if !reflect.DeepEqual(asked[i], known[i]) {
			t.Errorf("git says %+v\nthe survey says %+v", asked[i], known[i])
		}
	}
}

// If our own search for the repository could differ from git's, git decides.
func TestGitFindsARepositoryThatIsNotPlain(t *testing.T) {
	r := newRepo(t)
	r.git("init", "--quiet", "--bare", "bare.git")
	must(t, os.MkdirAll(filepath.Join(r.dir, "broken", ".git"), 0o755)) // git ignores it
	for name, want := range map[string]string{"bare.git": "bare.git", "bare.git/refs": "bare.git", "broken": ""} {
		dir := filepath.Join(r.dir, name)
		got, err := worktree.Find(t.Context(), dir)
		if err != nil || got == nil || got.Root != filepath.Join(r.Root, want) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
