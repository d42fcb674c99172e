package reading

import (
	"context"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/task"
)

// A page ends early where its records are large. A command shows as many as were asked for all the same: it goes on from the
// end of each page.

// tasksOf returns the tasks of a list, as many as its limit.
func tasksOf(ctx context.Context, f *frame.Factory, in reading.ListIn) (reading.ListOut, error) {
	out, err := frame.Call(ctx, f, op.List, in)
	limit, bad := core.LimitOr(in.Limit, core.DefaultLimit)
	if err != nil || bad != nil {
		return out, err
	}
	for len(out.Tasks) < limit && out.NextCursor != "" {
		left := limit - len(out.Tasks)
		in.Cursor, in.Limit = string(out.NextCursor), &left
		more, err := frame.Call(ctx, f, op.List, in)
		if err != nil {
			return out, err
		}
		out.Tasks, out.NextCursor = append(out.Tasks, more.Tasks...), more.NextCursor
	}
	return out, nil
}

// eventsOf returns events of the log, as many as its limit, oldest first.
func eventsOf(ctx context.Context, f *frame.Factory, in reading.EventsIn) ([]task.Event, error) {
	out, err := frame.Call(ctx, f, op.Events, in)
	limit, bad := core.LimitOr(in.Limit, core.DefaultEventsLimit)
	if err != nil || bad != nil {
		return out, err
	}
	forward := in.SinceID != nil || in.Since != ""
	for got := len(out); got > 0 && len(out) < limit; {
		left := limit - len(out)
		in.Limit = &left
		if forward {
			in.SinceID = &out[len(out)-1].ID
		} else {
			in.BeforeID = &out[0].ID
		}
		more, err := frame.Call(ctx, f, op.Events, in)
		if err != nil {
			return out, err
		}
		if got = len(more); forward {
			out = append(out, more...)
		} else {
			out = append(more, out...)
		}
	}
	return out, nil
}
