package app

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// feed delivers the stream of events to the faces, page by page.
type feed struct{ reading *reading.Service }

// Newest returns the id of the newest event.
func (f feed) Newest(ctx context.Context) (int64, error) { return f.reading.Newest(ctx, core.None{}) }

// Follow passes every event after from to send, in order, until ctx ends or send fails.
func (f feed) Follow(ctx context.Context, in reading.EventsIn, from int64, send func([]task.Event) error) error {
	for page, err := range f.reading.Follow(ctx, reading.FollowIn{EventsIn: in, From: from}) {
		if err != nil {
			return err
		}
		if err := send(page); err != nil {
			return err
		}
	}
	return nil
}
