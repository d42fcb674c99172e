package mcp

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

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
func (s *Server) wait(ctx context.Context, args arguments) (op.Reply, error) {
	if err := args.object("give for, and id unless it is work"); err != nil {
		return op.Reply{}, err
	}
	span := waitFor
	if text := args.given["seconds"]; text != nil {
		var n int
		if err := json.Unmarshal(text, &n); err != nil || n < 0 || time.Duration(n)*time.Second > longestWait {
			return op.Reply{}, fault.Bad("the argument seconds must be a whole number from 0 to 50").WithMissing("argument seconds").
				WithHint("wait again if it was too short")
		}
		span = time.Duration(n) * time.Second
		args = args.without("seconds")
	}
	what := args.text("for")
	planned := what != forWork || args.has("project") // what it waits for is in an existing plan, or the call names the plan
	look := func() (op.Reply, bool, error) {
		reply, err := s.call(ctx, op.Met.Op, args)
		met, _ := reply.Out.(work.MetOut)
		return reply, met.Met, err
	}
	switch what {
	case forWork:
		peek := argumentsOf(nil)
		if args.has("project") {
			peek = peek.with("project", args.given["project"])
		}
		look = func() (op.Reply, bool, error) {
			peek, err := s.filled(ctx, op.Peek.Op, peek)
			if err != nil {
				return op.Reply{}, false, err
			}
			reply, err := s.call(ctx, op.Peek.Op, peek)
			next, _ := reply.Out.(work.NextOut)
			reply.Out = waited{Met: next.Task != nil, Next: next}
			return reply, next.Task != nil, err
		}
	case forNews:
		who, err := s.inProject(ctx, args.without("for"), false)
		if err != nil {
			return op.Reply{}, err
		}
		look = func() (op.Reply, bool, error) {
			reply, err := s.call(ctx, op.Whoami.Op, who)
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
