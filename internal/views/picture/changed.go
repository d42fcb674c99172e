package picture

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// ChangedIn asks what happened to the tasks of a project between two events, or since one event.
type ChangedIn struct {
	Slug  string
	Since int64
	At    *int64
}

// ChangedOut lists what happened to each task.
type ChangedOut struct {
	Since int64
	From  task.Time // when that event happened
	Tasks map[task.ID]Change
	More  bool // only the newest events were read
}

// Change is what happened to a task.
type Change struct {
	New      bool
	From, To task.Status // equal if the status did not change
	Events   int
}

// maxChanged limits how many events are read.
const maxChanged = 5_000

// Changed returns what happened to the tasks of a project.
func (s *Service) Changed(ctx context.Context, in ChangedIn) (ChangedOut, error) {
	return within(ctx, s.Env, in.Slug, nil, func(sc scene) (ChangedOut, error) {
		out := ChangedOut{Since: in.Since, Tasks: map[task.ID]Change{}}
		newest := sc.View.LastEvent()
		if in.At != nil {
			newest = *in.At
		}
		if in.Since < 0 || in.Since > newest {
			return out, fault.Bad("since is %d, and no event up to %d has that id", in.Since, newest).WithMissing(fault.Parameter("since")).
				WithHint("the id of an event from 0 to %d", newest)
		}
		if err := core.LogHas(sc.Tx, in.Since); err != nil {
			return out, err
		}
		before, err := sc.event(query.Events{BeforeID: new(in.Since + 1)})
		if err != nil {
			return out, err
		}
		out.From = before.At
		return out, sc.changes(newest+1, &out)
	})
}

// changes reads the events before one, newest first, back to where the question begins.
func (s scene) changes(before int64, out *ChangedOut) error {
	const page = 1_000
	for looked := 0; ; {
		events, err := s.View.Events(query.Events{Project: s.Project.Slug, BeforeID: &before, Limit: page})
		if err != nil {
			return err
		}
		for _, ev := range slices.Backward(events) {
			if ev.ID <= out.Since {
				return nil
			}
			if looked == maxChanged {
				out.More = true
				return nil
			}
			looked, before = looked+1, ev.ID
			if err := out.add(ev); err != nil {
				return err
			}
		}
		if len(events) < page {
			return nil
		}
	}
}

// add adds an event that is older than the ones added so far.
func (o *ChangedOut) add(ev task.Event) error {
	if ev.Task == "" {
		return nil
	}
	id := task.ID(ev.Task)
	c := o.Tasks[id]
	c.Events++
	var p struct {
		From   task.Status `json:"from"`
		To     task.Status `json:"to"`
		Status struct {
			From task.Status `json:"from"`
			To   task.Status `json:"to"`
		} `json:"status"`
	}
	switch ev.Kind {
	case task.TaskCreated:
		c.New = true
	case task.TaskMoved, task.TaskClaimed, task.ClaimReleased, task.ClaimExpired:
		if err := json.Unmarshal(ev.Payload, &p); err != nil {
			return err
		}
		from, to := p.Status.From, p.Status.To
		if ev.Kind == task.TaskMoved {
			from, to = p.From, p.To
		}
		if c.From = from; c.To == "" {
			c.To = to
		}
	default:
	}
	o.Tasks[id] = c
	return nil
}
