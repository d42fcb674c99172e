package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newAsk() *cobra.Command {
	var in core.AskIn
	var wait durationFlag
	var fence *intFlag[int64]
	cmd := f.command(spec{
		use: "ask ID TEXT", short: op.Ask.Summary, ids: true, args: exactly("the ID of a task", "a TEXT"),
		example: []string{
			`tasker ask demo-4 "Which of the two formats?" --blocking --release   # and take something else`,
			`tasker ask demo-4 "May I drop the old one?" --blocking --to ann --wait 30m`,
		},
		long: "A blocking question is answered by whom it is put to, or by a human; never by who asks, who may withdraw it.",
	}, func(ctx context.Context, f *factory, args []string) (err error) {
		if in.Task, err = f.task(ctx, args[0]); err != nil {
			return err
		}
		if in.Text, err = f.text(args[1]); err != nil {
			return err
		}
		if in.Fence, err = f.fence(ctx, fence, in.Task); err != nil {
			return err
		}
		q, err := call(ctx, f, op.Ask, in)
		if err != nil {
			return err
		}
		if wait.d > 0 {
			return f.askedAndWaiting(ctx, q, wait.d)
		}
		return f.answer(q, func() { f.showAsked(q) })
	})
	fs := cmd.Flags()
	fs.BoolVar(&in.Blocking, "blocking", false, "nobody goes on with the task until it is answered")
	fs.StringVar(&in.To, "to", "", "who is to answer: an actor, or a role")
	fs.BoolVar(&in.Release, "release", false, "give the task back in the same step")
	fs.Var(&wait, "wait", "wait for the answer this long, such as 30m (exit code 7 when the time runs out)")
	fence = fenceFlag(fs)
	return cmd
}

func (f *factory) showAsked(q task.Question) {
	whom := ""
	if q.To != "" {
		whom = " " + string(q.To)
	}
	f.say("Asked%s as question %d on %s\n", whom, q.ID, q.Task)
	if q.Blocking {
		f.say("%s is held back until it is answered: tasker answer %d TEXT\n", q.Task, q.ID)
	}
}

// askedAndWaiting waits for the answer, and shows the question with it.
func (f *factory) askedAndWaiting(ctx context.Context, q task.Question, wait time.Duration) error {
	if !f.flags.json {
		f.showAsked(q)
	}
	ctx, stop := f.p.Stop(ctx)
	defer stop()
	met, err := f.until(ctx, core.MetIn{Task: string(q.Task), For: core.ForAnswered, Question: &q.ID}, wait)
	if err != nil {
		return err
	}
	if met.Question != nil {
		q = *met.Question
	}
	if err := f.answer(q, func() {
		if met.Met {
			f.showAnswer(q)
		} else {
			f.say("Nobody has answered yet\n")
		}
	}); err != nil || met.Met {
		return err
	}
	return errNothing
}

func (f *factory) showAnswer(q task.Question) {
	f.out.Printf("%s answers:\n", q.AnsweredBy)
	f.out.Block("  ", string(q.Answer))
}

func (f *factory) newAnswer() *cobra.Command {
	var withdraw bool
	cmd := f.command(spec{
		use: "answer QUESTION TEXT", short: op.Answer.Summary, args: between(1, 2, "the number of a QUESTION", "a TEXT"),
		example: []string{`tasker answer 17 "the second one"`, "tasker answer 17 --withdraw   # your own question, settled otherwise"},
		long:    "Questions have the number that asking them answered; tasker inbox and tasker show list it.",
	}, func(ctx context.Context, f *factory, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return fault.Bad("%q is no number of a question", args[0]).WithHint("tasker inbox and tasker show list questions with their numbers")
		}
		switch {
		case withdraw && len(args) == 2:
			return fault.Bad("a question is withdrawn without an answer").WithHint("leave the text out, or --withdraw")
		case withdraw:
			return do(ctx, f, op.Withdraw, core.QuestionIn{Question: id}, func(f *factory, q task.Question) {
				f.say("Withdrew question %d on %s\n", q.ID, q.Task)
			})
		case len(args) == 1:
			return fault.Bad("the answer is missing").WithHint("for example: tasker answer %d \"the second one\"", id)
		}
		text, err := f.text(args[1])
		if err != nil {
			return err
		}
		return do(ctx, f, op.Answer, core.AnswerIn{Question: id, Text: text}, func(f *factory, q task.Question) {
			f.say("Answered question %d of %s on %s\n", q.ID, q.Actor, q.Task)
		})
	})
	cmd.Flags().BoolVar(&withdraw, "withdraw", false, "take it back: only who asked may")
	return cmd
}

// longest is how long a wait without a bound lasts.
const longest = 10 * 365 * 24 * time.Hour

func (f *factory) newWait() *cobra.Command {
	what := oneOf(core.ForDone, core.WaitingFor)
	var timeout durationFlag
	cmd := f.command(spec{
		use: "wait ID", short: "Wait until a task is done, ready, or its questions are answered", ids: true, args: exactly("the ID of a task"),
		example: []string{"tasker wait demo-4 --timeout 1h", "tasker wait demo-4 --for ready --timeout 10m && tasker claim demo-4", "tasker wait demo-4 --for answered"},
		long:    "It follows the log and asks nothing over and over. When the time runs out it ends with exit code 7; what can no longer\ncome about (done, of a task that was cancelled) is declined.",
	}, func(ctx context.Context, f *factory, args []string) error {
		id, err := f.task(ctx, args[0])
		if err != nil {
			return err
		}
		ctx, stop := f.p.Stop(ctx)
		defer stop()
		met, err := f.until(ctx, core.MetIn{Task: id, For: what.value}, timeout.d)
		if err != nil {
			return err
		}
		if err := f.answer(met, func() { f.say("%s\n", met.Why) }); err != nil || met.Met {
			return err
		}
		return errNothing
	})
	cmd.Flags().Var(what, "for", "what to wait for: "+list(core.WaitingFor)+" (default done)")
	cmd.Flags().Var(&timeout, "timeout", "how long at most, such as 30m (without it: for as long as it takes)")
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions(core.WaitingFor, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// until waits until what is waited for has come about, or the time has run out: then it is not met.
func (f *factory) until(ctx context.Context, in core.MetIn, wait time.Duration) (met core.MetOut, err error) {
	if wait == 0 {
		wait = longest
	}
	if met, err = call(ctx, f, op.Met, in); err != nil || met.Met {
		return met, err
	}
	project, _, _ := task.ParseID(string(met.Task))
	err = f.await(ctx, project, wait, func(ctx context.Context) (bool, task.Time, error) {
		met, err = call(ctx, f, op.Met, in)
		return met.Met, met.Until, err
	})
	return met, err
}
