package work

import (
	"context"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// RunnerIn is what a runner says of itself.
type RunnerIn struct {
	Slug    string   `path:"slug" json:"-"`
	Host    string   `json:"host"`
	State   string   `json:"state" about:"working, idle, paused or stopped"`
	Workers int      `json:"workers"`
	Tasks   []string `json:"tasks,omitzero" about:"that it works on; of one that stopped by itself: because of which"`
	Until   *string  `json:"until,omitzero" about:"when a pause or a wait ends"`
	Why     *string  `json:"why,omitzero" about:"why it pauses, or why it stopped by itself"`
}

// Runners records where a runner of the caller stands. Only a change of its state is an event; the rest says that it still
// runs.
func (s *Service) Runners(ctx context.Context, in RunnerIn) (task.Runner, error) {
	r := task.Runner{Actor: core.CallerOf(ctx).Actor.Full(), Host: in.Host, State: task.RunnerState(in.State), Workers: in.Workers}
	if in.Until != nil {
		at, err := time.Parse(time.RFC3339, *in.Until)
		if err != nil {
			return task.Runner{}, fault.Bad("until %q is not a time", words.Cut(*in.Until, 40)).WithMissing("until").
				WithHint("an RFC 3339 time such as 2026-03-31T17:00:00Z")
		}
		r.Until = max(task.TimeOf(at), 1)
	}
	if in.Why != nil {
		r.Why = task.Opt(*in.Why)
	}
	for _, id := range in.Tasks {
		if slug, _, ok := task.ParseID(id); !ok || slug != in.Slug {
			return task.Runner{}, fault.Bad("%q is not the id of a task of %s", id, in.Slug).WithMissing("tasks").WithHint("an id looks like %s-4", in.Slug)
		}
		r.Tasks = append(r.Tasks, task.ID(id))
	}
	if err := r.Check(); err != nil {
		return task.Runner{}, err
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (task.Runner, error) {
		p, err := tx.Project(in.Slug)
		if err != nil {
			return r, err
		}
		if err := core.Writable(p); err != nil {
			return r, err
		}
		if r.Until > tx.Now().Add(task.MaxLeaseMs) { // a runner that was killed is shown until then
			return r, fault.Bad("until is more than 366 days away").WithMissing("until").WithHint("a time within the next 366 days")
		}
		before, err := tx.Runner(p.Slug, r.Actor, r.Host)
		if err != nil {
			return r, err
		}
		said, kind := r.After(before, tx.Now())
		if kind == "" {
			return said, tx.SaveRunner(p.Slug, said)
		}
		return said, tx.SaveRunner(p.Slug, said, task.Draft{Kind: kind, Payload: said.Payload()})
	})
}
