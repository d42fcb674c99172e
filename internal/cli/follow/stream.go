package follow

import (
	"context"

	"tasker/internal/cli/frame"
	"tasker/internal/core/reading"
	"tasker/internal/op"
)

// Start returns the id of the event after which a follower begins: that of --since-id, else of the newest event.
func Start(ctx context.Context, f *frame.Factory, in reading.EventsIn) (int64, error) {
	if in.SinceID != nil {
		return *in.SinceID, nil
	}
	one := 1
	newest, err := frame.Call(ctx, f, op.Events, reading.EventsIn{Limit: &one})
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	return newest[0].ID, nil
}
