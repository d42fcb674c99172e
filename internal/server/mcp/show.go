package mcp

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/op/summary"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// withExplain adds the explain argument to the schema of show.
func withExplain(s *jsonschema.Schema) {
	s.Properties["explain"] = &jsonschema.Schema{Type: "boolean", Description: "why it is (not) ready, claimable, closable"}
	s.Properties["full"] = &jsonschema.Schema{Type: "boolean", Description: "nothing cut; every tool takes it"}
}

func (s *Server) show(ctx context.Context, args arguments) (op.Reply, error) {
	if err := args.object("give id"); err != nil {
		return op.Reply{}, err
	}
	explain, args, err := args.flag("explain")
	if err != nil {
		return op.Reply{}, err
	}
	reply, err := s.call(ctx, op.Show.Op, args)
	b, ok := reply.Out.(*bundle.Bundle)
	if err != nil || !ok || b == nil {
		return reply, err
	}
	also := summary.Shown{Bundle: b} // one tool for both: a caller who looks at a task that it cannot have wants to know why
	for _, text := range s.stale(b, nil) {
		also.Stale = append(also.Stale, hint.Advice(text))
	}
	if explain {
		x, err := op.Explain.Do(ctx, s.opts.Ops, core.TaskIn{Task: string(b.Task.ID)})
		if err != nil {
			return op.Reply{}, err
		}
		also.Explain = &x
	}
	reply.Out = also
	return reply, nil
}

func (s *Server) stale(b *bundle.Bundle, missing []string) []fault.Text {
	if s.opts.Stale == nil {
		return nil
	}
	return s.opts.Stale(b, missing)
}

// staleToo adds the task's stale evidence to a refusal of done; it returns any other error, and nil, as it is.
func (s *Server) staleToo(ctx context.Context, in any, refusal error) error {
	m, ok := in.(work.MoveIn)
	if !ok || m.To != string(task.Done) || s.opts.Stale == nil || !fault.Is(refusal, fault.Declined) {
		return refusal
	}
	b, err := op.Show.Do(ctx, s.opts.Ops, reading.ShowIn{Task: m.Task})
	if err != nil {
		return refusal
	}
	refused := fault.Of(refusal)
	return refused.AndHint(s.stale(b, refused.Missing)...)
}
