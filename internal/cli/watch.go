package cli

import (
	"context"
	"errors"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// errRepaint ends a stream when there is something new to paint.
var errRepaint = errors.New("something happened")

// watch paints, and paints again whenever an event arrives, until the command is stopped.
func (f *factory) watch(ctx context.Context, in core.EventsIn, paint func(context.Context) error) error {
	if f.flags.json {
		return fault.Bad("--watch is for people: it cannot go with --json").WithHint("follow the log instead: tasker events --follow --json")
	}
	ctx, stop := f.p.Stop(ctx)
	defer stop()
	from, err := f.before(ctx, core.EventsIn{})
	if err != nil {
		return err
	}
	for {
		f.out.clear()
		if err := paint(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		if err := f.out.failed(); err != nil {
			return err // the reader is gone
		}
		err := f.stream(ctx, in, from, func(events []task.Event) error {
			from = events[len(events)-1].ID
			return errRepaint
		})
		if ctx.Err() != nil {
			return nil
		}
		if !errors.Is(err, errRepaint) {
			return err
		}
	}
}
