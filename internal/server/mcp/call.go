package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/task"
	"tasker/internal/text/safetext"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// handler returns the tool's function: it reads the arguments, carries out the operation and returns its answer. Every
// failure is a tool error that the model can read and act upon; so is a panic, since it would otherwise end the
// process.
func (s *Server) handler(t *tool, held *holds) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (res *sdk.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				res, err = s.failed(ctx, t, fault.New(fault.Internal, "panic: %v", p).WithCause(fmt.Errorf("%s", debug.Stack()))), nil
			}
		}()
		full, args, err := argumentsOf(req.Params.Arguments).flag("full") // every tool has it
		if err != nil {
			return s.failed(ctx, t, err), nil
		}
		as, err := s.acting(ctx, clientOf(req))
		if err != nil {
			return s.failed(ctx, t, err), nil
		}
		as = inSession(as, req.Params.Meta)
		args, ignored := args.withoutActor(t.op)
		defer func() {
			if res != nil && ignored { // the answer stays the last
				told := &sdk.TextContent{Text: "warning: " + wire.ActorIgnored("the argument actor")}
				res.Content = append([]sdk.Content{told}, res.Content...)
			}
		}()
		reply, err := s.carryOut(as, t.op, args, full, held)
		if err != nil {
			return s.failed(ctx, t, err), nil
		}
		if res, err = s.answered(ctx, t, reply, full); err == nil && t.op.Method == http.MethodGet { // a write is always answered
			err = core.Charge(as, answerCopies*sizeOf(res))
		}
		if err != nil {
			return s.failed(ctx, t, err), nil
		}
		return res, nil
	}
}

// answerCopies is how often an answer is in memory before it is sent: as it is written, as text, and as the protocol
// writes it.
const answerCopies = 3

func sizeOf(res *sdk.CallToolResult) (bytes int64) {
	for _, c := range res.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			bytes += int64(len(text.Text))
		}
	}
	return bytes
}

// carryOut carries out one call, in which a task may be named by its key. If nothing was found, the texts that have the
// form of an id are read as keys.
func (s *Server) carryOut(ctx context.Context, o *op.Op, args arguments, full bool, held *holds) (op.Reply, error) {
	args, _, err := s.renamed(ctx, o, args, false)
	if err != nil {
		return op.Reply{}, err
	}
	reply, err := s.do(ctx, o, args, full, held)
	if fault.Is(err, fault.NotFound) {
		if other, changed, wrong := s.renamed(ctx, o, args, true); changed && wrong == nil {
			return s.do(ctx, o, other, full, held)
		}
	}
	return reply, err
}

// do carries out one call with ids.
func (s *Server) do(ctx context.Context, o *op.Op, args arguments, full bool, held *holds) (op.Reply, error) {
	switch o {
	case op.Apply.Op:
		return s.apply(ctx, args)
	case op.Create.Op:
		var err error
		if args, err = s.inProject(ctx, args, true); err != nil {
			return op.Reply{}, err
		}
	case op.Show.Op:
		return s.show(ctx, args)
	case op.Met.Op:
		return s.wait(ctx, args)
	}
	if o == op.Next.Op || o == op.Peek.Op {
		var err error
		if args, err = s.filled(ctx, o, args); err != nil {
			return op.Reply{}, err
		}
	}
	in, err := args.decode(o)
	if err != nil {
		return op.Reply{}, err
	}
	if !full {
		in = few(in)
	}
	if m, ok := in.(work.MoveIn); ok && m.Force {
		return op.Reply{}, fault.Bad("there is no argument force").WithMissing("argument force").
			WithHint("do what is missing, or let a person decide: %s", hint.ForceMove(m.Task, m.To))
	}
	at := reflect.New(o.In).Elem() // the input, whose fields can be set
	at.Set(reflect.ValueOf(in))
	s.assume(at)
	name, err := s.fence(ctx, o, at, held)
	if err != nil {
		return op.Reply{}, err
	}
	in = s.carrying(ctx, at.Interface())
	reply, err := s.opts.Ops.Call(core.Listens(ctx), o, in)
	if held != nil {
		held.learn(name, reply.Out, err)
	}
	return reply, s.staleToo(ctx, in, err)
}

// carrying adds to a move what a command sends along with it. A model lists no files: the server looks itself, where it can.
func (s *Server) carrying(ctx context.Context, in any) any {
	m, ok := in.(work.MoveIn)
	if !ok || s.opts.Carried == nil {
		return in
	}
	return s.opts.Carried(ctx, m, func(ctx context.Context, id string) (*bundle.Bundle, error) {
		return op.Show.Do(ctx, s.opts.Ops, reading.ShowIn{Task: id})
	})
}

// filled returns the arguments with the intended project if they name none: the project of the task in `under`, else
// the one to assume.
func (s *Server) filled(ctx context.Context, o *op.Op, args arguments) (arguments, error) {
	switch named := string(args.given["project"]); {
	case args.given == nil, named != "" && named != "null" && named != `""`:
		return args, nil
	}
	if project, _, ok := task.ParseID(args.text("under")); ok {
		return args.with("project", quoted(project)), nil
	}
	return s.inProject(ctx, args.without("project"), o.Method != http.MethodGet)
}

// assume sets the server's project in an input that names none.
func (s *Server) assume(in reflect.Value) {
	if f := in.FieldByName("Project"); f.IsValid() && f.Kind() == reflect.String && f.String() == "" {
		f.SetString(s.opts.Project)
	}
}

// say words a call of a hint as a tool, or as a command if this server does not offer the tool. Overrides are for
// people, who know how.
func (s *Server) say(c fault.Call) string {
	if !c.ByOther && slices.ContainsFunc(c.Args, func(a fault.Arg) bool { return a.Name == "force" }) {
		return "by a person"
	}
	return op.AsTool(c, func(o *op.Op) bool { return slices.ContainsFunc(s.tools, func(t *tool) bool { return t.op == o }) })
}

// failed returns the result of a refusal: the same object that the route returns.
func (s *Server) failed(ctx context.Context, t *tool, err error) *sdk.CallToolResult {
	e := fault.Of(err)
	if e.Kind == fault.Internal && s.opts.Log != nil {
		s.opts.Log.LogAttrs(ctx, slog.LevelError, "unexpected error", slog.String("tool", t.listed.Name),
			slog.String("error", e.Message), slog.Any("cause", e.Unwrap()))
		e = fault.New(fault.Internal, "something unexpected happened").WithHint("the server's log has it")
	}
	failure := wire.FailureOf(e, s.say)
	failure.Missing = e.MissingIn(func(name string) string { return "argument " + name })
	text, err := visible(failure.Told(), wire.Language{})
	if err != nil { // a Failure can always be written
		text = []byte(`{"error":"internal","message":"the error cannot be written","missing":[],"hint":null}`)
	}
	res := &sdk.CallToolResult{IsError: true}
	if len(e.Missing) > 0 { // it quotes the text of the task; the refusal comes first, because clients show people the first part alone
		res.Content = append(res.Content, &sdk.TextContent{Text: safetext.Visible(e.Message) + ". " + safetext.Reminder})
	}
	res.Content = append(res.Content, &sdk.TextContent{Text: string(text)})
	return res
}
