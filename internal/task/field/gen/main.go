// Command gen writes the generated files of the repository: see package field. It is run by `go generate ./...`, in the
// root of the repository.
package main

import (
	"fmt"
	"os"

	"tasker/internal/task/field"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	root := os.DirFS(".")
	files, err := field.Files(root)
	if err != nil {
		return err
	}
	stale, err := field.Stale(root, files)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
