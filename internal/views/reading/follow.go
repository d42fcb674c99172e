package reading

import (
	"context"
	"iter"
	"time"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// FollowIn asks for the events after one, as they happen. A stream has no Since, BeforeID or Limit.
type FollowIn struct {
	EventsIn
	From int64 // the last event that the caller already knows
}

// Follow streams every event after in.From in order, in pages as they become visible, until ctx ends. It skips none,
// however many writers there are: ids become visible in order. If the database is restored in the meantime, it continues
// with the event of the restore and what follows it. A fault is the last item.
func (s *Service) Follow(ctx context.Context, in FollowIn) iter.Seq2[[]task.Event, error] {
	return func(yield func([]task.Event, error) bool) {
		const page = 500
		q, err := eventQuery(in.EventsIn)
		if err != nil {
			yield(nil, err)
			return
		}
		uncharged := core.Uncharged(ctx) // the writer of the pages counts them, one at a time
		q.Since, q.BeforeID, q.Limit, q.Bytes = 0, nil, page, core.StreamBytes
		at := standpoint{from: in.From}
		for {
			events, newest, err := s.page(uncharged, in.EventsIn, q, &at)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(events) > 0 {
				at.from = events[len(events)-1].ID
				if !yield(events, nil) {
					return
				}
				if at.from < newest { // the page may have been cut
					continue
				}
			}
			// Events of this snapshot that the filter left out are never read again.
			at.from = max(at.from, newest)
			if err := s.Store.Wait(ctx, at.from); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// standpoint is the position of a stream: after which event, in the log of which generation of the database. Generation 0
// means that it has just begun.
type standpoint struct{ from, generation int64 }

// page returns the events after a position that are visible now, and the id of the newest event of all. If the database
// was restored since, the stream starts over with the event of the restore.
func (s *Service) page(ctx context.Context, in EventsIn, q query.Events, at *standpoint) (events []task.Event, newest int64, err error) {
	err = s.Snapshot(ctx, func(tx *store.Tx) error {
		q, now := q, *at
		now.generation, newest = tx.Generation(), tx.LastEvent()
		gap, err := tx.Gap(at.from)
		if err != nil || gap != nil {
			if err == nil {
				events, *at = []task.Event{*gap.Next}, now
			}
			return err
		}
		if at.generation != 0 && at.generation != now.generation || now.generation > 1 && at.from > newest {
			restored, err := tx.LastRestore()
			if err != nil {
				return err
			}
			if restored != nil {
				events, *at = []task.Event{*restored}, now
				return nil
			}
			now.from = newest // nothing says where to continue
		}
		if err := scope(ctx, tx, in, &q); err != nil {
			return err
		}
		start, err := tx.LogStart()
		switch {
		case err != nil:
			return err
		case now.from < start.First-1:
			return core.Pruned(start)
		}
		q.SinceID = &now.from
		events, err = tx.Events(q)
		*at = now
		return err
	})
	return events, newest, err
}

// Newest returns the id of the newest event: where a stream that names no start begins.
func (s *Service) Newest(ctx context.Context, _ core.None) (int64, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (int64, error) { return tx.LastEvent(), nil })
}

// Turn returns how many milliseconds a page of a project stays true if nothing happens: until half of a lease has passed
// without a write, a lease ends, or a day begins, on which something may be overdue.
func (s *Service) Turn(ctx context.Context, in core.ProjectIn) (int64, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (int64, error) {
		at, err := tx.NextTurn(in.Slug)
		now := tx.Now()
		if tomorrow := task.StartOfDay(now.Day() + 1); at == 0 || at > tomorrow {
			at = tomorrow
		}
		return (at.Go().Sub(now.Go()) + time.Millisecond - 1).Milliseconds(), err
	})
}
