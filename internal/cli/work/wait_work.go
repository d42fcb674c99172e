package work

import (
	"context"
	"time"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// lookStep is how long a wait for the file of a database sleeps between two looks: nothing tells that a file was made.
const lookStep = 200 * time.Millisecond

// forWork waits until there is something that next would choose, and says what; it claims nothing. Where there is no plan yet it
// waits for that first: an agent is told to wait, and not to invent one.
func (o *waitOptions) forWork(ctx context.Context, f *frame.Factory) error {
	wait := o.timeout.D
	if wait == 0 {
		wait = longest
	}
	ctx, stop := f.Process.Stop(ctx)
	defer stop()
	end := f.Now().Add(wait)
	begun := !f.NoDatabase()
	err := databaseWithin(ctx, f, wait)
	if err != nil {
		return err
	}
	var out work.NextOut
	var unplanned *fault.Error           // why there is no project yet
	if !begun || f.Flags.Project == "" { // else a project that is named and not there is a mistake
		out, unplanned, err = planWithin(ctx, f, end.Sub(f.Now()))
	}
	if err == nil && unplanned == nil && out.Task == nil {
		var project string
		if project, err = f.ProjectWith(ctx); err == nil {
			out, err = nextWithin(ctx, f, work.NextIn{Project: project}, false, frame.LeaseFlag{}, max(end.Sub(f.Now()), time.Nanosecond))
		}
	}
	if err != nil {
		return err
	}
	if err := f.Answer(out, func() {
		switch {
		case unplanned != nil:
			f.Say("%s\n", unplanned.Message)
		case out.Task == nil:
			f.Say("%s\n", render.Idle(f, out.Idle))
		default:
			f.Out.Printf("%s is ready for you: %s\n", out.Task.ID, out.Task.Title)
		}
	}); err != nil || out.Task != nil {
		return err
	}
	return frame.ErrNothing
}

// databaseWithin waits until there is a database, or the time is over. It opens none: a database that is not there is read as an
// empty one, for as long as it is open.
func databaseWithin(ctx context.Context, f *frame.Factory, wait time.Duration) error {
	if !f.NoDatabase() {
		return nil
	}
	tellWaiting(f, "until there is a database at "+f.Database())
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for f.NoDatabase() {
		select {
		case <-waiting.Done():
			return ctx.Err()
		case <-time.After(lookStep):
		}
	}
	return nil
}

// planWithin waits until there is a project to work on, and returns what next would choose in it, or why there is none. Where there
// is one already it only looks.
func planWithin(ctx context.Context, f *frame.Factory, wait time.Duration) (out work.NextOut, unplanned *fault.Error, err error) {
	look := func(ctx context.Context) (bool, task.Time, error) {
		project, err := f.ProjectWith(ctx)
		if err == nil {
			out, err = next(ctx, f, work.NextIn{Project: project}, false, frame.LeaseFlag{})
		}
		if unplanned = nil; fault.Is(err, fault.NotFound) {
			unplanned = fault.Of(err)
			return false, 0, nil
		}
		return true, 0, err
	}
	if there, _, err := look(ctx); there || err != nil {
		return out, nil, err
	}
	tellWaiting(f, "until there is a plan; now "+unplanned.Message)
	err = follow.Await(ctx, f, "", wait, look)
	return out, unplanned, err
}
