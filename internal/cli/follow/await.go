package follow

import (
	"context"
	"slices"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// freeing are the kinds of events that may make work available.
var freeing = []task.Kind{
	task.TaskCreated, task.TaskUpdated, task.TaskMoved, task.ClaimReleased, task.ClaimExpired,
	task.QuestionAnswered, task.QuestionWithdrawn, task.PlanApplied, task.ProjectCreated, task.ProjectUpdated, task.ProjectRenamed, task.ProjectArchived,
}

// newsKinds are the kinds of events that may be news for an actor that holds a task or asked a question.
var newsKinds = []task.Kind{
	task.NoteAdded, task.DecisionRecorded, task.DecisionWithdrawn, task.ApprovalGiven, task.TaskUpdated, task.TaskMoved, task.CriterionChecked,
	task.CriterionUnchecked, task.QuestionAnswered, task.GuidanceDrifted,
}

// Try is one attempt. It reports whether it is done and, if not, when to try again even without an event (0: never).
// The end of a lease, for example, writes no event by itself.
type Try func(context.Context) (done bool, again task.Time, err error)

// Await calls try until it is done: at once, after every event in the project that may make a difference, and at the
// time that try returns. In between it sleeps; it follows the log and does not poll. It also returns nil when the
// waiting time is over, and the error of the context when the process is told to stop.
func Await(ctx context.Context, f *frame.Factory, project string, wait time.Duration, try Try) error {
	return await(ctx, f, project, wait, freeing, try)
}

// AwaitNews is Await for an actor that waits for what others do with the tasks it holds.
func AwaitNews(ctx context.Context, f *frame.Factory, project string, wait time.Duration, try Try) error {
	return await(ctx, f, project, wait, newsKinds, try)
}

func await(ctx context.Context, f *frame.Factory, project string, wait time.Duration, kinds []task.Kind, try Try) error {
	from, err := Start(ctx, f, reading.EventsIn{})
	if err != nil {
		return err
	}
	ctx, stop := f.Stop(ctx)
	defer stop()
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		done, again, err := try(ctx)
		if done || err != nil || waiting.Err() != nil {
			return err
		}
		err = sleep(waiting, f, project, kinds, &from, again)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case waiting.Err() != nil:
			return nil
		case err != nil:
			return err
		}
	}
}

// sleep returns after an event of one of the kinds later than from, at the time again, or when ctx ends.
func sleep(ctx context.Context, f *frame.Factory, project string, kinds []task.Kind, from *int64, again task.Time) error {
	inner, cancel := ctx, context.CancelFunc(func() {})
	if again != 0 {
		// Add a second, because the database's clock may be behind ours.
		inner, cancel = context.WithTimeout(ctx, max(again.Go().Sub(f.Now()), 0)+time.Second)
	}
	defer cancel()
	last, err := Until(inner, f, reading.EventsIn{Project: project}, *from, func(e task.Event) bool { return slices.Contains(kinds, e.Kind) })
	*from = last
	if inner.Err() != nil {
		return nil
	}
	return err
}
