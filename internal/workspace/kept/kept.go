// Package kept keeps the records of workspaces in a directory of this machine, for commands that reach their tasks through
// a server: a server has no place for what lies on its callers' disks. Who may do what, and what a record then says, package
// workspace decides, as it does for a database.
package kept

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/event/eventtext"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// Records keeps the workspaces that this machine has for the tasks of a server. All fields are required.
type Records struct {
	Files

	// Ask returns a task of the server, and the caller as it counts for it under a fence.
	Ask func(ctx context.Context, id task.ID, fence *int64) (workspace.Standing, error)
	// Note adds a note to a task of the server.
	Note func(ctx context.Context, id task.ID, text string) error
	// Tell receives what could not be noted.
	Tell func(format string, args ...any)
}

// List returns workspaces of this machine, by task.
func (r *Records) List(ctx context.Context, q workspace.Query) ([]workspace.View, error) {
	if q.Host != "" && q.Host != r.Host {
		return nil, nil
	}
	all, err := r.all()
	if err != nil {
		return nil, err
	}
	out := []workspace.View{}
	for _, e := range all {
		if project, _, _ := task.ParseID(string(e.Task)); e.Server != r.Server || q.Task != "" && e.Task != q.Task || q.Project != "" && project != q.Project {
			continue
		}
		at, err := r.Ask(ctx, e.Task, nil)
		switch {
		case fault.Is(err, fault.NotFound) && q.Task == "": // it is gone, or not the caller's to see
			continue
		case err != nil:
			return nil, err
		}
		out = append(out, at.View(e.record()))
	}
	return out, nil
}

// Ports returns the ports that workspaces of this machine have, whichever server their tasks are on, and the task of each.
func (r *Records) Ports(_ context.Context, in workspace.PortsIn) (map[int]task.ID, error) {
	out := map[int]task.ID{}
	if in.Host != r.Host {
		return out, nil
	}
	all, err := r.all()
	for _, e := range all {
		for _, port := range e.Workspace.Ports {
			out[port] = e.Task
		}
	}
	return out, err
}

// Use refuses an act on the workspace of a task that the caller may not use.
func (r *Records) Use(ctx context.Context, in workspace.UseIn) (workspace.Used, error) {
	at, err := r.Ask(ctx, in.Task, in.Fence)
	if err != nil {
		return workspace.Used{}, err
	}
	return in.Decide(at, r.number())
}

// number is what tells the logs of this server's tasks from those of others.
func (r *Records) number() int64 {
	sum := sha256.Sum256([]byte(r.Server))
	return int64(binary.BigEndian.Uint64(sum[:]) >> 1)
}

// Begin records a workspace that is about to be made, and takes its ports.
func (r *Records) Begin(ctx context.Context, in workspace.BeginIn) (workspace.View, error) {
	at, err := r.Ask(ctx, in.Workspace.Task, in.Fence)
	if err != nil {
		return workspace.View{}, err
	}
	var w workspace.Workspace
	err = r.locked(func() error {
		all, err := r.all()
		if err != nil {
			return err
		}
		var there *workspace.Workspace
		if e := r.of(all, in.Workspace.Task); e != nil {
			there = e.record()
		}
		if w, err = in.Decide(at, there); err != nil {
			return err
		}
		for _, e := range all {
			for _, port := range w.Ports {
				if slices.Contains(e.Workspace.Ports, port) {
					return fault.Stale("port %d of %s was taken in the meantime", port, w.Host).WithHint("try again")
				}
			}
		}
		return r.put(r.entry(w))
	})
	return at.View(&w), err
}

// Save records how far a workspace has come: the given one replaces one in the state From.
func (r *Records) Save(ctx context.Context, in workspace.Made) (workspace.View, error) {
	at, err := r.Ask(ctx, in.Workspace.Task, in.Fence)
	if err != nil {
		return workspace.View{}, err
	}
	var w workspace.Workspace
	var events []task.Draft
	err = r.locked(func() error {
		all, err := r.all()
		if err != nil {
			return err
		}
		e := r.of(all, in.Workspace.Task)
		if e == nil || e.State != in.From {
			return fault.Stale("the workspace of %s was changed in the meantime", in.Workspace.Task).
				WithHint("look at it again: %s", hint.Command("workspace show "+string(in.Workspace.Task)))
		}
		if w, events, err = in.Decide(at, e.record()); err != nil {
			return err
		}
		return r.put(r.entry(w))
	})
	if err == nil {
		r.noted(ctx, &w, events)
	}
	return at.View(&w), err
}

// Drop removes the record of a workspace, and with it frees its ports.
func (r *Records) Drop(ctx context.Context, in workspace.DropIn) (struct{}, error) {
	at, err := r.Ask(ctx, in.Task, in.Fence)
	if err != nil {
		return struct{}{}, err
	}
	var w *workspace.Workspace
	var events []task.Draft
	err = r.locked(func() error {
		all, err := r.all()
		if err != nil {
			return err
		}
		e := r.of(all, in.Task)
		if e == nil || in.Host != r.Host {
			return nil
		}
		w = e.record()
		if events, err = in.Decide(at, w); err != nil {
			return err
		}
		return r.remove(e)
	})
	if err == nil && w != nil {
		r.noted(ctx, w, events)
	}
	return struct{}{}, err
}

// noted adds what a database would log about a workspace to its task, as notes: a server takes no such events. What it
// does not take is told here, and undoes nothing.
func (r *Records) noted(ctx context.Context, w *workspace.Workspace, events []task.Draft) {
	for _, d := range events {
		payload, err := json.Marshal(d.Payload, json.Deterministic(true))
		if err == nil {
			text := "on " + w.Host + ": " + eventtext.Of(task.Event{Kind: d.Kind, Payload: payload})
			err = r.Note(context.WithoutCancel(ctx), w.Task, text)
		}
		if err != nil {
			r.Tell("the server did not note this on %s: %v", w.Task, err)
		}
	}
}

// of returns the entry of a task of this server, or nil.
func (r *Records) of(all []entry, id task.ID) *entry {
	i := slices.IndexFunc(all, func(e entry) bool { return e.Server == r.Server && e.Task == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}

func (r *Records) entry(w workspace.Workspace) *entry {
	return &entry{Server: r.Server, Task: w.Task, Host: w.Host, State: w.State, Workspace: w}
}
