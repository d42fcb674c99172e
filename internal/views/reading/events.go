package reading

import (
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// EventsIn filters the log.
type EventsIn struct {
	Project  string `query:"project"`
	Task     string `query:"task" about:"only events of this task"`
	Since    string `query:"since" about:"events from this time on (RFC 3339, a date, or seconds or milliseconds since 1970); racy, page with since_id"`
	SinceID  *int64 `query:"since_id" about:"events after this id"`
	BeforeID *int64 `query:"before_id" about:"events before this id; without since and since_id the newest of them"`
	Kind     string `query:"kind" about:"only events of this kind"`
	By       string `query:"by" about:"only events of this actor"`
	Limit    *int   `query:"limit"`
}

// Events returns events, oldest first: those after since_id or since, or else the newest; with before_id, only those
// before it. A page of large events may have fewer than the limit; only an empty page means the end of the log.
func (s *Service) Events(ctx context.Context, in EventsIn) ([]task.Event, error) {
	limit, err := core.LimitOr(in.Limit, core.DefaultEventsLimit)
	if err != nil {
		return nil, err
	}
	q, err := eventQuery(in)
	if err != nil {
		return nil, err
	}
	q.Limit, q.Bytes = limit, core.PageBytes
	return core.Read(ctx, s.Env, func(tx *store.Tx) ([]task.Event, error) {
		q := q
		if err := scope(ctx, tx, in, &q); err != nil {
			return nil, err
		}
		start, err := tx.LogStart()
		switch {
		case err != nil:
			return nil, err
		case q.SinceID != nil && *q.SinceID < start.First-1, q.BeforeID != nil && *q.BeforeID < start.First,
			q.Since != 0 && q.Since <= start.Until:
			return nil, core.Pruned(start)
		}
		if q.SinceID != nil {
			if gap, err := tx.Gap(*q.SinceID); err != nil || gap != nil {
				if err == nil {
					err = core.InGap(*gap)
				}
				return nil, err
			}
		}
		q.From = start.First
		return tx.Events(q)
	})
}

// eventQuery checks the filters that can be checked without the database.
func eventQuery(in EventsIn) (query.Events, error) {
	q := query.Events{SinceID: in.SinceID, BeforeID: in.BeforeID, Kind: in.Kind, By: in.By}
	if in.SinceID != nil && *in.SinceID < 0 {
		return q, fault.Bad("since_id is %d", *in.SinceID).WithMissing(fault.Parameter("since_id")).
			WithHint("the id of the last event you have seen, or 0 for all")
	}
	if in.BeforeID != nil && *in.BeforeID < 1 {
		return q, fault.Bad("before_id is %d", *in.BeforeID).WithMissing(fault.Parameter("before_id")).
			WithHint("the id of the first event you have seen")
	}
	if in.Since != "" {
		var err error
		if q.Since, err = core.ParseSince(in.Since); err != nil {
			return q, err
		}
	}
	if in.Kind != "" && !slices.Contains(task.Kinds, task.Kind(in.Kind)) {
		return q, fault.Bad("%q is not a kind of event", in.Kind).WithMissing(fault.Parameter("kind")).WithHint("one of %s", words.List(task.Kinds))
	}
	return q, nil
}

// scope limits the query to the named project and task, which must exist.
func scope(ctx context.Context, tx *store.Tx, in EventsIn, q *query.Events) error {
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
	_, id, err := core.Below(ctx, tx, in.Project, in.Task)
	q.Task = id
	return err
}
