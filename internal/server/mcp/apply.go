package mcp

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/planning"
	"tasker/internal/task"
)

// planForm leaves out of the schema of a plan what people write, and the fields of a task, which tasker_create describes.
// The project is assumed if it is left out.
func planForm(s *jsonschema.Schema) {
	s.Required = nil
	for _, name := range []string{"name", "vision"} { // still accepted
		delete(s.Properties, name)
	}
	if tasks := s.Properties["tasks"]; tasks != nil && tasks.Items != nil {
		tasks.Items = &jsonschema.Schema{Type: "object", Description: "as tasker_create takes them, each with its key", Required: tasks.Items.Required}
	}
}

// taskForm leaves out of the schema of a task what serves imports of history, and decisions that people make. It is still
// accepted.
func taskForm(s *jsonschema.Schema) {
	for _, name := range []string{"status", "evidence", "autonomy", "due", "links", "mayExecute", "preferredActor", "severity"} {
		delete(s.Properties, name)
	}
	describe(s, map[string]string{
		"criteria": "", "deps": "keys or ids", "gate": "", "key": "", "parent": "key or id", "priority": "0 is most urgent, 3 least",
		"touches": "globs of paths",
	})
}

// apply carries out a plan, or its short form, a single task: a task with a key is a plan of one task, and a task
// without a key is created. Either way the answer is a plan's.
func (s *Server) apply(ctx context.Context, args arguments) (op.Reply, error) {
	if err := args.object("give project, and tasks or task"); err != nil {
		return op.Reply{}, err
	}
	args, err := s.inProject(ctx, args, true)
	if err != nil {
		return op.Reply{}, err
	}
	one := args.given["task"]
	if one == nil {
		return s.call(ctx, op.Apply.Op, args)
	}
	if args.has("tasks") {
		return op.Reply{}, fault.Bad("task and tasks are both given").WithHint("give one task as task, or several as tasks")
	}
	args = args.without("task")
	fields := argumentsOf(one)
	switch {
	case fields.given == nil:
		return op.Reply{}, fault.Bad("task must be an object").WithMissing("task").WithHint(`such as {"title": "Fix the parser"}`)
	case fields.has("key"):
		return s.call(ctx, op.Apply.Op, args.with("tasks", jsontext.Value("["+string(one)+"]")))
	}
	return s.create(ctx, args, fields)
}

// create creates a task that has no key yet, and answers like a plan.
func (s *Server) create(ctx context.Context, args, fields arguments) (op.Reply, error) {
	for name := range args.without("project").given {
		return op.Reply{}, fault.Bad("a task without a key cannot come with %s", name).WithHint("give the task a key, or send several as tasks")
	}
	reply, err := s.call(ctx, op.Create.Op, fields.with("project", args.given["project"]))
	if err != nil {
		return op.Reply{}, err
	}
	if t, ok := reply.Out.(*planning.Written); ok {
		reply.Out = planning.ApplyOut{Project: t.Project, Created: []planning.Ref{{Key: t.Key, ID: task.Opt(t.ID)}}, Warnings: t.Warnings}
	}
	return reply, nil
}

// call carries out an operation with the given arguments.
func (s *Server) call(ctx context.Context, o *op.Op, args arguments) (op.Reply, error) {
	in, err := args.decode(o)
	if err != nil {
		return op.Reply{}, err
	}
	return s.opts.Ops.Call(core.Listens(ctx), o, in)
}

// inProject returns the arguments with the project to assume, if they name none.
func (s *Server) inProject(ctx context.Context, args arguments, write bool) (arguments, error) {
	if args.has("project") {
		return args, nil
	}
	project, err := s.project(ctx, write)
	return args.with("project", quoted(project)), err
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
	e := fault.Bad("say which project: there are %d", len(all)).WithMissing("argument project").WithHint("give project; one that does not exist yet is created")
	for _, p := range all[:min(len(all), 20)] {
		e.Missing = append(e.Missing, p.Slug)
	}
	return "", e
}
