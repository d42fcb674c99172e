package workspace

import (
	"context"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/workspace"
	"tasker/internal/workspace/machine"
)

// Landing finds where the work on a task is, and how far it is from its base. It returns nil if that is unknown, and
// through a server, which has no repository. It contacts a remote only if the caller insists: closing a task should not
// wait for one. known is what the command found out before, which saves calls of git; may be nil.
func Landing(ctx context.Context, f *frame.Factory, id string, insists bool, known *Changes) (*workspace.Landing, error) {
	if f.ServerURL() != "" {
		return nil, nil
	}
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return nil, err
	}
	left, err := s.Workspaces.Traces(core.Doing(ctx, "traces"), workspace.TracesIn{Task: id})
	if err != nil || len(left.Marks) == 0 && !left.Workspace { // there is nothing to ask git about
		return nil, err
	}
	var m *machine.Manager
	if known != nil {
		m = known.m
	} else if ctx, m, err = Manager(ctx, f); err != nil {
		return nil, err
	}
	var patience time.Duration // none: use only what is known here
	if insists {
		patience = machine.PatienceOfInsists
	}
	return m.Landing(ctx, left.Task, left.Marks, patience)
}

// Closed finds and records where the work is on a task that was just closed as done. It returns one line that says so,
// or "" if the work is on its base or nobody can tell. A failed look does not affect the task, so it also returns a
// line. known is what the command found out before; may be nil.
func Closed(ctx context.Context, f *frame.Factory, id string, known *Changes) string {
	l, err := Landing(ctx, f, id, false, known)
	if err == nil && l != nil {
		_, err = recorded(ctx, f, "landed-save", (*workspace.Service).Landed, workspace.LandedIn{Landing: *l})
	}
	switch {
	case err != nil:
		return "where its work is was not looked at: " + fault.Of(err).Message
	case l == nil:
		return ""
	}
	return l.Words()
}

// Seen records what the task's workspace on this machine holds now, for commands that leave something there. It does
// not call git if the task has no workspace.
func Seen(ctx context.Context, f *frame.Factory, id string) error {
	ref, err := f.TaskID(ctx, id)
	if err != nil {
		return err
	}
	if f.ServerURL() != "" {
		if path, err := f.KeptAt(ref); err != nil || path == "" {
			return err
		}
		return seen(ctx, f, task.ID(ref))
	}
	list, err := frame.Call(ctx, f, op.WorkspaceList, workspace.Query{Task: task.ID(ref), Host: f.Process.Host()})
	if err != nil || len(list) == 0 {
		return err
	}
	return seen(ctx, f, task.ID(ref))
}

func seen(ctx context.Context, f *frame.Factory, id task.ID) error {
	ctx, m, err := Manager(ctx, f)
	if err != nil {
		return err
	}
	_, err = m.Look(ctx, id)
	return err
}

// LookAgain checks the tasks of a project whose work was not on its base at the last look, and records what has
// changed.
func LookAgain(ctx context.Context, f *frame.Factory, project string) error {
	if f.ServerURL() != "" {
		return nil
	}
	seen, err := recorded(ctx, f, "unlanded", (*workspace.Service).Unlanded, workspace.UnlandedIn{Project: project})
	if err != nil {
		return err
	}
	if f.Wrote(); len(seen) == 0 {
		return nil
	}
	ctx, m, err := Manager(ctx, f)
	if err != nil {
		return err
	}
	return m.Landed(ctx, seen)
}
