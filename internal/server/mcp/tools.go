package mcp

import (
	"cmp"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/op"
	"tasker/internal/text/safetext"
	"tasker/internal/views/prime"
)

// instructions are the short manual that a client shows its model at the start.
var instructions = prime.Loop() + "\n" + safetext.Mark

// withheld are arguments that tools do not have: the fence is sent automatically, and an override is for people.
var withheld = []string{"fence", "force"}

// tool is an operation offered as a tool.
type tool struct {
	op     *op.Op
	listed *sdk.Tool
}

// offered makes the tools: the loop's in order, followed, if all is set, by every other operation that has a route.
func offered(all bool) ([]*tool, error) {
	var loop, others []*op.Op
	for _, o := range op.Table {
		switch {
		case o.Method == "":
		case o.Tool.Step > 0:
			loop = append(loop, o)
		case all:
			others = append(others, o)
		}
	}
	slices.SortFunc(loop, func(a, b *op.Op) int { return cmp.Compare(a.Tool.Step, b.Tool.Step) })
	var tools []*tool
	for _, o := range append(loop, others...) {
		t, err := toolOf(o)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}

func toolOf(o *op.Op) (*tool, error) {
	in, err := inSchema(o)
	if err != nil {
		return nil, err
	}
	reads := o.Method == "GET"
	outside := false // every tool works on our own records; clients take a tool that says nothing for one that reaches further
	hints := &sdk.ToolAnnotations{
		ReadOnlyHint: reads, IdempotentHint: reads || o.Tool.Idempotent, OpenWorldHint: &outside,
	}
	if !reads {
		hints.DestructiveHint = &o.Tool.Destructive
	}
	return &tool{op: o, listed: &sdk.Tool{
		Name: o.Tool.Name, Description: o.Tool.About, InputSchema: in, Annotations: hints,
	}}, nil
}
