package packaging

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const published = "example.org/somebody/tasker"

// TestTheModuleTakesAnotherPath shows that `make module PATH=host/owner/tasker` is all that it takes.
func TestTheModuleTakesAnotherPath(t *testing.T) {
	tree := t.TempDir()
	original := copyTree(t, tree)

	run(t, tree, "make", "module", "PATH="+published)
	if got := run(t, tree, "go", "list", "-m"); got != published {
		t.Errorf("go.mod names %s", got)
	}
	if got := run(t, tree, "make", "-n", "build", "VERSION=1.2.3"); !strings.Contains(got, "-X "+published+"/internal/app.Version=1.2.3") {
		t.Errorf("the version is not stamped into the module: %s", got)
	}
	for _, name := range []string{"packaging/publisher.json", ".goreleaser.yaml"} {
		if text, err := os.ReadFile(filepath.Join(tree, name)); err != nil || !bytes.Contains(text, []byte("https://"+published)) {
			t.Errorf("%s does not name the home %s: %v", name, published, err)
		}
	}
	dirs := []string{"cmd", "internal/app", "bench"} // which import most
	if os.Getenv("TASKER_TEST_LONG") != "" {
		dirs = []string{"cmd", "internal", "test", "bench"}
	}
	if got := run(t, tree, "gofmt", append([]string{"-l"}, dirs...)...); got != "" {
		t.Errorf("not formatted: %s", got)
	}
	if got := run(t, tree, "go", "list", "-e", "-f", "{{with .Error}}{{.}}{{end}}{{range .DepsErrors}}{{.}} {{end}}", "./..."); got != "" {
		t.Errorf("imports are not found: %s", got)
	}
	run(t, tree, "go", "build", "-buildvcs=false", "./internal/db") // something that imports
	if os.Getenv("TASKER_TEST_LONG") != "" {                        // compiling everything again takes a minute and a half
		run(t, tree, "go", "build", "-buildvcs=false", "-o", filepath.Join(t.TempDir(), "tasker"), "./cmd/tasker")
		run(t, tree, "go", "vet", "./internal/arch")
	}

	// And back: only the module's path was rewritten, and nothing else.
	run(t, tree, "make", "module", "PATH="+original["go.mod"].module())
	for name, was := range original {
		is, err := os.ReadFile(filepath.Join(tree, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(is, was) {
			t.Errorf("renamed and renamed back, %s differs", name)
		}
	}
}

func TestWhatIsNoModulePathIsRefused(t *testing.T) {
	for _, path := range []string{"", "a b", "/abs", "../up", "https://example.org/x", "x;y"} {
		cmd := exec.CommandContext(t.Context(), "../../scripts/module", path)
		out, err := cmd.CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte("is not a module path")) {
			t.Errorf("%q: %v, %s", path, err, out)
		}
	}
}

// content is what a file holds.
type content []byte

// module returns the path that a go.mod declares.
func (c content) module() string {
	line, _, _ := strings.Cut(string(c), "\n")
	return strings.TrimPrefix(line, "module ")
}

// copyTree copies what git tracks of the source tree, including new files, and returns it by name.
func copyTree(t *testing.T, to string) map[string]content {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	list := run(t, root, "git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	files := map[string]content{}
	for name := range strings.SplitSeq(strings.Trim(list, "\x00"), "\x00") {
		from := filepath.Join(root, name)
		info, err := os.Lstat(from)
		if err != nil || !info.Mode().IsRegular() {
			continue // removed, or a link
		}
		files[name] = copyFile(t, from, filepath.Join(to, name), info.Mode().Perm())
	}
	if len(files["go.mod"]) == 0 {
		t.Fatalf("git lists %d files and no go.mod", len(files))
	}
	return files
}

func copyFile(t *testing.T, from, to string, mode fs.FileMode) content {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, data, mode)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// run runs a command in a directory and returns what it printed.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, stdout.Bytes(), stderr.Bytes())
	}
	return strings.TrimSpace(stdout.String())
}
