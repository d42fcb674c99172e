package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

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

// prepare makes the working directory of an agent: a repository with a remote of its own, a database with the plan, and
// the recorder. It refuses a directory that is not empty.
func prepare(dir string, p plan, program string) error {
	if some, err := os.ReadDir(dir); err == nil && len(some) > 0 {
		return fmt.Errorf("%s is not empty: name a directory that does not exist", dir)
	}
	document, err := p.document()
	if err != nil {
		return err
	}
	repo := filepath.Join(dir, "repo")
	files := map[string]string{
		filepath.Join(repo, ".tasker.json"):    settings,
		filepath.Join(repo, "README.md"):       p.readme,
		filepath.Join(repo, "bin", ".gitkeep"): "",
		filepath.Join(repo, "tests", "run"):    runner,
		filepath.Join(dir, "plan.json"):        string(document),
		filepath.Join(dir, "plan"):             p.name,
		filepath.Join(dir, "real"):             program,
	}
	for path, text := range p.files {
		files[filepath.Join(repo, path)] = text
	}
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Join(dir, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return err
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
		if err := in(dir, person, args...).Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
		}
	}
	return nil
}

// placed returns the plan and the real program of an agent's directory.
func placed(dir string) (p plan, program string, err error) {
	name, err := os.ReadFile(filepath.Join(dir, "plan"))
	if err == nil {
		p, err = named(string(name))
	}
	path, missing := os.ReadFile(filepath.Join(dir, "real"))
	if err = errors.Join(err, missing); err != nil {
		return p, "", fmt.Errorf("%s is not the directory of an agent: make one with field prepare: %w", dir, err)
	}
	return p, string(path), nil
}

// in returns a command in the repository of a place, on its database.
func in(dir, actor string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	cmd.Dir = filepath.Join(dir, "repo")
	cmd.Env = []string{"TASKER_DB=" + filepath.Join(dir, "tasker.db"), "TASKER_ACTOR=" + actor}
	for _, kept := range []string{"PATH", "HOME", "TMPDIR"} { // nothing that says whose shell this is
		if value, ok := os.LookupEnv(kept); ok {
			cmd.Env = append(cmd.Env, kept+"="+value)
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
