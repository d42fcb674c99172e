package mcp

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/planning"
	"tasker/internal/task"
)

// planForm turns the schema of a plan into a schema of a plan or a single task. The fields of a task are described
// once, under tasks; the project is assumed if it is left out.
func planForm(s *jsonschema.Schema) {
	s.Required = nil
	for _, name := range []string{"name", "vision"} { // for people who write plans; still accepted
		delete(s.Properties, name)
	}
	if tasks := s.Properties["tasks"]; tasks != nil && tasks.Items != nil {
		// For importing history, and for decisions that people make; still accepted.
		for _, name := range []string{"status", "evidence", "autonomy", "due", "links", "mayExecute", "preferredActor", "severity"} {
			delete(tasks.Items.Properties, name)
		}
		for name, about := range map[string]string{
			"criteria": "", "deps": "keys or ids", "gate": "", "key": "", "parent": "key or id", "priority": "0 is most urgent, 3 least",
			"touches": "globs of paths",
		} {
			if p := tasks.Items.Properties[name]; p != nil {
				p.Description = about
			}
		}
	}
	s.Properties["task"] = &jsonschema.Schema{Type: "object", Description: "one task, as in tasks; without key it is a new one"}
}

// apply carries out a plan, or its short form, a single task: a task with a key is a plan of one task, and a task
// without a key is created. Either way the answer is a plan's.
func (s *Server) apply(ctx context.Context, args []byte) (op.Reply, error) {
	given := map[string]jsontext.Value{}
	if len(args) > 0 {
		if err := json.Unmarshal(args, &given); err != nil {
			return op.Reply{}, fault.Bad("the arguments must be one object, without a name twice").WithHint("give project, and tasks or task")
		}
	}
	if _, ok := given["project"]; !ok {
		project, err := s.project(ctx, true)
		if err != nil {
			return op.Reply{}, err
		}
		given["project"], _ = jsontext.AppendQuote(nil, project) // a slug needs no escaping
	}
	one, short := given["task"]
	if !short {
		return s.call(ctx, op.Apply.Op, given)
	}
	if _, both := given["tasks"]; both {
		return op.Reply{}, fault.Bad("task and tasks are both given").WithHint("give one task as task, or several as tasks")
	}
	delete(given, "task")
	var fields map[string]jsontext.Value
	if err := json.Unmarshal(one, &fields); err != nil || fields == nil {
		return op.Reply{}, fault.Bad("task must be an object").WithMissing("task").WithHint(`such as {"title": "Fix the parser"}`)
	}
	if _, named := fields["key"]; named {
		list, err := json.Marshal([]jsontext.Value{one})
		if err != nil {
			return op.Reply{}, err
		}
		given["tasks"] = list
		return s.call(ctx, op.Apply.Op, given)
	}
	return s.create(ctx, given, fields)
}

// create creates a task that has no key yet, and answers like a plan.
func (s *Server) create(ctx context.Context, given, fields map[string]jsontext.Value) (op.Reply, error) {
	fields["project"] = given["project"]
	delete(given, "project")
	for name := range given {
		return op.Reply{}, fault.Bad("a task without a key cannot come with %s", name).WithHint("give the task a key, or send several as tasks")
	}
	reply, err := s.call(ctx, op.Create.Op, fields)
	if err != nil {
		return op.Reply{}, err
	}
	if t, ok := reply.Out.(*planning.Written); ok {
		reply.Out = planning.ApplyOut{Project: t.Project, Created: []planning.Ref{{Key: t.Key, ID: task.Opt(t.ID)}}, Warnings: t.Warnings}
	}
	return reply, nil
}

// call carries out an operation with the given arguments.
func (s *Server) call(ctx context.Context, o *op.Op, args map[string]jsontext.Value) (op.Reply, error) {
	src, err := json.Marshal(args, json.Deterministic(true))
	if err != nil {
		return op.Reply{}, err
	}
	in, err := o.DecodeArgs(src)
	if err != nil {
		return op.Reply{}, err
	}
	return s.opts.Ops.Call(core.Listens(ctx), o, in)
}

// project returns the project to assume: the server's own, else the caller's, else the only one there is. For a write the
// only one must not belong to another repository than the caller's.
func (s *Server) project(ctx context.Context, write bool) (string, error) {
	if s.opts.Project != "" {
		return s.opts.Project, nil
	}
	if slug := core.CallerOf(ctx).Project; slug != "" {
		return slug, nil
	}
	all, err := op.Projects.Do(ctx, s.opts.Ops, core.None{})
	switch {
	case err != nil:
		return "", err
	case len(all) == 1 && write:
		return all[0].Slug, core.CallerOf(ctx).MayAssume(all[0])
	case len(all) == 1:
		return all[0].Slug, nil
	}
	e := fault.Bad("say which project: there are %d", len(all)).WithMissing("argument project").WithHint("give project; one that is not there yet is made")
	for _, p := range all[:min(len(all), 20)] {
		e.Missing = append(e.Missing, p.Slug)
	}
	return "", e
}
