package mcp_test

import (
	"context"
	"sync/atomic"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/server/mcp"
)

// late is a caller that finds no plan when it first looks for work.
type late struct {
	op.Caller
	looked atomic.Int32
}

func (l *late) Call(ctx context.Context, o *op.Op, in any) (op.Reply, error) {
	if o == op.Peek.Op && l.looked.Add(1) == 1 {
		return op.Reply{}, fault.Missing("there is no plan yet")
	}
	return l.Caller.Call(ctx, o, in)
}

func TestWhoWaitsForWorkWaitsForThePlanToo(t *testing.T) {
	p := newPlace(t, smallPlan)
	c := &client{t, connected(t, mcp.Options{Ops: &late{Caller: p.ops()}, Version: "1.2.3", Acting: acting("bot")})}
	if out := c.answer("tasker_wait", object{"for": "work", "seconds": 30}); get(out, "met") != true {
		t.Errorf("the plan came, and the answer is %v", out)
	}
	none := &client{t, connected(t, mcp.Options{Ops: &late{Caller: p.ops()}, Version: "1.2.3", Acting: acting("bot")})}
	if f := none.refusal("tasker_wait", object{"for": "work", "seconds": 0}); f.Message != "there is no plan yet" {
		t.Errorf("no plan came, and the refusal is %q", f.Message)
	}
	named := &client{t, connected(t, mcp.Options{Ops: &late{Caller: p.ops()}, Version: "1.2.3", Acting: acting("bot")})}
	if f := named.refusal("tasker_wait", object{"for": "work", "project": "demo", "seconds": 30}); f.Message != "there is no plan yet" {
		t.Errorf("a project that is named is not waited for, and the refusal is %q", f.Message)
	}
}
