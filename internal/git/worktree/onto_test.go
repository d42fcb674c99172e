package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fork makes a branch from main with one commit that writes a file, and returns that commit.
func (r *repo) fork(branch, file, text string) string {
	r.t.Helper()
	r.git("switch", "--quiet", "-c", branch, "main")
	r.write(file, text)
	commit := r.save(branch + "\n\nwith a body")
	r.git("switch", "--quiet", "main")
	return commit
}

func TestWorkGoesOnTopOfABaseWithoutAWorkTree(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	base, one, tip := r.git("rev-parse", "main"), r.fork("one", "one", "1\n"), r.fork("theirs", "two", "2\n")
	clash := r.fork("clash", "two", "other\n")
	onto := func(from, head string) (commit string, conflict []string) {
		t.Helper()
		commit, tree, conflict, err := r.Onto(t.Context(), from, head, "Merge it")
		if must(t, err); conflict == nil && r.git("rev-parse", commit+"^{tree}") != tree {
			t.Errorf("%s does not have the tree %s", commit, tree)
		}
		return commit, conflict
	}
	if commit, conflict := onto(base, one); conflict != nil || commit != one {
		t.Errorf("on top already: %s %v", commit, conflict)
	}
	commit, conflict := onto(tip, one)
	if conflict != nil || r.git("rev-parse", commit+"^@") != tip {
		t.Fatalf("not rebased: %s %v", commit, conflict)
	}
	const says = "--format=%an %ae %ad %B"
	if got, want := r.git("log", "-1", says, commit), r.git("log", "-1", says, one); got != want {
		t.Errorf("author and message are %q, not %q", got, want)
	}
	if again, _ := onto(commit, one); again != commit {
		t.Errorf("nothing is new, and it made %s", again)
	}
	if _, conflict := onto(tip, clash); len(conflict) != 1 || conflict[0] != "two" {
		t.Errorf("a conflict: %v", conflict)
	}
	under := r.fork("under", "under", "3\n")
	r.git("switch", "--quiet", "one")
	r.git("merge", "--quiet", "--no-ff", "-m", "what it builds on", under)
	r.git("switch", "--quiet", "main")
	merged, _ := onto(tip, r.git("rev-parse", "one"))
	if got := r.git("rev-parse", merged+"^@"); got != tip+"\n"+r.git("rev-parse", "one") {
		t.Errorf("a branch with a merge is not merged: its parents are %q", got)
	}
}

func TestAPlantedMergeBaseUndoesNothing(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	tip, head := r.fork("theirs", "theirs", "landed\n"), r.fork("one", "one", "1\n")
	// A replacement and a graft both say that the branch forked from the tip, although it lacks what the tip has.
	r.git("replace", "--graft", head, tip)
	must(t, os.WriteFile(filepath.Join(r.dir, ".git", "info", "grafts"), []byte(head+" "+tip+"\n"), 0o644))
	if got := r.git("merge-base", tip, head); !strings.HasSuffix(got, tip) {
		t.Fatalf("nothing is planted: the merge base is %s", got)
	}
	commit, _, conflict, err := r.found().Onto(t.Context(), tip, head, "Merge it")
	if must(t, err); conflict != nil {
		t.Fatal(conflict)
	}
	if got := r.git("--no-replace-objects", "ls-tree", "--name-only", commit); !strings.Contains(got, "theirs") || !strings.Contains(got, "one") {
		t.Errorf("it has only %q", got)
	}
}
