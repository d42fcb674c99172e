package work

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// longest is the duration of a wait without a bound.
const longest = 10 * 365 * 24 * time.Hour

// waitOptions holds the options of `tasker wait`.
type waitOptions struct {
	what    string
	timeout time.Duration
}

// NewWait returns the command `tasker wait`.
func NewWait(f *frame.Factory) *cobra.Command {
	awaited := append([]string{forWork, forNews}, work.WaitingFor...)
	o := &waitOptions{what: work.ForDone}
	return f.Command(frame.Spec{
		Use: "wait [ID]", Short: "Wait until there is work or news for you, or a task is done, ready, or its questions are answered", IDs: true,
		Args: frame.Between(0, 1, "the ID of a task"),
		Example: []string{
			"tasker wait demo-4 --timeout 1h",
			"tasker wait demo-4 --for ready --timeout 10m && tasker claim demo-4",
			"tasker wait demo-4 --for answered",
			"tasker wait --for work --timeout 30m && tasker next --claim",
			"tasker wait --for news --timeout 30m",
		},
		Long: "It follows the log and does not poll. When the time runs out it ends with exit code 7; it declines to wait for what can\n" +
			"no longer happen (done, for a cancelled task).",
		Flags: []frame.Flag{
			frame.OneOf(&o.what, "for", awaited, "what to wait for: "+words.List(awaited)+" (default done)"),
			frame.Duration(&o.timeout, "timeout", "how long at most, such as 30m (without it: for as long as it takes)"),
		},
	}, o.run)
}

func (o *waitOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	switch what := o.what; {
	case (what == forWork || what == forNews) && len(args) > 0:
		return fault.Bad("%s is not a state of a task", what).WithHint("leave the ID out, or wait for one of %s", words.List(work.WaitingFor))
	case what == forWork:
		return o.forWork(ctx, f)
	case what == forNews:
		return o.forNews(ctx, f)
	case len(args) == 0:
		return fault.Bad("say which task to wait for").WithHint("give its ID, or --for work, or --for news")
	}
	id, err := f.TaskToRead(ctx, args[0])
	if err != nil {
		return err
	}
	met, err := waitUntil(ctx, f, work.MetIn{Task: id, For: o.what}, o.timeout)
	return f.AnsweredOr(err, met, met.Met, frame.ErrNothing, func() {
		f.Say("%s\n", frame.Plain(f, met.Why))
		if met.Met && met.Question != nil {
			showAnswer(f, *met.Question)
		}
	})
}

// What a wait without a task can wait for.
const (
	forWork = "work"
	forNews = "news"
)

// newsOut is the answer to a wait for news; the news itself comes next to it.
type newsOut struct {
	Met bool `json:"met"`
}

// forNews waits until others do something with the tasks that the actor holds, or answer its questions.
func (o *waitOptions) forNews(ctx context.Context, f *frame.Factory) error {
	project, err := f.OneProject(ctx)
	if err != nil {
		return err
	}
	sayWaiting(f, "until others do something with what you hold")
	err = follow.AwaitNews(ctx, f, project, cmp.Or(o.timeout, longest), func(ctx context.Context) (bool, task.Time, error) {
		_, err := frame.Call(ctx, f, op.Whoami, reading.WhoamiIn{Project: project})
		return len(f.News.Heard().Items) > 0, 0, err
	})
	out := newsOut{Met: len(f.News.Heard().Items) > 0}
	return f.AnsweredOr(err, out, out.Met, frame.ErrNothing, func() {
		if !out.Met {
			f.Say("Nobody did anything with what you hold\n")
		}
	})
}

// sayWaiting says on a terminal what the command waits for, so that a missing prompt explains itself.
func sayWaiting(f *frame.Factory, what string) {
	if f.Process.ErrTTY && !f.Flags.JSON && !f.Flags.Quiet {
		f.Err.Line(term.Faint.Of("Waiting: " + what + " (Ctrl-C ends it)"))
	}
}

// waitUntil returns when the condition is met, or, with the condition unmet, when the time is over.
func waitUntil(ctx context.Context, f *frame.Factory, in work.MetIn, wait time.Duration) (met work.MetOut, err error) {
	if met, err = frame.Call(ctx, f, op.Met, in); err != nil || met.Met {
		return met, err
	}
	until := words.Either(in.For == work.ForAnswered, fmt.Sprintf("until the questions of %s are answered", met.Task),
		fmt.Sprintf("until %s is %s", met.Task, in.For))
	sayWaiting(f, until+"; now "+frame.Plain(f, met.Why))
	project, _, _ := task.ParseID(string(met.Task))
	err = follow.Await(ctx, f, project, cmp.Or(wait, longest), func(ctx context.Context) (bool, task.Time, error) {
		met, err = frame.Call(ctx, f, op.Met, in)
		return met.Met, met.Until, err
	})
	return met, err
}

// lookStep is the pause between two checks for a database file: nothing signals that a file was created.
const lookStep = 200 * time.Millisecond

// forWork waits until there is something that next would choose, and says what; it claims nothing. Without a plan it
// waits for the plan first: an agent should wait, not invent one.
func (o *waitOptions) forWork(ctx context.Context, f *frame.Factory) error {
	wait := cmp.Or(o.timeout, longest)
	ctx, stop := f.Stop(ctx)
	defer stop()
	end := f.Now().Add(wait)
	begun := !f.NoDatabase()
	err := databaseWithin(ctx, f, wait)
	if err != nil {
		return err
	}
	var out work.NextOut
	var unplanned *fault.Error           // why there is no project yet
	if !begun || f.Flags.Project == "" { // if -p names a project that does not exist, that is a mistake
		out, unplanned, err = planWithin(ctx, f, end.Sub(f.Now()))
	}
	if err == nil && unplanned == nil && out.Task == nil {
		var project string
		if project, err = f.OneProject(ctx); err == nil {
			out, err = nextWithin(ctx, f, work.NextIn{Project: project}, false, max(end.Sub(f.Now()), time.Nanosecond))
		}
	}
	return f.AnsweredOr(err, out, out.Task != nil, frame.ErrNothing, func() {
		switch {
		case unplanned != nil:
			f.Say("%s\n", unplanned.Message)
		case out.Task == nil:
			f.Say("%s\n", render.Idle(f, out.Idle))
			render.Waits(f, out.Idle)
		default:
			f.Out.Printf("%s is ready for you: %s\n", out.Task.ID, out.Task.Title)
		}
	})
}

// databaseWithin waits until the database exists, or the time is over. It does not open it: a missing database reads as
// empty for as long as it is open.
func databaseWithin(ctx context.Context, f *frame.Factory, wait time.Duration) error {
	if !f.NoDatabase() {
		return nil
	}
	sayWaiting(f, "until there is a database at "+f.Database())
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

// planWithin waits until there is a project to work on, and returns what next would choose in it, or why there is no
// project. If there already is one, it only looks.
func planWithin(ctx context.Context, f *frame.Factory, wait time.Duration) (out work.NextOut, unplanned *fault.Error, err error) {
	look := func(ctx context.Context) (bool, task.Time, error) {
		project, err := f.OneProject(ctx)
		if err == nil {
			out, err = next(ctx, f, work.NextIn{Project: project}, false)
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
	sayWaiting(f, "until there is a plan; now "+unplanned.Message)
	err = follow.Await(ctx, f, "", wait, look)
	return out, unplanned, err
}
