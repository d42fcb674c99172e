package follow

import (
	"context"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/op"
)

// Start is the id after which a follower goes on where its first page is empty.
func Start(ctx context.Context, f *frame.Factory, in core.EventsIn) (int64, error) {
	if in.SinceID != nil {
		return *in.SinceID, nil
	}
	one := 1
	newest, err := frame.Call(ctx, f, op.Events, core.EventsIn{Limit: &one})
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	return newest[0].ID, nil
}
