package mcp

import (
	"context"
	"net/http"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// Tools take a task's key in place of its id, as commands do, where the project is known. Operations take ids, so a key
// is looked up before the call. A text with the form of an id is tried as one first, which costs ids nothing.

// naming returns the arguments of an operation that name a task.
func naming(o *op.Op) []string {
	switch o {
	case op.Apply.Op, op.Create.Op: // plans name tasks by key
		return nil
	case op.Edit.Op: // its other names are those of a plan
		return []string{"id"}
	case op.Events.Op:
		return []string{"task"}
	}
	return []string{"id", "under", "parent", "dependsOn", "dependencyOf"}
}

// renamed returns the arguments with ids in place of keys, among the names of tasks that have the form of an id, or among
// those that do not.
func (s *Server) renamed(ctx context.Context, o *op.Op, args arguments, idForm bool) (out arguments, changed bool, err error) {
	for _, arg := range naming(o) {
		name := args.text(arg)
		if name == "" {
			continue // it is not given, or the number of a question
		}
		if _, _, isID := task.ParseID(name); isID != idForm {
			continue
		}
		id, err := s.idOf(ctx, o, args.text("project"), name)
		if err != nil {
			return args, changed, err
		}
		args, changed = args.with(arg, quoted(string(id))), true
	}
	return args, changed, nil
}

// idOf returns the id of the task that has a key in the project of a call.
func (s *Server) idOf(ctx context.Context, o *op.Op, slug, key string) (task.ID, error) {
	if slug == "" {
		var err error
		if slug, err = s.project(ctx, o.Method != http.MethodGet); err != nil {
			return "", fault.Of(err).WithHint("name the task by its id, such as demo-4")
		}
	}
	found, err := op.List.Do(ctx, s.opts.Ops, reading.ListIn{Project: slug, Key: key, Limit: new(1)})
	if err != nil {
		return "", err
	}
	if len(found.Tasks) == 0 {
		return "", fault.Missing("there is no task %s in %s", words.Quoted(key), slug).WithHint("list what there is: %s", hint.ListOf(slug))
	}
	return found.Tasks[0].ID, nil
}
