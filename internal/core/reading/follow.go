package reading

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
)

// Follow hands every event past from to send, in order, as it becomes visible, until ctx ends or send fails. It
// skips none, however many writers there are: ids become visible in order.
func (s *Service) Follow(ctx context.Context, in EventsIn, from int64, send func([]task.Event) error) error {
	const page = 500
	q, err := eventQuery(in)
	if err != nil {
		return err
	}
	q.Since, q.BeforeID, q.Limit = 0, nil, page
	for {
		var events []task.Event
		var newest int64
		err := s.Store.Read(ctx, func(tx *core.ReadTx) error {
			q := q
			if err := scope(ctx, tx, in, &q); err != nil {
				return err
			}
			q.SinceID = &from
			var err error
			newest = tx.Log.LastEvent()
			events, err = tx.Log.Events(q)
			return err
		})
		if err != nil {
			return err
		}
		if len(events) > 0 {
			if err := send(events); err != nil {
				return err
			}
		}
		if len(events) == page {
			from = events[page-1].ID
			continue
		}
		// What the filter left out of this snapshot is passed for good.
		from = max(from, newest)
		if err := s.Store.Wait(ctx, from); err != nil {
			return err
		}
	}
}

// Newest is the id of the newest event: where a stream that names no start begins.
func (s *Service) Newest(ctx context.Context) (int64, error) {
	return core.Read(ctx, s.Env, func(tx *core.ReadTx) (int64, error) { return tx.Log.LastEvent(), nil })
}
