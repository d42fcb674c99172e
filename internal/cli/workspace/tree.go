package workspace

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task/proven"
)

// Tree returns the tree of files that a closing command sees, and what differs between it and the trees that the task's
// runs were made on: see frame.Sight. It looks into the task's workspace on this machine, or else around the current
// directory. known is what the command found out before, and may be nil: if it shows that nothing has changed since the
// runs, git is not asked again.
func Tree(ctx context.Context, f *frame.Factory, id string, known *Changes) (tree string, differs []proven.Differing) {
	dir := dirOf(ctx, f, id)
	if !InRepository(dir) {
		return "", nil
	}
	b, err := known.bundle(ctx, f, id)
	if err != nil {
		return "", nil // the close reports the error
	}
	runs := frame.Judged(b)
	if known.asIn(runs) {
		return string(runs[0].Run.Tree), nil
	}
	sight := f.Sight(ctx, dir, b, runs)
	return sight.Tree, sight.Differs
}

// Sight returns what prove sees of a task's runs: see Tree.
func Sight(ctx context.Context, f *frame.Factory, b *bundle.Bundle) proven.Sight {
	dir := dirOf(ctx, f, string(b.Task.ID))
	if !InRepository(dir) {
		return proven.Sight{}
	}
	return f.Sight(ctx, dir, b, frame.Judged(b))
}

// bundle returns the bundle of the task, which the command may have read already.
func (c *Changes) bundle(ctx context.Context, f *frame.Factory, id string) (*bundle.Bundle, error) {
	if c != nil && c.shown != nil {
		return c.shown, nil
	}
	return frame.Call(ctx, f, op.Show, reading.ShowIn{Task: id})
}

// asIn reports whether the work tree certainly holds the files that every one of the runs was made on.
func (c *Changes) asIn(runs []proven.Relied) bool {
	if c == nil || !c.clean || len(runs) == 0 {
		return false
	}
	return !slices.ContainsFunc(runs, func(r proven.Relied) bool {
		return r.Run.Dirty || string(r.Run.Commit) != c.commit || r.Run.Tree != runs[0].Run.Tree
	})
}

// dirOf returns where a task is worked on, as far as this machine knows.
func dirOf(ctx context.Context, f *frame.Factory, id string) string {
	if f.ServerURL() != "" || f.NoDatabase() {
		return f.Process.Dir
	}
	begun, err := begunOn(ctx, f, id)
	if err != nil {
		return f.Process.Dir
	}
	return workedIn(f, begun)
}

// InRepository reports whether a directory lies in a git work tree, without asking git.
func InRepository(dir string) bool {
	for dir := range config.Upwards(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
	}
	return false
}
