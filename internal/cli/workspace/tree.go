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
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// Carried returns a move with what only this machine knows: the files that were changed since the claim, where the task is
// handed over or closed, and the tree that a close sees. Whoever moves tasks from within a work tree asks it, commands and
// the tool server alike. changed is what it found out about the files; nil if nobody can tell. show reads the task as the one
// who moves it does.
func Carried(ctx context.Context, f *frame.Factory, in work.MoveIn, show Shown) (_ work.MoveIn, changed *Changes) {
	if to := task.Status(in.To); !in.DryRun && in.Paths == nil && (to == task.InReview || to == task.Done) {
		changed = Changed(ctx, f, in.Task)
		in.Paths = changed.Paths()
	}
	if in.To == string(task.Done) {
		if tree, differs := treeOf(ctx, f, in.Task, changed, show); tree != "" {
			in.Tree, in.Differs = tree, differs
		}
	}
	return in, changed
}

// Shown reads a task.
type Shown func(ctx context.Context, id string) (*bundle.Bundle, error)

// Reading reads tasks as the command does.
func Reading(f *frame.Factory) Shown {
	return func(ctx context.Context, id string) (*bundle.Bundle, error) {
		return frame.Call(ctx, f, op.Show, reading.ShowIn{Task: id})
	}
}

// treeOf returns the tree of files that a close sees, and what differs between it and the trees that the task's runs were
// made on: see frame.Sight. It looks into the task's workspace on this machine, or else around the current directory. known
// is what was found out before, and may be nil: if it shows that nothing has changed since the runs, git is not asked again.
func treeOf(ctx context.Context, f *frame.Factory, id string, known *Changes, show Shown) (tree string, differs []proven.Differing) {
	dir, _ := f.WorkPlace(ctx, id)
	if !InRepository(dir) {
		return "", nil
	}
	b, err := known.bundle(ctx, id, show)
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

// Sight returns what prove sees of a task's runs: see treeOf.
func Sight(ctx context.Context, f *frame.Factory, b *bundle.Bundle) proven.Sight {
	dir, shared := f.WorkPlace(ctx, string(b.Task.ID))
	if !InRepository(dir) {
		return proven.Sight{}
	}
	out := f.Sight(ctx, dir, b, frame.Judged(b))
	out.Shared = shared
	return out
}

// bundle returns the bundle of the task, which the command may have read already.
func (c *Changes) bundle(ctx context.Context, id string, show Shown) (*bundle.Bundle, error) {
	if c != nil && c.shown != nil {
		return c.shown, nil
	}
	return show(ctx, id)
}

// asIn reports whether the work tree certainly holds the files that every one of the runs was made on.
func (c *Changes) asIn(runs []proven.Relied) bool {
	if c == nil || !c.clean || len(runs) == 0 {
		return false
	}
	return !slices.ContainsFunc(runs, func(r proven.Relied) bool {
		return r.Run.Tree == "" || r.Run.Dirty || string(r.Run.Commit) != c.commit || r.Run.Tree != runs[0].Run.Tree
	})
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
