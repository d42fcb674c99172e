// Command dist makes what is released of tasker: see `make dist` and `make man`.
package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tasker/internal/app"
	"tasker/internal/cli"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 || args[0] != "man" {
		return fmt.Errorf("usage: dist man VERSION DIRECTORY")
	}
	return writeMan(cmp.Or(args[1], app.Version), time.Now(), args[2])
}

// writeMan writes the manual into a directory.
func writeMan(version string, date time.Time, dir string) error {
	for _, p := range cli.ManPages(version, date.UTC().Format(time.DateOnly)) {
		if err := write(filepath.Join(dir, p.Name), []byte(p.Text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file that everybody may read, and the directories above it.
func write(path string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // what is released is for everybody
		return err
	}
	return os.WriteFile(path, content, mode) //nolint:gosec // the same
}
