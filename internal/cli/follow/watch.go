package follow

import (
	"context"
	"errors"
	"slices"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// Watch is the flag --watch.
func Watch(watch *bool) frame.Flag {
	return frame.Bool(watch, "watch", "paint it again whenever something happens")
}

// Paint paints once or, with watch, again whenever an event arrives, until the command is stopped.
func Paint(ctx context.Context, f *frame.Factory, watch bool, in reading.EventsIn, paint func(context.Context) error) error {
	if !watch {
		return paint(ctx)
	}
	if f.Flags.JSON {
		return fault.Bad("--watch is for people: it cannot go with --json").WithHint("follow the log instead: %s", hint.Here("events --follow --json"))
	}
	f.Repaints = true
	ctx, stop := f.Stop(ctx)
	defer stop()
	from, err := Start(ctx, f, reading.EventsIn{})
	if err != nil {
		return err
	}
	for {
		f.Out.Clear()
		if err := paint(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		if err := f.Out.Err(); err != nil {
			return err // the reader is gone
		}
		from, err = Until(ctx, f, in, from, Any)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// errEnough ends a stream.
var errEnough = errors.New("it is enough")

// Until follows the log from an event on until one that is enough, and returns the id of the newest event that it has seen.
func Until(ctx context.Context, f *frame.Factory, in reading.EventsIn, from int64, enough func(task.Event) bool) (int64, error) {
	err := f.Follow(ctx, in, from, func(events []task.Event) error {
		from = events[len(events)-1].ID
		if slices.ContainsFunc(events, enough) {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return from, nil
	}
	return from, err
}

// Any is the choice of Until for which every event is enough.
func Any(task.Event) bool { return true }

// Start returns the id of the event after which a follower begins: --since-id, or else the newest event.
func Start(ctx context.Context, f *frame.Factory, in reading.EventsIn) (int64, error) {
	if in.SinceID != nil {
		return *in.SinceID, nil
	}
	newest, err := frame.Call(ctx, f, op.Events, reading.EventsIn{Limit: new(1)})
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	return newest[0].ID, nil
}
