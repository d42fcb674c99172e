package worktree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/git/worktree"
)

// hostile makes a repository name a program in every setting that runs one, as an unpacked archive
// can, and returns the file that records each run.
func (r *repo) hostile() (mark string) {
	r.t.Helper()
	mark = filepath.Join(r.t.TempDir(), "ran")
	script := filepath.Join(r.t.TempDir(), "evil.sh")
	must(r.t, os.WriteFile(script, []byte("#!/bin/sh\necho \"$0 $*\" >>"+mark+"\ncat 2>/dev/null\n"), 0o755))
	hooks := filepath.Join(r.dir, ".git", "hooks")
	must(r.t, os.MkdirAll(hooks, 0o755))
	for _, hook := range []string{
		"post-checkout", "post-merge", "reference-transaction", "post-index-change", "pre-merge-commit", "post-commit", "pre-auto-gc", "fsmonitor-watchman",
	} {
		must(r.t, os.Symlink(script, filepath.Join(hooks, hook)))
	}
	for _, c := range [][2]string{
		{"filter.evil.clean", script}, {"filter.evil.smudge", script}, {"filter.evil=odd.smudge", script}, {"filter.evil=odd.clean", script},
		{"core.fsmonitor", script}, {"gpg.program", script}, {"log.showSignature", "true"}, {"diff.external", script},
		{"core.pager", script}, {"core.editor", script}, {"core.sshCommand", script}, {"core.askPass", script}, {"credential.helper", "!" + script},
		{"merge.evil.driver", script + " %A"}, {"diff.evil.textconv", script}, {"diff.evil.command", script}, {"core.alternateRefsCommand", script},
		{"protocol.ext.allow", "always"}, {"core.gitProxy", script}, {"uploadpack.packObjectsHook", script}, {"gc.auto", "1"},
		{"commit.gpgSign", "true"}, {"submodule.recurse", "true"}, {"merge.verifySignatures", "true"},
	} {
		r.git("config", c[0], c[1])
	}
	return mark
}

// quiet fails if a program of the repository ran.
func quiet(t *testing.T, mark, what string) {
	t.Helper()
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("%s ran a program of the repository:\n%s", what, ran)
		must(t, os.Remove(mark))
	}
}

func TestAWorkTreeRunsNothingThatTheRepositoryNames(t *testing.T) {
	r := newRepo(t)
	r.write("a.txt", "a\n")
	main := r.save("one")
	r.git("branch", "theirs")
	mark := r.hostile()
	r.write(".git/info/attributes", "* merge=evil diff=evil\n")
	found, err := worktree.Find(t.Context(), r.dir)
	must(t, err)
	for _, remote := range []string{"ext::sh -c 'echo ran >>" + mark + "'", "ssh://localhost:1/x", "git://localhost:1/x"} {
		r.git("config", "remote.origin.url", remote)
		if found.Fetch(t.Context(), "origin", "main", worktree.FetchLimit) {
			t.Errorf("%s answered", remote)
		}
		quiet(t, mark, "fetching from "+remote)
	}
	r.git("config", "remote.origin.url", r.dir)
	r.git("config", "remote.origin.uploadpack", filepath.Join(r.dir, ".git", "hooks", "post-checkout"))
	if !found.Fetch(t.Context(), "origin", "main", worktree.FetchLimit) {
		t.Error("the path did not answer")
	}
	quiet(t, mark, "fetching from a path")

	path := filepath.Join(t.TempDir(), "tree")
	err = found.Add(t.Context(), path, "ours", main)
	must(t, err)
	quiet(t, mark, "making a work tree")
	must(t, os.WriteFile(filepath.Join(path, "a.txt"), []byte("b\n"), 0o600))
	seen, err := found.Look(t.Context(), path, "refs/heads/main", true)
	if err != nil || len(seen.Changed) != 1 {
		t.Errorf("it holds %+v, %v", seen, err)
	}
	quiet(t, mark, "looking")
	_, err = found.Keep(t.Context(), path, "demo-1")
	must(t, err)
	quiet(t, mark, "keeping")

	// both sides change the file, so that merging it would run the driver
	ours := r.made("ours", map[string]string{"a.txt": "ours\n"})
	theirs := r.made("theirs", map[string]string{"a.txt": "theirs\n", "b.txt": "b\n"})
	mine := r.made("main", map[string]string{"c.txt": "c\n"})
	quiet(t, mark, "the test")
	if _, conflict, err := found.Merged(t.Context(), ours, theirs, "both"); err != nil || len(conflict) != 1 {
		t.Errorf("the merge ended with %+v, %v", conflict, err)
	}
	quiet(t, mark, "merging")
	if _, err := found.Landed(t.Context(), ours, theirs); err != nil {
		t.Error(err)
	}
	if _, err := found.Locate(t.Context(), worktree.Sought{Commit: theirs, Base: mine}); err != nil {
		t.Error(err)
	}
	quiet(t, mark, "looking where it landed")
	other := filepath.Join(t.TempDir(), "other")
	err = found.Add(t.Context(), other, "theirs-2", main)
	must(t, err)
	must(t, found.Forward(t.Context(), other, theirs))
	must(t, found.Switch(t.Context(), other, "third", mine))
	quiet(t, mark, "moving a work tree")
	must(t, found.Remove(t.Context(), path))
	must(t, found.Remove(t.Context(), other))
	quiet(t, mark, "removing a work tree")
}

