// Package program builds tasker for the tests that drive it from outside.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// EnvProgram is the variable that names an already built program: `make test` builds one for all packages.
const EnvProgram = "TASKER_TEST_PROGRAM"

// Main builds tasker, passes the program's path to use and runs the tests. It returns the exit code of a TestMain.
func Main(m *testing.M, use func(path string)) int {
	dir, err := os.MkdirTemp("", "tasker-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path, err := Build(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	use(path)
	return m.Run()
}

// Build builds tasker into a directory, and returns the program's path; if EnvProgram names a program, it returns that
// one. `go test` does not see that the tests depend on it, and would answer from its cache although the program has
// changed: run them with -count=1.
//
// A dozen packages need it, and linking takes longer than some of their tests: it is linked once, in the tree's cache
// directory, where the go command sees that it is current, and is copied from there.
func Build(dir string) (string, error) {
	if path := os.Getenv(EnvProgram); path != "" {
		return path, nil
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the source tree: %w", err)
	}
	made := filepath.Join(strings.TrimSpace(string(root)), ".cache", "test")
	if err := os.MkdirAll(made, 0o755); err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(made, "lock")) // packages are tested in parallel
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(made, "tasker"), "tasker/cmd/tasker")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building tasker: %w\n%s", err, out)
	}
	content, err := os.ReadFile(filepath.Join(made, "tasker"))
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "tasker")
	return program, os.WriteFile(program, content, 0o755)
}

// Prepare puts an SQLite file with our tables and nothing in them where the program, built at a path, will look for its
// database. The migrations cost four times what a command costs, so the program makes one file, and the others are copies
// of it, with its identity. A test of how a database comes to be does not want it.
func Prepare(tb testing.TB, built, db string) {
	tb.Helper()
	if strings.Contains(db, "://") { // PostgreSQL has its own way: dbtest.Postgres
		return
	}
	blankOnce.Do(func() { blank, blankErr = makeBlank(built) })
	err := blankErr
	if err == nil {
		err = os.MkdirAll(filepath.Dir(db), 0o755)
	}
	if err == nil {
		err = os.WriteFile(db, blank, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

var (
	blankOnce sync.Once
	blank     []byte
	blankErr  error
)

// makeBlank returns the content of a new database.
func makeBlank(built string) (content []byte, err error) {
	dir, err := os.MkdirTemp("", "tasker-blank-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	db := filepath.Join(dir, "tasker.db")
	cmd := exec.Command(built, "db", "migrate")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "TASKER_DB=" + db, "PATH=" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("making a database: %w\n%s", err, out)
	}
	return os.ReadFile(db)
}
