package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// workspaceOpen measures the command that opens a workspace without steps, against git making the same work tree: records,
// ports and checks may cost no more than a few more calls of git.
func workspaceOpen(ctx context.Context, b *bench) ([]*result, error) {
	small, err := b.workspacesOf(ctx, 100)
	if err != nil {
		return nil, err
	}
	large, err := b.workspacesOf(ctx, 1000)
	return []*result{small, large}, err
}

// workspacesOf measures it in a repository of that many files.
func (b *bench) workspacesOf(ctx context.Context, files int) (_ *result, err error) {
	const each = 8
	r := &result{
		what: "tasker workspace open as a process, without steps", against: "git worktree add as a process", unit: "ms", bound: bound{atMost: 3},
		note: fmt.Sprintf("a repository of %d files", files),
	}
	if files < 1000 {
		r.what += ", in a small repository"
	}
	p, err := b.build(ctx)
	if err != nil {
		return nil, err
	}
	db, err := b.copyOf(ctx, shape{tasks: b.n(1000), ready: b.n(1000)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.engine.drop(db)) }()
	for run := range b.runs {
		dir, err := b.repository(ctx, db, files)
		if err != nil {
			return nil, err
		}
		var ours, theirs []float64
		for i := range each {
			name := fmt.Sprintf("theirs-%d", i)
			_, took, err := once(b.inside(ctx, dir, db, "git", "worktree", "add", "--quiet", "-b", name, filepath.Join(".theirs", name), "main"))
			if err != nil {
				return nil, err
			}
			theirs = append(theirs, took*1e3)
			id := fmt.Sprintf("x-%d", 1+run*each+i)
			if _, took, err = once(b.inside(ctx, dir, db, p.tasker, "workspace", "open", id, "--quiet")); err != nil {
				return nil, err
			}
			ours = append(ours, took*1e3)
		}
		r.add(median(ours), median(theirs))
	}
	return r, nil
}

// repository makes a repository with a commit of that many files, whose workspaces are work trees.
func (b *bench) repository(ctx context.Context, db string, files int) (string, error) {
	dir, err := os.MkdirTemp(b.scratch, "repository-")
	if err != nil {
		return "", err
	}
	texts := map[string]string{
		".tasker.json": `{"version": 1, "project": "x", "workspace": {"strategy": "worktree"}}`, ".gitignore": "/.theirs\n",
	}
	for i := range files {
		texts[fmt.Sprintf("part%d/file%d", i%20, i)] = fmt.Sprintf("text of file %d\n", i)
	}
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"add", "."},
		{"-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "--quiet", "-m", "first"},
	} {
		if _, _, err := once(b.inside(ctx, dir, db, "git", args...)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// inside returns a command that runs in a directory.
func (b *bench) inside(ctx context.Context, dir, db, program string, args ...string) *exec.Cmd {
	cmd := b.command(ctx, db, program, args...)
	cmd.Dir = dir
	return cmd
}
