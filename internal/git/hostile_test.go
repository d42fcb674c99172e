package git_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"tasker/internal/git"
)

// A repository that somebody unpacked names a program in every setting that runs one. Looking at it
// runs none of them.
func TestLookingRunsNothingThatTheRepositoryNames(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n")
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "one")
	mark := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(r.dir, "evil.sh")
	r.write("evil.sh", "#!/bin/sh\necho \"$0 $*\" >>"+mark+"\ncat 2>/dev/null\n")
	if err := os.Chmod(script, 0o755); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"filter.evil.clean": script, "filter.evil.smudge": script, "filter.evil.process": script, "filter.evil.required": "true",
		"core.fsmonitor": script, "core.hooksPath": r.dir, "gpg.program": script, "log.showSignature": "true", "diff.external": script,
		"core.pager": script, "core.editor": script, "core.sshCommand": script, "alias.add": "!" + script, "core.attributesFile": "evil.attr",
	} {
		r.git("config", key, value)
	}
	r.write(".gitattributes", "* filter=evil diff=evil\n")
	r.write("a.txt", "changed\n")
	r.write("new.txt", "new\n")

	found, err := git.Find(t.Context(), r.dir)
	if err != nil || found == nil {
		t.Fatal(found, err)
	}
	state, err := found.State(t.Context())
	if err != nil || state.Tree == "" || !state.Dirty {
		t.Errorf("the state is %+v, %v", state, err)
	}
	if _, err := found.History(t.Context()); err != nil {
		t.Error(err)
	}
	if tracked, err := found.Tracked(t.Context(), "a.txt"); err != nil || !tracked {
		t.Errorf("a.txt is tracked: %v, %v", tracked, err)
	}
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("the repository's program was run:\n%s", ran)
	}
}

// Git looks into submodules by itself, and there the configuration of the submodule counts.
func TestLookingRunsNothingThatASubmoduleNames(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n")
	mark := filepath.Join(t.TempDir(), "ran")
	r.git("init", "--quiet", "sub")
	sub := filepath.Join(r.dir, "sub")
	r.write("sub/s.txt", "s\n")
	r.git("-C", sub, "add", ".")
	r.git("-C", sub, "-c", "user.name=Test", "-c", "user.email=test@example.org", "commit", "--quiet", "-m", "one")
	r.git("add", ".") // as a gitlink
	r.git("commit", "--quiet", "-m", "one")
	for _, key := range []string{"filter.deep.clean", "filter.deep=odd.clean", "core.fsmonitor"} {
		r.git("-C", sub, "config", key, "echo ran "+key+" >>"+mark+"; cat")
	}
	r.write("sub/.gitattributes", "*.txt filter=deep\n*.odd filter=deep=odd\n")
	r.write("sub/s.txt", "t\n")
	r.write("sub/t.odd", "t\n")
	if state := r.state(r.dir); state.Commit == "" {
		t.Errorf("the state is %+v", state)
	}
	found, err := git.Find(t.Context(), r.dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := found.Changed(t.Context(), time.Now(), 10); err != nil {
		t.Error(err)
	}
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("a program of the submodule was run:\n%s", ran)
	}
}

// A large new file is not read, but a change of it is still seen.
func TestALargeNewFileIsNotRead(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n")
	r.git("add", ".")
	r.git("commit", "--quiet", "-m", "one")
	clean := r.state(r.dir)
	large := filepath.Join(r.dir, "large [1].bin")
	size := func(n int64) {
		t.Helper()
		f, err := os.Create(large)
		if err == nil {
			err = f.Truncate(n) // sparse: reading 64 GiB of it would take minutes
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	size(64 << 30)
	first := r.state(r.dir)
	if !first.Dirty || first.Tree == clean.Tree {
		t.Errorf("with a large file it is %+v", first)
	}
	size(65 << 30)
	if second := r.state(r.dir); second.Tree == first.Tree {
		t.Error("a change of the large file is not seen")
	}
	if err := os.Remove(large); err != nil {
		t.Fatal(err)
	}
	if again := r.state(r.dir); again != clean {
		t.Errorf("without it the state is %+v and not %+v", again, clean)
	}
}
