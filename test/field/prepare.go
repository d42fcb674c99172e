package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// settings is the configuration of the repository. The gate requires a test run; a person is declared, so that no agent
// can loosen anything.
const settings = `{
  "version": 1,
  "project": "field",
  "gates": {"tested": ["tests"]},
  "actors": [{"name": "ann", "kind": "human"}]
}
`

// realProgram returns the tasker whose calls are recorded: TASKER_FIELD, or bin/tasker here.
func realProgram() (string, error) {
	path := os.Getenv("TASKER_FIELD")
	if path == "" {
		path = filepath.Join("bin", "tasker")
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return "", fmt.Errorf("there is no tasker to record: make build, or name one with TASKER_FIELD: %w", err)
	}
	return path, nil
}

// plan returns the plan as a document.
func plan() ([]byte, error) {
	type item struct {
		Key      string   `json:"key"`
		Title    string   `json:"title"`
		Body     string   `json:"body"`
		Gate     string   `json:"gate"`
		Touches  []string `json:"touches"`
		Criteria []string `json:"criteria"`
		Deps     []string `json:"deps,omitempty"`
	}
	items := make([]item, len(jobs))
	for i, j := range jobs {
		items[i] = item{j.name, j.title, j.body, "tested", []string{"bin/" + j.name, "tests/" + j.name + "*"}, j.criteria, j.deps}
	}
	return json.MarshalIndent(map[string]any{"project": "field", "name": "Field kit", "tasks": items}, "", "  ")
}

// prepare makes the working directory of an agent: a repository with a remote of its own, a database with the plan, and
// the recorder. It refuses a directory that is not empty.
func prepare(dir, program string) error {
	if some, err := os.ReadDir(dir); err == nil && len(some) > 0 {
		return fmt.Errorf("%s is not empty: name a directory that does not exist", dir)
	}
	repo, bin := filepath.Join(dir, "repo"), filepath.Join(dir, "bin")
	for _, d := range []string{filepath.Join(repo, "bin"), filepath.Join(repo, "tests"), bin} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	document, err := plan()
	if err != nil {
		return err
	}
	for path, text := range map[string]string{
		filepath.Join(repo, ".tasker.json"):      settings,
		filepath.Join(repo, "README.md"):         "Small programs in POSIX shell, one a file in bin/, each with a test in tests/.\n",
		filepath.Join(repo, "bin", ".gitkeep"):   "",
		filepath.Join(repo, "tests", ".gitkeep"): "",
		filepath.Join(dir, "plan.json"):          string(document),
		filepath.Join(dir, "real"):               program,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := copyFile(self, filepath.Join(bin, "tasker")); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"git", "init", "-q", "--bare", "-b", "main", "../origin.git"}, {"git", "init", "-q", "-b", "main"},
		{"git", "config", "user.name", "bot"}, {"git", "config", "user.email", "bot@localhost"},
		{"git", "add", "."}, {"git", "commit", "-qm", "begin"}, {"git", "remote", "add", "origin", "../origin.git"},
		{"git", "push", "-q", "origin", "main"}, {program, "apply", "-f", "../plan.json", "--quiet"},
	} {
		if err := in(dir, "ann", args...).Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
	}
	return nil
}

// in returns a command in the repository of a place, on its database.
func in(dir, actor string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	cmd.Dir = filepath.Join(dir, "repo")
	cmd.Env = []string{"TASKER_DB=" + filepath.Join(dir, "tasker.db"), "TASKER_ACTOR=" + actor}
	for _, kept := range os.Environ() {
		if !strings.HasPrefix(kept, "TASKER_") && !strings.HasPrefix(kept, "GIT_") {
			cmd.Env = append(cmd.Env, kept)
		}
	}
	cmd.Stderr = os.Stderr
	return cmd
}

func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		_ = dst.Close()
		return err
	}
	return dst.Close()
}
