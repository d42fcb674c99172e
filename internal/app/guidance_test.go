package app

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/fault"
	"tasker/internal/task/drift"
)

type repo struct {
	*testing.T
	dir string
	now time.Time
	r   *guidanceReader
}

func newRepo(t *testing.T, files ...string) *repo {
	k := &repo{T: t, dir: t.TempDir(), now: time.Now()}
	k.r = &guidanceReader{now: func() time.Time { return k.now }, own: func() []fs.FileInfo { return nil }}
	for _, f := range files {
		k.write(f, "of "+f)
	}
	return k
}

func (k *repo) write(name, text string) {
	k.Helper()
	path := filepath.Join(k.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		k.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		k.Fatal(err)
	}
}

func (k *repo) read(track, ignore []string) []drift.Fingerprint {
	k.Helper()
	files, _, more, err := k.r.read(k.dir, track, ignore)
	if err != nil || more {
		k.Fatal(err, more)
	}
	return files
}

func pathsOf(files []drift.Fingerprint) string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return strings.Join(out, " ")
}

func TestGlobsChooseTheFiles(t *testing.T) {
	k := newRepo(t, "AGENTS.md", "docs/a.md", "docs/deep/b.md", "docs/deep/er/c.md", "docs/a.txt", "other/d.md", ".git/x.md", "vendor/v.md")
	for _, c := range []struct {
		track, ignore []string
		want          string
	}{
		{[]string{"AGENTS.md"}, nil, "AGENTS.md"},
		{[]string{"./AGENTS.md", "AGENTS.md", "*.md"}, nil, "AGENTS.md"},
		{[]string{"docs/*.md"}, nil, "docs/a.md"},
		{[]string{"docs/**/*.md"}, nil, "docs/a.md docs/deep/b.md docs/deep/er/c.md"},
		{[]string{"docs/**"}, []string{"docs/deep"}, "docs/a.md docs/a.txt"},
		{[]string{"**/*.md"}, []string{"vendor/**", "docs/deep/er/*"}, "AGENTS.md docs/a.md docs/deep/b.md other/d.md"},
		{[]string{"{docs,other}/*.md"}, nil, "docs/a.md other/d.md"},
		{[]string{"nothing/**", "missing.md"}, nil, ""},
	} {
		if got := pathsOf(k.read(c.track, c.ignore)); got != c.want {
			t.Errorf("Read(%v, %v) = %q, want %q", c.track, c.ignore, got, c.want)
		}
	}
}

func TestAHashTellsOneContentFromAnother(t *testing.T) {
	k := newRepo(t)
	k.write("a.md", "one")
	first := k.read([]string{"a.md"}, nil)[0].Hash
	k.write("a.md", "two") // of the same length, within the clock's resolution
	second := k.read([]string{"a.md"}, nil)[0].Hash
	k.write("a.md", "one")
	if third := k.read([]string{"a.md"}, nil)[0].Hash; first == second || first != third || len(first) != 16 {
		t.Errorf("the hashes are %s, %s, %s", first, second, third)
	}
	k.now = k.now.Add(time.Hour) // from here on an unchanged timestamp is trusted
	if again := k.read([]string{"a.md"}, nil)[0].Hash; again != first {
		t.Errorf("an hour later the hash is %s", again)
	}
	k.write("a.md", "three, which is longer")
	if later := k.read([]string{"a.md"}, nil)[0].Hash; later == first {
		t.Error("a change of the length went unseen")
	}
}

func TestNothingOutsideTheRootIsRead(t *testing.T) {
	k := newRepo(t, "in.md")
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"link.md": outside, "up.md": "../" + filepath.Base(filepath.Dir(outside)) + "/secret.md",
		"dir": filepath.Dir(outside), "inside.md": "in.md", "loop.md": "loop.md",
	} {
		if err := os.Symlink(to, filepath.Join(k.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := pathsOf(k.read([]string{"**/*.md", "dir/*.md"}, nil)); got != "in.md inside.md" {
		t.Errorf("the files are %s", got)
	}
	for _, glob := range []string{"/etc/*", "../*.md", "docs/../../x", ".."} {
		if _, _, _, err := k.r.read(k.dir, []string{glob}, nil); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "leads out of the repository") {
			t.Errorf("%s: %v", glob, err)
		}
	}
	if _, _, _, err := k.r.read(k.dir, nil, []string{"a[", "b"}); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "context.ignore cannot be matched: it is not a glob") {
		t.Errorf("a malformed glob: %v", err)
	}
}

func TestThereIsABoundToTheFiles(t *testing.T) {
	k := newRepo(t)
	for i := range 201 {
		k.write(fmt.Sprintf("%03d.md", i), "x")
	}
	files, _, more, err := k.r.read(k.dir, []string{"*.md"}, nil)
	if err != nil || !more || len(files) != 200 || !slices.IsSortedFunc(files, func(a, b drift.Fingerprint) int { return strings.Compare(a.Path, b.Path) }) {
		t.Errorf("%d files, more: %v, %v", len(files), more, err)
	}
	long := strings.Repeat("y", 3<<20)
	k.write("long/a.txt", long)
	a := k.read([]string{"long/*"}, nil)
	k.write("long/a.txt", long+"z")
	if b := k.read([]string{"long/*"}, nil); a[0].Hash == b[0].Hash {
		t.Error("a long file that grew hashes as before")
	}
}