// made makes a commit with files on a branch, without a work tree and without running what the
// repository names.
func (r *repo) made(branch string, files map[string]string) string {
	r.t.Helper()
	tree := r.git("rev-parse", branch+"^{tree}")
	index := "GIT_INDEX_FILE=" + filepath.Join(r.t.TempDir(), "index")
	quiet := []string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}
	with := func(args ...string) string {
		r.t.Helper()
		cmd := exec.CommandContext(r.t.Context(), "git", append(quiet, args...)...)
		cmd.Dir, cmd.Env = r.dir, append(os.Environ(), index)
		out, err := cmd.CombinedOutput()
		if err != nil {
			r.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	with("read-tree", tree)
	for name, text := range files {
		file := filepath.Join(r.t.TempDir(), "blob")
		must(r.t, os.WriteFile(file, []byte(text), 0o600))
		with("update-index", "--add", "--cacheinfo", "100644,"+with("hash-object", "-w", "--no-filters", file)+","+name)
	}
	commit := with("commit-tree", "--no-gpg-sign", "-m", "on "+branch, "-p", branch, with("write-tree"))
	with("update-ref", "refs/heads/"+branch, commit)
	return commit
}

// A filter that only the repository defines is refused if a commit uses it, and never runs.
func TestAFilterOfTheRepositoryIsDeclined(t *testing.T) {
	for _, name := range []string{"evil", "evil=odd"} {
		r := newRepo(t)
		r.write("a.txt", "a\n")
		plain := r.save("one")
		r.write(".gitattributes", "*.txt filter="+name+"\n")
		filtered := r.save("two")
		mark := r.hostile()
		found, err := worktree.Find(t.Context(), r.dir)
		must(t, err)
		path := filepath.Join(t.TempDir(), "tree")
		err = found.Add(t.Context(), path, "ours", filtered)
		if !fault.Is(err, fault.Declined) || !strings.Contains(err.Error(), `the filter "`+name+`"`) {
			t.Errorf("Add ended with %v", err)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Error("the work tree was made")
		}
		err = found.Add(t.Context(), path, "ours", plain) // uses none
		must(t, err)
		for what, err := range map[string]error{
			"Forward": found.Forward(t.Context(), path, filtered), "Switch": found.Switch(t.Context(), path, "more", filtered),
		} {
			if !fault.Is(err, fault.Declined) || !strings.Contains(err.Error(), `the filter "`+name+`"`) {
				t.Errorf("%s ended with %v", what, err)
			}
		}
		// a tree that was checked out by hand can still be inspected without the filter
		must(t, os.WriteFile(filepath.Join(path, ".gitattributes"), []byte("*.txt filter="+name+"\n"), 0o600))
		must(t, os.WriteFile(filepath.Join(path, "a.txt"), []byte("b\n"), 0o600))
		if _, err := found.Look(t.Context(), path, "", true); err != nil {
			t.Error(err)
		}
		if _, err := found.Keep(t.Context(), path, "demo-1"); err != nil {
			t.Error(err)
		}
		quiet(t, mark, name)
	}
}

// A filter of the user's own configuration runs, as Git LFS needs it, even if the repository
// defines another with the same name.
func TestAFilterOfTheUserIsRun(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(t.TempDir(), "config"))
	r := newRepo(t)
	r.git("config", "--global", "filter.lfs.smudge", "sed s/pointer/content/")
	r.git("config", "--global", "filter.lfs.clean", "sed s/content/pointer/")
	r.git("config", "--global", "filter.lfs.required", "true")
	r.write(".gitattributes", "*.bin filter=lfs\n")
	r.write("a.bin", "content\n")
	main := r.save("one")
	if got := r.git("show", main+":a.bin"); got != "pointer" {
		t.Fatalf("stored is %q", got)
	}
	for i, own := range []string{"", "false"} {
		if own != "" {
			r.git("config", "filter.lfs.smudge", own)
			r.git("config", "filter.lfs.clean", own)
		}
		found, err := worktree.Find(t.Context(), r.dir)
		must(t, err)
		path := filepath.Join(t.TempDir(), "tree")
		err = found.Add(t.Context(), path, "ours"+strings.Repeat("x", i), main)
		must(t, err)
		if text, err := os.ReadFile(filepath.Join(path, "a.bin")); err != nil || string(text) != "content\n" {
			t.Errorf("checked out is %q, %v", text, err)
		}
		if seen, err := found.Look(t.Context(), path, "", false); err != nil || seen.Dirty() {
			t.Errorf("it holds %+v, %v", seen, err)
		}
	}
	r.git("config", "filter.lfs.process", "false") // would override the user's
	err := r.found().Add(t.Context(), filepath.Join(t.TempDir(), "tree"), "third", main)
	if !fault.Is(err, fault.Declined) || !strings.Contains(err.Error(), `the filter "lfs"`) {
		t.Errorf("Add ended with %v", err)
	}
}

