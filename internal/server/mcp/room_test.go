package mcp_test

import (
	"context"
	"testing"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/server/mcp"
)

// TestAnAnswerForWhichThereIsNoRoomIsRefused counts the memory of answers: without room, a read is refused as on every
// route, and a write is still answered.
func TestAnAnswerForWhichThereIsNoRoomIsRefused(t *testing.T) {
	p := newPlace(t, smallPlan)
	asked := int64(0)
	counting := func(ctx context.Context, _ string) (context.Context, error) {
		ctx = as("worker")(ctx)
		c := core.CallerOf(ctx)
		c.Charge = func(bytes int64) error {
			asked += bytes
			return fault.Unready("there is no room for this")
		}
		return core.WithCaller(ctx, c), nil
	}
	c := &client{t, connected(t, mcp.Options{Ops: p.ops(), Version: "1.2.3", Acting: counting})}
	if f := c.refusal("tasker_list", object{"project": "demo"}); f.Error != "unavailable" || asked < 500 {
		t.Errorf("a list is answered with %+v, after %d bytes", f, asked)
	}
	c.answer("tasker_note", object{"id": "demo-1", "text": "it is written"})
}
