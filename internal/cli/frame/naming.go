package frame

import (
	"context"

	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
	"tasker/internal/words"
)

// TaskArg turns what a person calls a task into what the operation takes. On a database of our own, operations know keys
// too; a server knows ids alone, so a key is looked up first.
func (f *Factory) TaskArg(ctx context.Context, arg string) (string, error) {
	if arg == "" {
		return "", fault.Bad("an empty text names no task").WithHint("give an id such as demo-4, or a key")
	}
	if f.ServerURL() == "" {
		return arg, nil
	}
	return f.TaskID(ctx, arg)
}

// TaskID returns the id of a task, also behind a key in the project that is assumed. A text that reads like an id is the id where there is
// such a task.
func (f *Factory) TaskID(ctx context.Context, arg string) (string, error) {
	project, err := f.Project()
	if err != nil {
		return "", err
	}
	slug, _, isID := task.ParseID(arg)
	if project == "" && isID {
		project = slug
	}
	if project == "" {
		if project, err = f.OneProject(ctx); err != nil {
			return "", err
		}
	}
	one := 1
	found, err := Call(ctx, f, op.List, reading.ListIn{Project: project, Key: arg, Limit: &one})
	switch {
	case isID && (fault.Is(err, fault.NotFound) || err == nil && len(found.Tasks) == 0):
		return arg, nil // the operation says whether there is such a task
	case err != nil:
		return "", err
	case len(found.Tasks) == 0:
		return "", fault.Missing("there is no task %s in %s", words.Quoted(arg), project).WithHint("list what there is: %s", remedy.ListOf(project))
	}
	id := string(found.Tasks[0].ID)
	if isID && id != arg { // somebody's key reads like an id, which goes first where it exists
		if _, err := Call(ctx, f, op.Show, reading.ShowIn{Task: arg}); err == nil || !fault.Is(err, fault.NotFound) {
			return arg, err
		}
	}
	return id, nil
}

// ProjectWith makes ids of the names that are not empty, and returns the project of a command that takes them: the one that
// -p names, else that of the first id, else the one that is assumed.
func (f *Factory) ProjectWith(ctx context.Context, names ...*string) (string, error) {
	project := f.Flags.Project
	for _, name := range names {
		if *name == "" {
			continue
		}
		id, err := f.TaskArg(ctx, *name)
		if err != nil {
			return "", err
		}
		if slug, _, ok := task.ParseID(id); ok && project == "" {
			project = slug
		}
		*name = id
	}
	if project != "" {
		return project, nil
	}
	return f.OneProject(ctx)
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
	if held != id && looksLikeID(held) != looksLikeID(id) { // one is a key: they may still mean the same task
		for _, name := range []*string{&held, &id} {
			found, err := f.TaskID(ctx, *name)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return nil, err
			}
			*name = found
		}
	}
	if held != id {
		return nil, nil
	}
	var n IntFlag[int64]
	if err := n.Set(fence); err != nil {
		return nil, fault.Bad("TASKER_FENCE is %q, and a fence is a whole number", fence)
	}
	return n.N, nil
}