// Git looks into submodules by itself, and there the configuration of the submodule counts.
func TestSubmodulesRunNothingThatTheyName(t *testing.T) {
	sub := newRepo(t)
	sub.write("s.txt", "s\n")
	sub.save("one")
	r := newRepo(t)
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.dir, "sub")
	r.save("with a submodule")
	mark := r.hostile()
	inner := r.in(filepath.Join(r.dir, "sub"))
	script := r.git("config", "core.fsmonitor")
	for _, key := range []string{"filter.deep.clean", "filter.deep=odd.clean", "core.fsmonitor"} {
		inner.git("config", key, script)
	}
	inner.write(".gitattributes", "*.txt filter=deep\n*.odd filter=deep=odd\n")
	inner.write("s.txt", "t\n")
	inner.write("t.odd", "t\n")
	must(t, os.RemoveAll(mark))
	found, err := worktree.Find(t.Context(), r.dir)
	must(t, err)
	seen, err := found.Look(t.Context(), r.dir, "", true)
	if err != nil || len(seen.Nested) != 1 {
		t.Errorf("it holds %+v, %v", seen, err)
	}
	_, err = found.Keep(t.Context(), r.dir, "demo-1")
	must(t, err)
	quiet(t, mark, "looking into a submodule")
	r.git("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "update-index", "--split-index")
	must(t, os.RemoveAll(mark))
	if seen, err := r.found().Look(t.Context(), r.dir, "", true); err != nil || len(seen.Nested) != 1 {
		t.Errorf("it holds %+v, %v", seen, err)
	}
	quiet(t, mark, "looking into a submodule of a split index")
}
