package frame

import (
	"context"

	"tasker/internal/bundle"
	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

// TaskArg turns what a person calls a task into what the operation takes. On a database of our own, operations find
// keys in the project that is assumed; a server assumes its own project, so a key is looked up in ours first.
func (f *Factory) TaskArg(ctx context.Context, arg string) (string, error) {
	if arg == "" {
		return "", fault.Bad("an empty text names no task").WithHint("give an id such as demo-4, or a key")
	}
	if f.ServerURL() == "" || looksLikeID(arg) {
		return arg, nil
	}
	return f.idOfKey(ctx, arg)
}

// idOfKey returns the id behind a key in the project that is assumed.
func (f *Factory) idOfKey(ctx context.Context, key string) (string, error) {
	project, err := f.OneProject(ctx)
	if err != nil {
		return "", err
	}
	limit := 1000
	in := reading.ListIn{Project: project, Q: key, Limit: &limit}
	for {
		page, err := Call(ctx, f, op.List, in)
		if err != nil {
			return "", err
		}
		for _, t := range page.Tasks {
			if t.Key == key {
				return string(t.ID), nil
			}
		}
		if page.NextCursor == "" {
			return "", fault.Missing("there is no task %s in %s", key, project)
		}
		in.Cursor = string(page.NextCursor)
	}
}

// looksLikeID reports whether a text has the form of an id.
func looksLikeID(s string) bool {
	_, _, ok := task.ParseID(s)
	return ok
}

// Fence returns the fence that a write on a task carries: the flag's, else TASKER_FENCE where TASKER_TASK names the
// task, else nil.
func (f *Factory) Fence(ctx context.Context, flag *IntFlag[int64], id string) (*int64, error) {
	if flag != nil && flag.N != nil {
		return flag.N, nil
	}
	held, fence := f.Env("TASKER_TASK"), f.Env("TASKER_FENCE")
	if held == "" || fence == "" {
		return nil, nil
	}
	same := held == id
	if !same && looksLikeID(held) != looksLikeID(id) { // one is a key: they may still mean the same task
		a, err := f.recordID(ctx, held)
		if err != nil {
			return nil, err
		}
		b, err := f.recordID(ctx, id)
		if err != nil {
			return nil, err
		}
		same = a == b
	}
	if !same {
		return nil, nil
	}
	var n IntFlag[int64]
	if err := n.Set(fence); err != nil {
		return nil, fault.Bad("TASKER_FENCE is %q, and a fence is a whole number", fence)
	}
	return n.N, nil
}

// recordID returns the id of a task that may be named by key, and the name itself where there is no such task.
func (f *Factory) recordID(ctx context.Context, name string) (string, error) {
	name, err := f.TaskArg(ctx, name)
	if err == nil && !looksLikeID(name) {
		var b *bundle.Bundle
		if b, err = Call(ctx, f, op.Show, reading.ShowIn{Task: name}); err == nil {
			return string(b.Task.ID), nil
		}
	}
	if fault.Is(err, fault.NotFound) {
		return name, nil
	}
	return name, err
}
