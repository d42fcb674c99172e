package frame

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// TaskArg resolves the task that an argument of a write names, as operations take it: by id, key or number, or "." for
// the current task.
func (f *Factory) TaskArg(ctx context.Context, arg string) (string, error) {
	return named(ctx, f, arg, false)
}

// TaskToRead is TaskArg for a read: it also accepts the beginning of a key if only one key begins so. Reading the wrong
// task does no harm; a write only suggests such a match.
func (f *Factory) TaskToRead(ctx context.Context, arg string) (string, error) {
	return named(ctx, f, arg, true)
}

// named finds a task by what a person calls it. On a local database, the operation itself looks up an id and a key that
// looks like one; a server accepts only ids.
func named(ctx context.Context, f *Factory, arg string, short bool) (string, error) {
	switch {
	case arg == "":
		return "", fault.Bad("an empty text names no task").WithHint("give an id such as demo-4, or a key")
	case f.ServerURL() == "" && LooksLikeID(arg):
		return arg, nil
	}
	return find(ctx, f, arg, short, !short)
}

// TaskID returns the id of a task, also from a key in the assumed project. A text that looks like an id is taken as the
// id if that task exists.
func (f *Factory) TaskID(ctx context.Context, arg string) (string, error) {
	return find(ctx, f, arg, false, true)
}

// TaskIDToRead is TaskID for a read.
func (f *Factory) TaskIDToRead(ctx context.Context, arg string) (string, error) {
	return find(ctx, f, arg, false, false)
}

// find looks up a task by id, by key, by its number in the project and, if short is set, by the beginning of its key; "."
// is the current task.
func find(ctx context.Context, f *Factory, arg string, short, write bool) (string, error) {
	if arg == "." {
		return Current(ctx, f)
	}
	project, err := f.Project()
	slug, number, isID := task.ParseID(arg)
	if project == "" && isID {
		project = slug
	}
	if project == "" && err == nil {
		project, err = f.oneProject(ctx, write)
	}
	if err != nil {
		return "", err
	}
	found, err := Call(ctx, f, op.List, reading.ListIn{Project: project, Key: arg, Limit: new(1)})
	switch {
	case isID && (fault.Is(err, fault.NotFound) || err == nil && len(found.Tasks) == 0):
		return spelled(ctx, f, slug, number)
	case err != nil:
		return "", err
	case len(found.Tasks) == 0:
		if n, err := strconv.ParseInt(arg, 10, 31); err == nil && n > 0 {
			return string(task.MakeID(project, n)), nil // the operation says whether that task exists
		}
		return begun(ctx, f, project, arg, short)
	}
	id := string(found.Tasks[0].ID)
	if isID && id != arg { // a key that looks like an id: the id wins if it exists
		if _, err := Call(ctx, f, op.Show, reading.ShowIn{Task: arg}); err == nil || !fault.Is(err, fault.NotFound) {
			return arg, err
		}
	}
	return id, nil
}

// spelled returns an id with the slug as the project spells it: FERN-2 is fern-2. The operation says whether that task
// exists.
func spelled(ctx context.Context, f *Factory, slug string, n int64) (string, error) {
	all, err := Call(ctx, f, op.Projects, core.None{})
	if err != nil {
		return "", err
	}
	for _, p := range all {
		if strings.EqualFold(p.Slug, slug) {
			slug = p.Slug
		}
	}
	return string(task.MakeID(slug, n)), nil
}

// begun returns the one task whose key begins with a text, if short allows that. Otherwise the refusal suggests what
// was probably meant.
func begun(ctx context.Context, f *Factory, project, text string, short bool) (string, error) {
	page, err := Call(ctx, f, op.List, reading.ListIn{Project: project, Q: text, Limit: new(maxOffered)})
	if err != nil {
		return "", err
	}
	begin := slices.DeleteFunc(page.Tasks, func(t *task.Task) bool {
		return len(t.Key) < len(text) || !strings.EqualFold(t.Key[:len(text)], text)
	})
	if short && len(begin) == 1 && page.NextCursor == "" {
		return string(begin[0].ID), nil
	}
	switch {
	case len(begin) == 1:
		return "", meant(project, text, begin[0])
	case len(begin) > 1:
		const few = 5
		keys := words.Each(begin[:min(len(begin), few)], func(t *task.Task) string { return t.Key })
		return "", fault.Missing("there is no task %s in %s", words.Quoted(text), project).
			WithHint("%d keys begin with it: %s", len(begin), words.Some(keys, len(begin)))
	}
	if page, err = Call(ctx, f, op.List, reading.ListIn{Project: project, Limit: new(maxOffered)}); err != nil {
		return "", err
	}
	near := words.Nearest(text, words.Each(page.Tasks, func(t *task.Task) string { return t.Key }))
	for _, t := range page.Tasks {
		if near != "" && t.Key == near {
			return "", meant(project, text, t)
		}
	}
	return "", fault.Missing("there is no task %s in %s", words.Quoted(text), project).WithHint("list what there is: %s", hint.ListOf(project))
}

// meant refuses a name that no task has, and suggests one.
func meant(project, text string, t *task.Task) error {
	return fault.Missing("there is no task %s in %s", words.Quoted(text), project).
		WithHint("did you mean %s, %s? Its key is %s", t.ID, words.Quoted(t.Title), t.Key)
}

// Reference returns a flag's name for another task as documents write it: a number, or an id in another spelling,
// becomes the id, and a key stays.
func Reference(ctx context.Context, f *Factory, name string) (string, error) {
	_, _, isID := task.ParseID(name)
	if _, err := strconv.ParseInt(name, 10, 31); err != nil && !isID {
		return name, nil
	}
	return f.TaskID(ctx, name)
}

// ProjectWith replaces the non-empty names by ids, and returns the project of a command that takes them: the one that
// -p names, or else that of the first id, or else the assumed one.
func (f *Factory) ProjectWith(ctx context.Context, names ...*string) (string, error) {
	return f.projectWith(ctx, false, names...)
}

// ProjectToWriteWith is ProjectWith for a write.
func (f *Factory) ProjectToWriteWith(ctx context.Context, names ...*string) (string, error) {
	return f.projectWith(ctx, true, names...)
}

func (f *Factory) projectWith(ctx context.Context, write bool, names ...*string) (string, error) {
	project := f.Flags.Project
	for _, name := range names {
		if *name == "" {
			continue
		}
		id, err := f.TaskToRead(ctx, *name)
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
	return f.oneProject(ctx, write)
}

// LooksLikeID reports whether a text has the form of an id.
func LooksLikeID(s string) bool {
	_, _, ok := task.ParseID(s)
	return ok
}

// Fence returns the fence for a write on a task: the flag's, or else TASKER_FENCE if TASKER_TASK names the task, or
// else nil.
func (f *Factory) Fence(ctx context.Context, flag *int64, id string) (*int64, error) {
	if flag != nil {
		return flag, nil
	}
	held, fence := f.Env("TASKER_TASK"), f.Env("TASKER_FENCE")
	if held == "" || fence == "" {
		return nil, nil
	}
	if held != id && LooksLikeID(held) != LooksLikeID(id) { // one of the two is a key: they may still mean the same task
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
	n, err := ReadInt[int64](fence)
	if err != nil {
		return nil, fault.Bad("TASKER_FENCE is %q, and a fence is a whole number", fence)
	}
	return n, nil
}
