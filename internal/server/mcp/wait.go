package mcp

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/work"
)

// The tool that waits: clients of tools cannot follow the log, and would poll at their model's expense.

const (
	waitFor     = 30 * time.Second // unless a call says otherwise
	longestWait = 50 * time.Second // clients give up on a call after a minute
	waitStep    = time.Second      // between two checks
)

// What a waiter without a task waits for.
const (
	forWork = "work"
	forNews = "news"
)

// waitForm extends the schema of waiting for a task to waiting for work.
func waitForm(s *jsonschema.Schema) {
	s.Required = []string{"for"}
	delete(s.Properties, "question")
	s.Properties["for"] = &jsonschema.Schema{Type: "string", Enum: []any{forWork, forNews, work.ForDone, work.ForReady, work.ForAnswered}}
	s.Properties["id"] = &jsonschema.Schema{Type: "string", Description: "the task, except for work and news"}
	s.Properties["seconds"] = &jsonschema.Schema{Type: "integer", Description: "at most 50"}
}

// wait answers as soon as what the call waits for has happened, or when its time is over.
func (s *Server) wait(ctx context.Context, args []byte) (op.Reply, error) {
	given := map[string]jsontext.Value{}
	if len(args) > 0 {
		if err := json.Unmarshal(args, &given); err != nil {
			return op.Reply{}, fault.Bad("the arguments must be one object, without a name twice").WithHint("give for, and id unless it is work")
		}
	}
	span := waitFor
	if text, there := given["seconds"]; there {
		var n int
		if err := json.Unmarshal(text, &n); err != nil || n < 0 || time.Duration(n)*time.Second > longestWait {
			return op.Reply{}, fault.Bad("the argument seconds must be a whole number from 0 to 50").WithMissing("argument seconds").
				WithHint("wait again where it was too short")
		}
		span = time.Duration(n) * time.Second
		delete(given, "seconds")
	}
	planned := string(given["for"]) != `"`+forWork+`"` // what it waits for is in an existing plan, or the call names the plan
	look := func() (op.Reply, bool, error) {
		reply, err := s.call(ctx, op.Met.Op, given)
		met, _ := reply.Out.(work.MetOut)
		return reply, met.Met, err
	}
	if string(given["for"]) == `"`+forWork+`"` {
		delete(given, "for")
		args = nil
		if named, there := given["project"]; there {
			args, _ = json.Marshal(map[string]jsontext.Value{"project": named}) // it was read as JSON
			planned = true
		}
		look = func() (op.Reply, bool, error) {
			project, err := s.filled(ctx, op.Peek.Op, args)
			if err != nil {
				return op.Reply{}, false, err
			}
			in, err := op.Peek.Op.DecodeArgs(project)
			if err != nil {
				return op.Reply{}, false, err
			}
			reply, err := s.opts.Ops.Call(core.Listens(ctx), op.Peek.Op, in)
			next, _ := reply.Out.(work.NextOut)
			reply.Out = waited{Met: next.Task != nil, Next: next}
			return reply, next.Task != nil, err
		}
	}
	if string(given["for"]) == `"`+forNews+`"` {
		delete(given, "for")
		if given["project"] == nil {
			project, err := s.project(ctx, false)
			if err != nil {
				return op.Reply{}, err
			}
			given["project"], _ = jsontext.AppendQuote(nil, project) // a slug needs no escaping
		}
		look = func() (op.Reply, bool, error) {
			reply, err := s.call(ctx, op.Whoami.Op, given)
			met := len(reply.News.Items) > 0
			reply.Out = heard{Met: met}
			return reply, met, err
		}
	}
	end := time.NewTimer(span)
	defer end.Stop()
	for {
		reply, met, err := look()
		if err != nil && (planned || !fault.Is(err, fault.NotFound)) || met { // a plan that does not exist yet may come
			return reply, err
		}
		select {
		case <-ctx.Done():
			return reply, err
		case <-end.C:
			return reply, err
		case <-time.After(waitStep):
		}
	}
}

// heard is the answer to a caller who waits for news, which come with it.
type heard struct {
	Met bool `json:"met"`
}

// waited is the answer to a caller who waits for work: whether there is some, and otherwise why not.
type waited struct {
	Met  bool         `json:"met"`
	Next work.NextOut `json:"next"`
}
