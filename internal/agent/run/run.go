// Package run is the loop of a worker that is a command: claim the next task, run the command for it, renew the lease
// in the meantime, and close the task or give it back depending on how the command ended. A Worker does this for one
// task after another, and a Pool runs several workers; both use the operations that they are given.
package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/fault"
	"tasker/internal/op/wire"
	"tasker/internal/task"
	"tasker/internal/text/safetext"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// Attempts is how often a task may fail before a person is asked.
const Attempts = 3

// Job is a command to run for a task.
type Job struct {
	Task  task.ID
	Fence int64    // of its claim
	Env   []string // in addition to the worker's own
	Stdin io.Reader
}

// Clock is the time by which a runner waits.
type Clock struct {
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// Operations are what a worker does with tasks, in a local database or through a server.
type Operations struct {
	Next    func(context.Context, work.NextIn) (work.NextOut, error)
	Claim   func(context.Context, work.ClaimIn) (work.ClaimOut, error)
	Show    func(context.Context, reading.ShowIn) (*bundle.Bundle, error)
	Move    func(context.Context, work.MoveIn) (work.MoveOut, error)
	Ask     func(context.Context, work.AskIn) (work.AskOut, error)
	Release func(context.Context, work.ReleaseIn) (work.ReleaseOut, error)
}

// Worker runs the command for one task at a time. All fields except Started are required.
type Worker struct {
	Ops   Operations
	Actor string      // with the instance; the command acts under the same name
	Next  work.NextIn // which work it takes
	Exec  func(context.Context, Job) (Ended, error)
	Clock Clock // for renewals

	Started func(Report) // called with a task before its command runs

	// trips notes a failed attempt, and reports whether the runner stops because of it. Then nobody is asked about the task.
	trips func(task.ID, Ended) bool
	// holds notes that the worker has a task in hand, or no longer; nil outside a pool.
	holds func(id task.ID, has bool)
}

// Outcome is what became of a task.
type Outcome string

// The outcomes.
const (
	Done     Outcome = "done"      // closed
	InReview Outcome = "in_review" // the command succeeded, but something that done requires is missing
	Released Outcome = "released"  // the command failed, or did not run
	NotNow   Outcome = "not_now"   // the command could not work at this time, and the task was given back
	Unready  Outcome = "setup"     // the command is set up wrongly, and the task was given back
	Stopped  Outcome = "stopped"   // the worker was told to stop, and gave the task back
	Asked    Outcome = "asked"     // it failed too often, and was given back with a blocking question
	Left     Outcome = "left"      // the command dealt with the task itself
	Lost     Outcome = "lost"      // somebody else ended the claim
)

// Report is one task that was run.
type Report struct {
	Task       task.ID  `json:"task"`
	Title      string   `json:"title"`
	Actor      string   `json:"actor"`
	Fence      int64    `json:"fence"`
	Outcome    Outcome  `json:"outcome"`
	ExitCode   *int     `json:"exitCode"` // null if the command did not run to its end
	DurationMs int64    `json:"durationMs"`
	Missing    []string `json:"missing"` // what else done requires
	Why        task.Opt `json:"why"`
}

// Well reports whether the task ended up where a run should leave it.
func (r Report) Well() bool {
	switch r.Outcome {
	case Released, NotNow, Unready, Asked, Lost:
		return false
	default:
		return true
	}
}

// once claims a task and runs the command for it; those in last only where there is no other. If there is no work, the
// report is nil. It also returns how the command ended.
func (w *Worker) once(ctx context.Context, last []task.ID) (*Report, Ended, error) {
	if err := ctx.Err(); err != nil {
		return nil, Ended{}, err
	}
	in := w.Next
	in.Last = words.Each(last, func(id task.ID) string { return string(id) })
	// A stop does not cancel this call, so that we know what it claimed and can give it back.
	out, err := w.Ops.Next(context.WithoutCancel(ctx), in)
	if err != nil || out.Task == nil || out.Claimed == nil {
		return nil, Ended{}, err
	}
	r := &Report{Task: out.Task.ID, Title: out.Task.Title, Actor: w.Actor, Fence: out.Claimed.Fence}
	if out.Bundle == nil { // it could not be read right after the claim
		if out.Bundle, err = w.Ops.Show(context.WithoutCancel(ctx), reading.ShowIn{Task: string(out.Task.ID)}); err != nil {
			return r, Ended{}, errors.Join(err, w.giveBack(ctx, r, "the bundle cannot be read", false))
		}
	}
	if w.holds != nil {
		w.holds(r.Task, true)
		defer w.holds(r.Task, false)
	}
	if asksNothing(out.Bundle) {
		if closed, err := w.closeEmpty(ctx, r); closed || err != nil {
			return r, Ended{}, err
		}
	}
	job, err := w.job(out)
	if err != nil {
		return r, Ended{}, errors.Join(err, w.giveBack(ctx, r, "the bundle cannot be written", false))
	}
	if w.Started != nil {
		w.Started(*r)
	}
	ended, lost, err := w.run(ctx, job, *out.Claimed)
	stopped := ctx.Err() != nil
	ctx = context.WithoutCancel(ctx) // settle what is held even if we were stopped
	if err != nil && !stopped {      // it never ran, so this is no attempt at the task
		return r, Ended{}, errors.Join(err, w.giveBack(ctx, r, "the command did not run: "+err.Error(), false))
	}
	r.ExitCode, r.DurationMs = &ended.ExitCode, ended.Took.Milliseconds()
	switch {
	case lost != nil:
		r.Outcome, r.Why = Lost, task.Opt(lost.Error())
		return r, Ended{}, nil // the outcome says it
	case stopped:
		r.ExitCode = nil
		err := w.giveBack(ctx, r, "the worker was stopped", false)
		if r.Outcome == Released {
			r.Outcome = Stopped
		}
		return r, Ended{}, err
	}
	return r, ended, w.settle(ctx, r, out.Task.Attempts, ended)
}

// job returns what the command receives: the bundle on standard input, and the task it holds and its actor in the
// environment.
func (w *Worker) job(out work.NextOut) (Job, error) {
	var src bytes.Buffer
	if err := wire.WriteJSON(&src, out.Bundle); err != nil {
		return Job{}, err
	}
	bundle, err := safetext.JSON(src.Bytes()) // the reader is probably a model
	if err != nil {
		return Job{}, err
	}
	return Job{
		Task: out.Task.ID, Fence: out.Claimed.Fence, Stdin: bytes.NewReader(append(bundle, '\n')),
		Env: []string{
			"TASKER_TASK=" + string(out.Task.ID),
			"TASKER_FENCE=" + strconv.FormatInt(out.Claimed.Fence, 10),
			"TASKER_ACTOR=" + w.Actor,
			"TASKER_PROJECT=" + out.Task.Project,
		},
	}, nil
}

// run runs the command and renews the lease in the meantime. If the claim is lost, it stops the command, because
// somebody else does the work now.
func (w *Worker) run(ctx context.Context, job Job, claim task.Claim) (ended Ended, lost, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() {
		var err error
		ended, err = w.Exec(ctx, job)
		done <- err
	}()
	for {
		select {
		case err := <-done:
			return ended, lost, err
		case <-w.renewal(ctx, claim):
		}
		if lost = w.renew(ctx, claim); lost != nil {
			stop()
			return ended, lost, <-done
		}
	}
}

// renewal returns when to renew: after a third of the lease, so that two renewals may fail. It returns nil for a claim
// without an end, and for a claim that is being given up.
func (w *Worker) renewal(ctx context.Context, claim task.Claim) <-chan time.Time {
	if claim.LeaseMs == 0 || ctx.Err() != nil {
		return nil
	}
	return w.Clock.After(time.Duration(claim.LeaseMs) * time.Millisecond / 3)
}

// renew extends the lease; an error means that the claim is gone. If the database does not answer, the next renewal
// tries again.
func (w *Worker) renew(ctx context.Context, claim task.Claim) error {
	_, err := w.Ops.Claim(ctx, work.ClaimIn{Task: string(claim.Task), Fence: &claim.Fence})
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.Declined) || fault.Is(err, fault.NotFound) {
		return err
	}
	return nil
}
