// Package program builds tasker for the tests that drive it from outside.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Main builds tasker, hands the program's path to use and runs the tests. It returns the exit code of a TestMain.
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

// Build builds tasker as it is released into a directory, and returns the program's path. `go test` does not see that the
// tests depend on it, and would answer from its cache although the program has changed: run them with -count=1.
func Build(dir string) (string, error) {
	program := filepath.Join(dir, "tasker")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", program, "tasker/cmd/tasker")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building tasker: %w\n%s", err, out)
	}
	return program, nil
}
