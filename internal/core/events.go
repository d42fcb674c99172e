package core

import (
	"context"
	"slices"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// Events reads the log, oldest first: what came after since_id or since, else the newest; of what is before before_id.
func (s *Services) Events(ctx context.Context, in EventsIn) ([]task.Event, error) {
	limit, err := limitOf(in.Limit, defaultEventsLimit)
	if err != nil {
		return nil, err
	}
	q, err := eventQuery(in)
	if err != nil {
		return nil, err
	}
	q.Limit = limit
	return read(ctx, s, func(tx ReadTx) ([]task.Event, error) {
		q := q
		if err := scope(ctx, tx, in, &q); err != nil {
			return nil, err
		}
		return tx.Events(q)
	})
}

// Follow hands every event past from to send, in order, as it becomes visible, until ctx ends or send fails. It
// skips none, however many writers there are: ids become visible in order.
func (s *Services) Follow(ctx context.Context, in EventsIn, from int64, send func([]task.Event) error) error {
	const page = 500
	q, err := eventQuery(in)
	if err != nil {
		return err
	}
	q.Since, q.BeforeID, q.Limit = 0, nil, page
	for {
		var events []task.Event
		var newest int64
		err := s.Store.Read(ctx, func(tx ReadTx) error {
			q := q
			if err := scope(ctx, tx, in, &q); err != nil {
				return err
			}
			q.SinceID = &from
			var err error
			newest = tx.LastEvent()
			events, err = tx.Events(q)
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
func (s *Services) Newest(ctx context.Context) (int64, error) {
	return read(ctx, s, func(tx ReadTx) (int64, error) { return tx.LastEvent(), nil })
}

// eventQuery checks the filters that can be checked without looking.
func eventQuery(in EventsIn) (task.EventQuery, error) {
	q := task.EventQuery{SinceID: in.SinceID, BeforeID: in.BeforeID, Kind: in.Kind, By: in.By}
	if in.SinceID != nil && *in.SinceID < 0 {
		return q, fault.Bad("since_id is %d", *in.SinceID).WithHint("the id of the last event you have seen, or 0 for all")
	}
	if in.BeforeID != nil && *in.BeforeID < 1 {
		return q, fault.Bad("before_id is %d", *in.BeforeID).WithHint("the id of the first event you have seen")
	}
	if in.Since != "" {
		var err error
		if q.Since, err = ParseSince(in.Since); err != nil {
			return q, err
		}
	}
	if in.Kind != "" && !slices.Contains(task.Kinds, task.Kind(in.Kind)) {
		names := make([]string, len(task.Kinds))
		for i, k := range task.Kinds {
			names[i] = string(k)
		}
		return q, fault.Bad("%q is not a kind of event", in.Kind).WithHint("one of %s", strings.Join(names, ", "))
	}
	return q, nil
}

// ParseSince reads the time since which something is asked for.
func ParseSince(s string) (task.Time, error) {
	var at time.Time
	if len(s) > 40 || at.UnmarshalText([]byte(s)) != nil {
		return 0, fault.Bad("since %q is not a time", s).WithHint("an RFC 3339 time such as 2026-03-31T17:00:00Z")
	}
	return task.TimeOf(at), nil
}

// scope narrows the query to the project and task that are named, which must be there.
func scope(ctx context.Context, tx ReadTx, in EventsIn, q *task.EventQuery) error {
	if in.Project != "" {
		p, err := tx.Project(in.Project)
		if err != nil {
			return err
		}
		q.Project = p.Slug
	}
	if in.Task == "" {
		return nil
	}
	_, id, err := below(ctx, tx, in.Project, in.Task)
	q.Task = id
	return err
}
