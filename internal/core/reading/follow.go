package reading

import (
	"context"
	"iter"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// FollowIn asks for the events past one, as they happen. A stream has no Since, BeforeID or Limit.
type FollowIn struct {
	EventsIn
	From int64 // the last event that is known already
}

// Follow streams every event past in.From in order, in pages as they become visible, until ctx ends. It skips none,
// however many writers there are: ids become visible in order. A fault is the last item.
func (s *Service) Follow(ctx context.Context, in FollowIn) iter.Seq2[[]task.Event, error] {
	return func(yield func([]task.Event, error) bool) {
		const page = 500
		q, err := eventQuery(in.EventsIn)
		if err != nil {
			yield(nil, err)
			return
		}
		q.Since, q.BeforeID, q.Limit, q.Bytes = 0, nil, page, core.StreamBytes
		from := in.From
		for {
			events, newest, err := s.page(ctx, in.EventsIn, q, from)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(events) > 0 {
				from = events[len(events)-1].ID
				if !yield(events, nil) {
					return
				}
				if from < newest { // the page may have been cut
					continue
				}
			}
			// What the filter left out of this snapshot is passed for good.
			from = max(from, newest)
			if err := s.Store.Wait(ctx, from); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// page returns the events past from that are visible now, and the id of the newest of all.
func (s *Service) page(ctx context.Context, in EventsIn, q query.Events, from int64) (events []task.Event, newest int64, err error) {
	err = s.Store.Read(ctx, func(tx *core.ReadTx) error {
		q := q
		if err := scope(ctx, tx, in, &q); err != nil {
			return err
		}
		q.SinceID = &from
		newest = tx.Log.LastEvent()
		events, err = tx.Log.Events(q)
		return err
	})
	return events, newest, err
}

// Newest returns the id of the newest event: where a stream that names no start begins.
func (s *Service) Newest(ctx context.Context, _ core.None) (int64, error) {
	return core.Read(ctx, s.Env, func(tx *core.ReadTx) (int64, error) { return tx.Log.LastEvent(), nil })
}
