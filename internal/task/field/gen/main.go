// Command gen writes the generated files of the repository: see package field. It is run by `go generate ./...`.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"tasker/internal/task/field"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(root)
		if up == root {
			return fmt.Errorf("there is no go.mod here or above")
		}
		root = up
	}
	files, err := field.Files(os.DirFS(root))
	if err != nil {
		return err
	}
	stale, err := field.Stale(os.DirFS(root), files)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			return err
		}
	}
	for name, want := range files {
		path := filepath.Join(root, name)
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, want) {
			continue
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			return err
		}
	}
	return nil
}
