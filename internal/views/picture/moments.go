package picture

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// MomentsIn asks for the moments of a project around one: the moment after an event, or now.
type MomentsIn struct {
	Slug string
	At   *int64
}

// MomentsOut holds the events used to step through the history of a project. An event that does not exist is zero.
type MomentsOut struct {
	First, Newest      int64 // of the project
	At                 task.Time
	WeekBack, DayBack  int64 // the newest events a week and a day earlier
	DayOn, WeekOn      int64
	Previous, Followed int64 // the events before and after it
	Mark               int64 // the newest event that the reader has marked as seen
}

// Moments returns the moments of a project around one.
func (s *Service) Moments(ctx context.Context, in MomentsIn) (MomentsOut, error) {
	return within(ctx, s.Env, in.Slug, nil, func(sc scene) (MomentsOut, error) {
		var out MomentsOut
		ends, err := sc.event(query.Events{SinceID: new(int64)})
		if err != nil {
			return out, err
		}
		out.First = ends.ID
		if ends, err = sc.event(query.Events{}); err != nil {
			return out, err
		}
		out.Newest, out.At = ends.ID, sc.View.Now()
		if out.Mark, err = inboxdb.Mark(sc.Tx, sc.Actor.Name); err != nil {
			return out, err
		}
		if err := core.LogHas(sc.Tx, out.Mark); fault.Is(err, fault.Gone) {
			out.Mark = 0
		} else if err != nil {
			return out, err
		}
		if in.At != nil {
			if err := sc.around(*in.At, &out); err != nil {
				return out, err
			}
		}
		const day = 24 * 3600 * 1000
		for _, m := range []struct {
			ms int64
			to *int64
		}{{-7 * day, &out.WeekBack}, {-day, &out.DayBack}, {day, &out.DayOn}, {7 * day, &out.WeekOn}} {
			if at := out.At.Add(m.ms); at <= sc.View.Now() {
				if *m.to, err = sc.upTo(at); err != nil {
					return out, err
				}
			}
		}
		return out, nil
	})
}

// around finds the events before and after an event.
func (s scene) around(at int64, out *MomentsOut) error {
	before, err := s.event(query.Events{BeforeID: new(at + 1)})
	if err != nil {
		return err
	}
	out.At = before.At
	if before, err = s.event(query.Events{BeforeID: &before.ID}); err != nil {
		return err
	}
	after, err := s.event(query.Events{SinceID: &at})
	out.Previous, out.Followed = before.ID, after.ID
	return err
}

// event returns the first event of the project that a query finds, or the zero event.
func (s scene) event(q query.Events) (task.Event, error) {
	q.Project, q.Limit = s.Project.Slug, 1
	found, err := s.View.Events(q)
	if err != nil || len(found) == 0 {
		return task.Event{}, err
	}
	return found[0], nil
}

// upTo returns the newest event of the project at a moment, or zero if there is none or the log does not reach that far
// back.
func (s scene) upTo(at task.Time) (int64, error) {
	next, err := s.event(query.Events{Since: at + 1})
	if err != nil {
		return 0, err
	}
	q := query.Events{}
	if next.ID != 0 {
		q.BeforeID = &next.ID
	}
	last, err := s.event(q)
	if err == nil {
		err = core.LogHas(s.Tx, last.ID)
	}
	if fault.Is(err, fault.Gone) {
		return 0, nil
	}
	return last.ID, err
}
