package work

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core/work"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

// askOptions are what the command line gives `tasker ask`.
type askOptions struct {
	in    work.AskIn
	wait  frame.DurationFlag
	fence *frame.IntFlag[int64]
}

// NewAsk returns the command `tasker ask`.
func NewAsk(f *frame.Factory) *cobra.Command {
	o := &askOptions{}
	cmd := f.Command(frame.Spec{
		Use: "ask ID TEXT", Short: op.Ask.Summary, IDs: true, Args: frame.Exactly("the ID of a task", "a TEXT"),
		Example: []string{
			`tasker ask demo-4 "Which of the two formats?" --blocking --release   # and take something else`,
			`tasker ask demo-4 "May I drop the old one?" --blocking --to ann --wait 30m`,
		},
		Long: "A blocking question is answered by whom it is put to, or by a human; never by who asks, who may withdraw it.",
	}, o.run)
	fs := cmd.Flags()
	fs.BoolVar(&o.in.Blocking, "blocking", false, "nobody goes on with the task until it is answered")
	fs.StringVar(&o.in.To, "to", "", "who is to answer: an actor, or a role")
	fs.BoolVar(&o.in.Release, "release", false, "give the task back in the same step")
	fs.Var(&o.wait, "wait", "wait for the answer this long, such as 30m (exit code 7 when the time runs out)")
	o.fence = frame.AddFence(fs)
	return cmd
}

func (o *askOptions) run(ctx context.Context, f *frame.Factory, args []string) (err error) {
	if o.in.Task, err = f.TaskArg(ctx, args[0]); err != nil {
		return err
	}
	if o.in.Text, err = f.TextArg(args[1]); err != nil {
		return err
	}
	if o.in.Fence, err = f.Fence(ctx, o.fence, o.in.Task); err != nil {
		return err
	}
	q, err := frame.Call(ctx, f, op.Ask, o.in)
	if err != nil {
		return err
	}
	if o.wait.D > 0 {
		return askedAndWaiting(ctx, f, q, o.wait.D)
	}
	return f.Answer(q, func() {
		showAsked(f, q, "; wait for that: "+f.AsCommand(remedy.Command("wait "+string(q.Task)+" --for answered")))
		f.Echo(ctx, q.Task, "", remedy.Withdraw(q.ID))
	})
}

// showAsked prints what was asked, and then what the asker can do meanwhile.
func showAsked(f *frame.Factory, q task.Question, then string) {
	whom, who := "", "a human"
	if q.To != "" {
		whom, who = string(q.To)+" ", string(q.To)+" or a human"
	}
	f.Say("Asked %squestion %d about %s\n", whom, q.ID, q.Task)
	if q.Blocking {
		f.Say("%s is held back until %s answers it%s\n", q.Task, who, then)
	}
}

// askedAndWaiting waits for the answer, and shows the question with it.
func askedAndWaiting(ctx context.Context, f *frame.Factory, q task.Question, wait time.Duration) error {
	if !f.Flags.JSON {
		showAsked(f, q, "")
	}
	ctx, stop := f.Process.Stop(ctx)
	defer stop()
	met, err := waitUntil(ctx, f, work.MetIn{Task: string(q.Task), For: work.ForAnswered, Question: &q.ID}, wait)
	if err != nil {
		return err
	}
	if met.Question != nil {
		q = *met.Question
	}
	if err := f.Answer(q, func() {
		if met.Met {
			showAnswer(f, q)
		} else {
			f.Say("Nobody has answered yet\n")
		}
	}); err != nil || met.Met {
		return err
	}
	return frame.ErrNothing
}

func showAnswer(f *frame.Factory, q task.Question) {
	f.Out.Printf("%s answers:\n", q.AnsweredBy)
	render.Text(f, "  ", string(q.Answer))
	f.News.Drop(func(text string) bool { return strings.Contains(text, fmt.Sprintf(" answered question %d (", q.ID)) })
}
