package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// settle moves the task depending on how its command ended. A command that could not work at all is no attempt: the task
// is given back. Otherwise exit code 0 closes it, or leaves it in review with a note of what is missing, and any other code
// gives it back as failed; the last allowed failure also asks a question. If the command moved or released the task itself,
// settle does nothing more.
func (w *Worker) settle(ctx context.Context, r *Report, failedBefore int, ended Ended) error {
	b, err := w.Ops.Show(ctx, reading.ShowIn{Task: string(r.Task)})
	if err != nil {
		return err
	}
	if c := b.Task.Claim; c == nil || c.Fence != r.Fence {
		r.Outcome, r.Why = Left, task.Opt("it is "+string(b.Task.Status)+" already")
		if c != nil {
			r.Outcome, r.Why = Lost, task.Opt(c.Actor+" holds it now")
		}
		return nil
	}
	switch class := ended.class(); {
	case class != Ordinary:
		return w.spare(ctx, r, class, ended)
	case ended.ExitCode == 0:
		return w.finish(ctx, r)
	}
	why, stops := ended.how(), w.trips != nil && w.trips(r.Task, ended)
	if failedBefore+1 >= Attempts && !stops {
		return w.ask(ctx, r, why, ended.Tail)
	}
	r.Why = task.Opt(why)
	return w.giveBack(ctx, r, withTail("the command of tasker run failed: "+why, ended.Tail), true)
}

// asksNothing reports whether a task is only the sum of its parts, which are all closed: nothing is left that a worker could
// do. A task that can be claimed has no open part.
func asksNothing(b *bundle.Bundle) bool {
	return b.Task.Body == "" && b.Gate == nil && len(b.Criteria) == 0 && len(b.Approvals.Required) == 0 &&
		slices.ContainsFunc(b.Children, func(c bundle.Brief) bool { return c.Status.Closed() })
}

// closeEmpty closes a task that asks nothing. It returns false if the project wants more of it after all, such as a note.
func (w *Worker) closeEmpty(ctx context.Context, r *Report) (bool, error) {
	_, err := w.Ops.Move(context.WithoutCancel(ctx), work.MoveIn{Task: string(r.Task), To: string(task.Done), Fence: &r.Fence})
	switch {
	case err == nil:
		r.Outcome, r.Why = Done, "its parts are closed, and it asks for nothing else"
		return true, nil
	case fault.Is(err, fault.Declined):
		return false, nil
	}
	return true, w.lostOr(r, err)
}

// spare gives back a task whose command could not work: that is no attempt at it.
func (w *Worker) spare(ctx context.Context, r *Report, class Class, ended Ended) error {
	as, why := NotNow, "the command of tasker run could not work now"
	switch class {
	case Limit:
		if ended.Class == Limit {
			why = "the agent reached a usage limit"
		}
	case Outage:
		why = "the agent's service did not answer"
	case Setup:
		as, why = Unready, "the command of tasker run is set up wrongly"
	case Ordinary: // a failed attempt, which is no reason to spare a task
	}
	r.Why = task.Opt(why + words.When(ended.line() != "", ": "+ended.line()))
	err := w.giveBack(ctx, r, string(r.Why), false)
	if r.Outcome == Released {
		r.Outcome = as
	}
	return err
}

// finish moves the task to done, or to review if something is missing.
func (w *Worker) finish(ctx context.Context, r *Report) error {
	_, err := w.Ops.Move(ctx, work.MoveIn{Task: string(r.Task), To: string(task.Done), Fence: &r.Fence})
	if err == nil {
		r.Outcome = Done
		return nil
	}
	if !fault.Is(err, fault.Declined) {
		return w.lostOr(r, err)
	}
	e := fault.Of(err)
	r.Missing, r.Why = e.Missing, task.Opt(e.Message)
	note := strings.Join(append([]string{"the command of tasker run ended well, and " + e.Message}, e.Missing...), "\n- ")
	_, err = w.Ops.Move(ctx, work.MoveIn{Task: string(r.Task), To: string(task.InReview), Fence: &r.Fence, Note: &note})
	if err == nil {
		r.Outcome = InReview
	}
	return w.lostOr(r, err)
}

// ask leaves the task with a blocking question. It asks while the task is still held, so that nobody else gets it in
// between.
func (w *Worker) ask(ctx context.Context, r *Report, why, tail string) error {
	text := withTail(fmt.Sprintf("The command of tasker run failed %d times, the last time with %s. What should change?", Attempts, why), tail)
	if _, err := w.Ops.Ask(ctx, work.AskIn{Task: string(r.Task), Text: text, Blocking: true, Fence: &r.Fence}); err != nil {
		return w.lostOr(r, err)
	}
	if err := w.giveBack(ctx, r, "the command of tasker run failed: "+why, true); err != nil || r.Outcome != Released {
		return err
	}
	r.Outcome, r.Why = Asked, task.Opt(why)
	return nil
}

// giveBack releases the task with a note.
func (w *Worker) giveBack(ctx context.Context, r *Report, note string, failed bool) error {
	_, err := w.Ops.Release(context.WithoutCancel(ctx), work.ReleaseIn{Task: string(r.Task), Fence: &r.Fence, Note: &note, Failed: failed})
	if err == nil {
		r.Outcome = Released
		r.Why = cmp.Or(r.Why, task.Opt(note))
	}
	return w.lostOr(r, err)
}

// lostOr returns the error, except for a conflict, which it reports as the outcome Lost: somebody else ended the claim.
func (w *Worker) lostOr(r *Report, err error) error {
	if fault.Is(err, fault.Conflict) {
		r.Outcome, r.Why = Lost, task.Opt(fault.Of(err).Message)
		return nil
	}
	return err
}

// withTail appends the end of a command's output to a text.
func withTail(text, tail string) string {
	return text + words.Either(strings.TrimSpace(tail) == "", "\n\nIt printed nothing.", "\n\nThe end of its output:\n"+tail)
}
