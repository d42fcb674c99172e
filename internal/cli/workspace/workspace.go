// Package workspace has the commands that make, show and clear away the workspaces of tasks, and what other commands
// open and close them with.
package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/places"
	"tasker/internal/task"
	"tasker/internal/task/place"
	"tasker/internal/workspace"
)

// NewWorkspace returns the command `tasker workspace`.
func NewWorkspace(f *frame.Factory) *cobra.Command {
	cmd := f.Group("workspace", "Make a ready place to work for a task, and clear it away again",
		"tasker workspace open demo-4 --claim", "tasker workspace exec demo-4 -- go test ./...", "tasker workspace close demo-4")
	cmd.AddCommand(newOpen(f), newList(f), newShow(f), newEnv(f), newExec(f), newPath(f), newRefresh(f), newClose(f), newPrune(f))
	return cmd
}

// onPlace is what a command does with the workspace of a task.
type onPlace func(context.Context, *workspace.Manager, places.View) error

// here runs fn with the workspace of the task that is named, for commands that only read: they are everybody's.
func here(ctx context.Context, f *frame.Factory, name string, fn onPlace) error {
	return at(ctx, f, name, func(context.Context, *workspace.Manager, task.ID) error { return nil }, fn)
}

// acting runs fn with the workspace of the task that is named, where the caller may do that to it.
func acting(ctx context.Context, f *frame.Factory, name string, fence *frame.IntFlag[int64], to place.Use, fn onPlace) error {
	return at(ctx, f, name, func(ctx context.Context, m *workspace.Manager, id task.ID) error {
		Given(f, m, fence)
		return m.MayUse(ctx, id, to)
	}, fn)
}

func at(ctx context.Context, f *frame.Factory, name string, may func(context.Context, *workspace.Manager, task.ID) error, fn onPlace) error {
	id, err := f.TaskID(ctx, name)
	if err != nil {
		return err
	}
	ctx, m, err := Manager(ctx, f)
	if err != nil {
		return err
	}
	if err := may(ctx, m, task.ID(id)); err != nil {
		return err
	}
	v, err := m.Here(ctx, task.ID(id))
	if err != nil {
		return err
	}
	return fn(ctx, m, v)
}
