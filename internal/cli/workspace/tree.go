package workspace

import (
	"context"
	"os"
	"path/filepath"

	"tasker/internal/cli/frame"
	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task/proven"
)

// Tree returns the tree of files that a closing command sees, and what differs between it and the trees that the task's
// runs were made on. It is empty outside a repository and for a task without runs, which costs no git process; and where
// git fails, because no close waits for that.
func Tree(ctx context.Context, f *frame.Factory, id string) (tree string, differs []proven.Differing) {
	if !inRepository(f.Process.Dir) {
		return "", nil
	}
	b, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: id})
	if err != nil {
		return "", nil // the close says it
	}
	var trees []string
	var runs []proven.Relied
	for _, r := range proven.ReliedOn(b.Evidence, b.Criteria) {
		if r.Run.Tree != "" && len(trees) < proven.MaxDiffering {
			trees, runs = append(trees, string(r.Run.Tree)), append(runs, r)
		}
	}
	if len(runs) == 0 {
		return "", nil
	}
	repo, err := f.Repository(ctx)
	if err != nil || repo == nil {
		return "", nil
	}
	ctx, stop := context.WithTimeout(ctx, outsidePatience)
	defer stop()
	tree, known, err := repo.Compare(ctx, trees, proven.MaxFiles)
	if err != nil {
		return "", nil
	}
	for i, r := range runs {
		if trees[i] == tree {
			continue
		}
		files, ok := known[trees[i]]
		if !ok { // its files were never committed: what was changed since it began
			files, _ = repo.Changed(ctx, r.At.Add(-r.Run.DurationMs).Go(), proven.MaxFiles) // without names it is stale all the same
		}
		differs = append(differs, proven.Differing{Tree: trees[i], Files: files})
	}
	return tree, differs
}

// inRepository reports whether a directory lies in a git work tree, without asking git.
func inRepository(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
