package mcp

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
	"tasker/internal/text/words"
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

// named returns the arguments with ids in place of keys. Texts with the form of an id stay.
func (s *Server) named(ctx context.Context, o *op.Op, args []byte) ([]byte, error) {
	return s.renamed(ctx, o, args, false)
}

// byKey returns the arguments for a call that found nothing, with the texts that have the form of an id read as keys. It
// returns nil if none of them is one.
func (s *Server) byKey(ctx context.Context, o *op.Op, args []byte) []byte {
	other, err := s.renamed(ctx, o, args, true)
	if err != nil || string(other) == string(args) {
		return nil
	}
	return other
}

// renamed replaces the keys among the names of tasks that have the form of an id, or among those that do not.
func (s *Server) renamed(ctx context.Context, o *op.Op, args []byte, idForm bool) ([]byte, error) {
	given := map[string]jsontext.Value{}
	if len(args) == 0 || json.Unmarshal(args, &given) != nil {
		return args, nil //nolint:nilerr // the decoder reports what is wrong with them
	}
	changed := false
	for _, arg := range naming(o) {
		var name string
		if json.Unmarshal(given[arg], &name) != nil || name == "" {
			continue // it is not given, or the number of a question
		}
		if _, _, isID := task.ParseID(name); isID != idForm {
			continue
		}
		id, err := s.idOf(ctx, o, given["project"], name)
		if err != nil {
			return nil, err
		}
		if given[arg], err = json.Marshal(id); err != nil {
			return nil, err
		}
		changed = true
	}
	if !changed {
		return args, nil
	}
	return json.Marshal(given, json.Deterministic(true))
}

// idOf returns the id of the task that has a key in the project of a call.
func (s *Server) idOf(ctx context.Context, o *op.Op, project jsontext.Value, key string) (task.ID, error) {
	var slug string
	_ = json.Unmarshal(project, &slug) // the decoder refuses a value that is not a text
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
