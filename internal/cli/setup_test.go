package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
	"tasker/internal/cli/frame"
)

// asked runs setup on a terminal and answers its questions.
func asked(t *testing.T, dir string, answer io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = cli.Main(frame.Process{
		Args: append([]string{"setup", "--color", "never"}, args...), Dir: dir, Stdin: answer, Stdout: &out, Stderr: &err,
		InTTY: true, OutTTY: true, Width: func() int { return 80 },
		Env: func(string) (string, bool) { return "", false },
		Now: time.Now, User: func() string { return "me" }, Host: func() string { return "here" },
		Stop: func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			return context.WithCancel(ctx)
		},
	}, app.CommandLine())
	return code, out.String(), err.String()
}

// inRepository returns the root of a repository, so that setup looks at nothing above it.
func inRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// listing returns the names of all files below a directory except git's.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.Name() != ".git" && path != dir {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

func TestOnATerminalSetupShowsTheChangeAndAsks(t *testing.T) {
	for answer, written := range map[string]bool{"y\n": true, "Yes\n": true, "n\n": false, "\n": false, "": false, "yellow\n": false} {
		dir := inRepository(t)
		code, stdout, stderr := asked(t, dir, strings.NewReader(answer), "gemini")
		if code != 0 || !strings.Contains(stdout, `"command": "tasker"`) || !strings.Contains(stdout, "Write this? [y/N]") {
			t.Errorf("%q: exit code %d: %s%s", answer, code, stdout, stderr)
		}
		if got := listing(t, dir) != ""; got != written {
			t.Errorf("%q: written is %v: %s", answer, got, listing(t, dir))
		}
	}
	dir := inRepository(t)
	if _, stdout, _ := asked(t, dir, strings.NewReader("y\n"), "gemini", "--dry-run"); strings.Contains(stdout, "Write this?") || listing(t, dir) != "" {
		t.Errorf("--dry-run asks or writes: %s", stdout)
	}
}

// busy writes a file while setup waits for an answer.
type busy struct {
	path string
	io.Reader
}

func (b busy) Read(p []byte) (int, error) {
	if err := os.WriteFile(b.path, []byte("# Mine\n"), 0o600); err != nil {
		return 0, err
	}
	return b.Reader.Read(p)
}

func TestWhatChangesWhileSetupAsksIsNotOverwritten(t *testing.T) {
	dir := inRepository(t)
	code, _, stderr := asked(t, dir, busy{filepath.Join(dir, "GEMINI.md"), strings.NewReader("y\n")}, "gemini")
	if code != 5 || !strings.Contains(stderr, "GEMINI.md has changed meanwhile") || listing(t, dir) != "GEMINI.md" {
		t.Errorf("exit code %d, files %s: %s", code, listing(t, dir), stderr)
	}
}

func TestASetupThatCannotWriteOneFileLeavesNone(t *testing.T) {
	dir := inRepository(t)
	if err := os.Mkdir(filepath.Join(dir, ".github"), 0o755); err != nil {
		t.Fatal(err)
	}
	// Nothing can be created below a dangling link; .github/copilot-instructions.md, which comes first, can.
	if err := os.Symlink("nowhere", filepath.Join(dir, ".github", "hooks")); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := asked(t, dir, strings.NewReader("y\n"), "copilot")
	if code == 0 || !strings.Contains(stderr, ".github/hooks/tasker.json") || listing(t, dir) != ".github .github/hooks" {
		t.Errorf("exit code %d, files %s: %s", code, listing(t, dir), stderr)
	}
}

func TestALinkThatLeadsNowhereIsNotReplaced(t *testing.T) {
	dir := inRepository(t)
	if err := os.Symlink("nowhere.md", filepath.Join(dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := asked(t, dir, strings.NewReader("y\n"), "claude")
	if target, err := os.Readlink(filepath.Join(dir, "CLAUDE.md")); code == 0 || err != nil || target != "nowhere.md" || listing(t, dir) != "CLAUDE.md" {
		t.Errorf("exit code %d, and CLAUDE.md leads to %s, %v: %s", code, target, err, stderr)
	}
}
