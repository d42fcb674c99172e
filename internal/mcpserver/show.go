package mcpserver

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/view"
)

// shown is a task's bundle, with the explanation beside it where it was asked for: one tool for both, since who looks at
// a task that it cannot have wants to know why.
type shown struct {
	*core.Bundle
	Explain *view.ExplainOut `json:"explain,omitzero"`
}

// withExplain adds to the schema of show that it can explain.
func withExplain(s *jsonschema.Schema) {
	s.Properties["explain"] = &jsonschema.Schema{Type: "boolean", Description: "also say why it is or is not ready, yours to claim, closable"}
}

func (s *Server) show(ctx context.Context, args []byte) (any, error) {
	given := map[string]jsontext.Value{}
	if len(args) > 0 {
		if err := json.Unmarshal(args, &given); err != nil {
			return nil, fault.Bad("the arguments must be one object, without a name twice").WithHint("give id")
		}
	}
	explain := string(given["explain"])
	delete(given, "explain")
	if explain != "" && explain != "true" && explain != "false" && explain != "null" {
		return nil, fault.Bad("the argument explain must be true or false").WithMissing("argument explain").WithHint("write true or false")
	}
	out, err := s.call(ctx, op.Show.Op, given)
	if err != nil || explain != "true" {
		return out, err
	}
	b, ok := out.(*core.Bundle)
	if !ok || b == nil {
		return out, nil
	}
	x, err := op.Explain.Do(ctx, s.opts.Ops, view.TaskIn{Task: string(b.Task.ID)})
	if err != nil {
		return nil, err
	}
	return shown{b, &x}, nil
}
